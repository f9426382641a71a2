import { expect, it } from 'vitest';
import { readSubmittedText } from './submitted-text.ts';

const allowAll = () => ({ ok: true }) as const;

it('reads addresses and objects and leaves out comments and empty lines', () => {
  const text = '# list\nhttp://a.example/\r\n\n{"url":"http://b.example/x","title":"B","tags":"one, two"}\n';
  expect([...readSubmittedText(text, allowAll)]).toEqual([
    { ok: true, url: 'http://a.example/', title: undefined, tags: [] },
    { ok: true, url: 'http://b.example/x', title: 'B', tags: ['one', 'two'] },
  ]);
});

it('refuses other schemes, broken JSON and what the check refuses, each with its reason', () => {
  const check = (url: string) => (url.includes('own') ? ({ ok: false, reason: 'is our own' } as const) : allowAll());
  const text = 'file:///etc/passwd\n{"url":\n{"title":"x"}\nhttp://own.example/\n';
  const records = [...readSubmittedText(text, check)];
  expect(records.map((record) => record.ok)).toEqual([false, false, false, false]);
  expect(records.map((record) => (record.ok ? '' : record.reason))).toEqual([
    expect.stringContaining('file:'),
    'The line begins with { but is no JSON',
    'The line holds no "url"',
    'is our own',
  ]);
});
