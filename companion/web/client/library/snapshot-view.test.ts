import { expect, test } from 'vitest';
import type { ArchiveResultRecord } from '../../../../shared/model/api-records.ts';
import {
  faviconAddress,
  hasPicture,
  hostOf,
  shortAddress,
  snapshotName,
  stateMark,
  waitsForBrowser,
} from './snapshot-view.ts';

function result(
  plugin: string,
  status: ArchiveResultRecord['status'],
  files: Record<string, number> = {},
): ArchiveResultRecord {
  const output_files = Object.fromEntries(
    Object.entries(files).map(([path, size]) => [path, { extension: 'png', mimetype: 'image/png', size }]),
  );
  return { id: `id-${plugin}`, plugin, status, output_files } as unknown as ArchiveResultRecord;
}

test('a page counts as kept only with bytes on disk, whatever steps succeeded', () => {
  expect(stateMark({ status: 'sealed', output_size: 1 })).toBe('kept');
  expect(stateMark({ status: 'sealed', output_size: 0 })).toBe('empty');
  expect(stateMark({ status: 'started', output_size: 9 })).toBe('working');
  expect(stateMark({ status: 'queued', output_size: 9 })).toBe('waiting');
  expect(stateMark({ status: 'paused', output_size: 9 })).toBe('paused');
});

test('a page waits for the browser until each expected capture has a final status', () => {
  const page = { source: 'browser' as const, status: 'queued' as const, expected_captures: ['a', 'b'] };
  expect(waitsForBrowser({ ...page, archiveresults: [] })).toBe(true);
  expect(waitsForBrowser({ ...page, archiveresults: [result('a', 'succeeded'), result('b', 'started')] })).toBe(true);
  expect(waitsForBrowser({ ...page, archiveresults: [result('a', 'succeeded'), result('b', 'failed')] })).toBe(false);
  expect(waitsForBrowser({ ...page, source: 'companion', archiveresults: [] })).toBe(false);
  expect(waitsForBrowser({ ...page, expected_captures: [], archiveresults: [] })).toBe(false);
});

test('a small picture is asked for only where the page was pictured', () => {
  expect(hasPicture([result('chrome_extension_screenshot', 'succeeded')])).toBe(true);
  expect(hasPicture([result('screenshot', 'succeeded')])).toBe(true);
  expect(hasPicture([result('screenshot', 'failed'), result('pdf', 'succeeded')])).toBe(false);
});

test('the address the API gives for a file wins', () => {
  const icon = result('favicon', 'succeeded', { 'favicon.ico': 100 });
  icon.output_files['favicon.ico']!.url = '/elsewhere';
  expect(faviconAddress([icon])).toBe('/elsewhere');
  expect(faviconAddress([result('favicon', 'succeeded', { 'a b.ico': 9 })])).toBe(
    '/api/v1/core/archiveresult/id-favicon/file/a%20b.ico',
  );
  expect(faviconAddress([result('favicon', 'noresults')])).toBeUndefined();
});

test('a page without a title is called by its address', () => {
  expect(snapshotName({ title: '  Kelp ', url: 'https://a.org/' })).toBe('Kelp');
  expect(snapshotName({ title: ' ', url: 'https://www.a.org/' })).toBe('a.org');
  expect(snapshotName({ title: null, url: 'http://a.org/x/?q=1' })).toBe('a.org/x/?q=1');
  expect(shortAddress('ftp://x/')).toBe('ftp://x/');
  expect(hostOf('https://www.a.org:8443/x')).toBe('a.org:8443');
  expect(hostOf('not an address')).toBe('not an address');
});
