import { expect, test } from 'vitest';
import type { OutputKind, ReplayOutput } from '../api/snapshots.ts';
import {
  choiceLabel,
  outputKey,
  pluginLabel,
  readerKind,
  resultSentence,
  shownOutput,
  splitResults,
} from './outputs.ts';

function output(result_id: string, kind: OutputKind): ReplayOutput {
  const url = `http://label.localhost:1/${result_id}`;
  const download_url = `/api/${result_id}`;
  const rest = {
    path: 'f',
    plugin: 'p',
    label: 'l',
    fallback_url: null,
    mimetype: 'text/html',
    size: 1,
    digest: 'sha256:00',
    origin: 'browser',
  } as const;
  return { result_id, kind, url, download_url, ...rest };
}

const pdf = output('a', 'pdf');
const page = output('b', 'page');
const file = output('c', 'file');

test('the chosen output wins over the preferred one, and that over the order of kinds', () => {
  const replay = { outputs: [file, pdf, page], host: 'label.localhost:1', preferred: pdf.url };
  expect(shownOutput(replay, outputKey(file))).toBe(file);
  expect(shownOutput(replay, 'gone')).toBe(pdf);
  expect(shownOutput({ ...replay, preferred: null }, undefined)).toBe(page);
  expect(shownOutput({ outputs: [file], host: '', preferred: null }, undefined)).toBeUndefined();
});

test('other bytes at the same path are another thing to look at', () => {
  expect(outputKey(page)).not.toBe(outputKey({ ...page, digest: 'sha256:01' }));
  // A new replay label is not.
  expect(outputKey(page)).toBe(outputKey({ ...page, url: 'http://other.localhost:1/b' } as ReplayOutput));
});

test.each([
  [{ status: 'succeeded', error: null, output_str: 'singlefile.html', output_size: 4_200_000 }, 'Kept, 4.2 MB.'],
  [{ status: 'succeeded', error: null, output_str: 'A title', output_size: 0 }, 'Done.'],
  [
    { status: 'failed', error: 'the tab was closed', output_str: '', output_size: 0 },
    'Could not be kept: the tab was closed.',
  ],
  [{ status: 'failed', error: null, output_str: '', output_size: 0 }, 'Could not be kept.'],
  [
    { status: 'skipped', error: null, output_str: 'delivered by your browser', output_size: 0 },
    'Left out: delivered by your browser.',
  ],
  [{ status: 'noresults', error: null, output_str: '', output_size: 0 }, 'The page has none.'],
  [{ status: 'started', error: null, output_str: '', output_size: 0 }, 'Under way.'],
] as const)('%o reads as "%s"', (result, sentence) => {
  expect(resultSentence(result)).toBe(sentence);
});

test('an unknown plugin keeps its name', () => {
  expect(pluginLabel('chrome_extension_mhtml')).toBe('Web archive (MHTML)');
  expect(pluginLabel('my_own_plugin')).toBe('my own plugin');
});

test('text that is data is offered among the files, not as text to read', () => {
  expect(readerKind({ kind: 'text', plugin: 'htmltotext' })).toBe('text');
  expect(readerKind({ kind: 'text', plugin: 'headers' })).toBe('file');
  expect(readerKind({ kind: 'page', plugin: 'chrome' })).toBe('page');
  const headers = { ...output('d', 'text'), plugin: 'headers' };
  expect(shownOutput({ outputs: [headers], host: '', preferred: null }, undefined)).toBeUndefined();
});

test('no two choices read alike', () => {
  const dom = { ...output('e', 'page'), plugin: 'dom', path: 'output.html' };
  expect(choiceLabel(page, [page])).toBe('l');
  expect(choiceLabel(dom, [page, dom])).toBe('Page source (output.html)');
  expect(choiceLabel({ ...dom, label: 'output.html' }, [dom])).toBe('Page source (output.html)');
});

test('results to look at come apart from steps of the work and from what the page has not', () => {
  const result = (plugin: string, status: 'succeeded' | 'failed' | 'skipped') => ({ plugin, status });
  const all = [
    result('chrome', 'succeeded'),
    result('hashes', 'failed'),
    result('pdf', 'succeeded'),
    result('dom', 'skipped'),
  ];
  const { main, rest } = splitResults(all);
  expect(main).toEqual([all[1], all[2]]);
  expect(rest).toEqual([all[0], all[3]]);
});
