import { expect, test } from 'vitest';
import type { CaptureStage } from '../../outbox/capture-record.ts';
import { beginCapture } from '../../outbox/transitions.ts';
import { chooseBadge } from './choose-badge.ts';

function record(stage: CaptureStage, bytes = 0) {
  const begun = beginCapture({
    ...{ url: 'https://shore.example/', title: '', at: 1, tabId: 1, documentKey: '', browserSession: '' },
    ...{ closeTab: false, planned: ['dom'] },
  });
  const file = {
    path: 'singlefile.html',
    mimetype: 'text/html',
    bytes,
    digest: `sha256:${'0'.repeat(64)}` as const,
    confirmed: false,
  };
  return { ...begun, stage, witnesses: begun.witnesses.map((witness) => ({ ...witness, files: [file] })) };
}
const idle = () => undefined;

test('a page being kept comes first', () => {
  expect(chooseBadge([record('waiting'), record('capturing')], idle).text).toBe('…');
});

test('sending shows how much the companion has', () => {
  expect(chooseBadge([record('waiting', 200)], () => 99).text).toBe('49%');
});

test('what needs the person is not hidden behind what merely waits', () => {
  expect(chooseBadge([record('waiting'), record('deleted_there')], idle).text).toBe('!');
});

test('waiting pages are counted, kept ones are not', () => {
  expect(chooseBadge([record('waiting'), record('waiting'), record('sent'), record('empty')], idle).text).toBe('2');
  expect(chooseBadge([record('sent')], idle).text).toBe('');
});
