import { expect, test } from 'vitest';
import type { ReplayOutput } from '../api/snapshots.ts';
import { comparable } from './comparable.ts';

function output(plugin: string, kind: ReplayOutput['kind'], path: string, mimetype: string): ReplayOutput {
  const rest = {
    result_id: plugin,
    label: path,
    url: '',
    fallback_url: null,
    download_url: '',
    size: 1,
    digest: 'sha256:00',
  };
  return { ...rest, plugin, kind, path, mimetype, origin: 'derived' };
}

const shot = output('screenshot', 'picture', 'screenshot.png', 'image/png');
const seen = output('chrome_extension_screenshot', 'picture', 'screenshot.png', 'image/png');
const plain = output('htmltotext', 'text', 'content.txt', 'text/plain; charset=utf-8');
const read = output('readability', 'text', 'content.html', 'text/html');
const headers = output('headers', 'text', 'headers.txt', 'text/plain');

test('copies are compared by what the same plugin made of both', () => {
  const ways = comparable([seen, shot, plain, read], [shot, plain]);
  expect(ways.map(({ by, older, newer }) => [by, older.plugin, newer.plugin])).toEqual([
    ['picture', 'screenshot', 'screenshot'],
    ['text', 'htmltotext', 'htmltotext'],
  ]);
});

test('a picture of the browser may stand against one of the companion', () => {
  expect(comparable([seen], [shot])).toEqual([{ by: 'picture', older: seen, newer: shot }]);
});

test('markup and data are no words to compare', () => {
  expect(comparable([read, headers], [read, headers])).toEqual([]);
});
