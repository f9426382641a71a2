import { expect, test } from 'vitest';
import type { CaptureRecord } from '../../outbox/capture-record.ts';
import { addFile, beginCapture, captureTaken, stopped, witnessKept, witnessMissing } from '../../outbox/transitions.ts';
import { viewCapture } from './views.ts';

function kept(): CaptureRecord {
  let record = beginCapture({
    ...{ url: 'https://shore.example/a', title: 'Shore', at: 1, tabId: 1, documentKey: '', browserSession: '' },
    ...{ closeTab: false, planned: ['dom', 'mhtml'] },
  });
  const digest = `sha256:${'0'.repeat(64)}` as const;
  record = addFile(record, 'dom', { path: 'singlefile.html', mimetype: 'text/html', bytes: 4_200_000, digest });
  record = witnessKept(record, 'dom', '');
  return captureTaken(witnessMissing(record, 'mhtml', 'failed', 'The browser refused.'), '');
}
const away = { progress: undefined, libraryUrl: undefined };

test('a page in the outbox says that it waits, and for what', () => {
  expect(viewCapture(kept(), away)).toMatchObject({
    phase: 'kept_in_browser',
    sentence: 'Kept in this browser, waiting to be sent. 4.2 MB.',
    missing: ['Web archive: The browser refused.'],
  });
  const waiting = { ...kept(), retry: { failures: 1, nextAt: 5, sentence: 'Holdfast is not running.' } };
  expect(viewCapture(waiting, away).sentence).toBe('Holdfast is not running.');
});

test('a page on its way says how far it is', () => {
  const view = viewCapture(kept(), { progress: 2_100_000, libraryUrl: undefined });
  expect(view).toMatchObject({
    phase: 'uploading',
    sentence: 'Sending to Holdfast: 2.1 MB of 4.2 MB.',
    bytesSent: 2_100_000,
  });
});

test('a page on the disk can be opened where it lies', () => {
  const record = { ...kept(), stage: 'sent' as const, announced: true };
  const view = viewCapture(record, { progress: undefined, libraryUrl: 'http://holdfast.localhost:8745' });
  expect(view).toMatchObject({
    phase: 'kept_on_disk',
    sentence: 'Kept on disk. 1 capture, 4.2 MB.',
    openUrl: `http://holdfast.localhost:8745/snapshot/${record.snapshotId}`,
  });
  expect(view.actions).toContain('open');
});

test('a page deleted over there asks what to do', () => {
  const view = viewCapture(stopped(kept(), 'deleted_there', 'It was deleted.'), away);
  expect(view).toMatchObject({ phase: 'needs_you', sentence: 'It was deleted.', actions: ['send_as_new', 'discard'] });
});

test('a page of which nothing was kept says why', () => {
  const empty = captureTaken(
    witnessMissing(beginCapture({ ...kept(), planned: ['dom'] }), 'dom', 'failed', 'The tab was closed.'),
    '',
  );
  expect(viewCapture(empty, away)).toMatchObject({
    phase: 'failed',
    sentence: 'Nothing of this page could be kept. The tab was closed.',
  });
});
