import { expect, test } from 'vitest';
import type { Digest } from '../../shared/digest/digest.ts';
import { bytesOf, confirmedBytesOf } from './capture-record.ts';
import type { CaptureRecord } from './capture-record.ts';
import * as step from './transitions.ts';

const digest: Digest = `sha256:${'a'.repeat(64)}`;

function begun(): CaptureRecord {
  return step.beginCapture({
    url: 'https://shore.example/',
    title: 'Shore',
    at: 1_700_000_000_000,
    tabId: 3,
    documentKey: 'document',
    browserSession: 'session',
    closeTab: false,
    planned: ['facts', 'dom', 'screenshot'],
  });
}

/** Page kept with 10 bytes, facts with 2, no picture. */
function taken(): CaptureRecord {
  let record = step.addFile(begun(), 'dom', { path: 'singlefile.html', mimetype: 'text/html', bytes: 10, digest });
  record = step.witnessKept(record, 'dom', '');
  record = step.addFile(record, 'facts', { path: 'facts.json', mimetype: 'application/json', bytes: 2, digest });
  record = step.witnessKept(record, 'facts', '');
  return step.captureTaken(record, 'Interrupted.');
}

test('what was not taken is failed with the reason, the rest waits to be sent', () => {
  const record = taken();
  expect(record.stage).toBe('waiting');
  expect(record.witnesses.find((witness) => witness.kind === 'screenshot')).toMatchObject({
    outcome: 'failed',
    note: 'Interrupted.',
  });
  expect(bytesOf(record)).toBe(12);
});

test('a capture with facts alone has nothing of the page', () => {
  let record = step.addFile(begun(), 'facts', { path: 'facts.json', mimetype: 'application/json', bytes: 2, digest });
  record = step.witnessKept(record, 'facts', '');
  expect(step.captureTaken(record, 'The tab was closed.').stage).toBe('empty');
});

test('a witness without a file cannot be kept', () => {
  expect(() => step.witnessKept(begun(), 'dom', '')).toThrow(/no file/);
});

test('bytes are forgotten only when every file is confirmed and every witness told', () => {
  let record = step.fileConfirmed(taken(), 'singlefile.html');
  expect(confirmedBytesOf(record)).toBe(10);
  expect(() => step.captureSent(record)).toThrow('facts.json is not confirmed');
  record = step.fileConfirmed(record, 'facts.json');
  expect(() => step.captureSent(record)).toThrow('a witness is not reported');
  for (const { kind } of record.witnesses) record = step.witnessReported(record, kind);
  expect(step.captureSent(record).stage).toBe('sent');
});

test('a capture deleted over there is sent again whole, as another snapshot', () => {
  let record = step.fileConfirmed(step.witnessReported(taken(), 'dom'), 'singlefile.html');
  record = step.stopped({ ...record, announced: true }, 'deleted_there', 'It was deleted.');
  const again = step.sendAsNew(record, 1_700_000_100_000);
  expect(again.snapshotId).not.toBe(record.snapshotId);
  expect(again).toMatchObject({ id: record.id, stage: 'waiting', announced: false });
  expect(confirmedBytesOf(again)).toBe(0);
  expect(again.witnesses.every((witness) => !witness.reported)).toBe(true);
});

test('a capture that waits cannot be declared new', () => {
  expect(() => step.sendAsNew(taken(), 1)).toThrow(/waiting/);
});

test('discarding tells the companion of what it waits for and keeps what it has', () => {
  const record = step.discarded(step.witnessReported(taken(), 'dom'), 'You discarded it.');
  const outcomes = Object.fromEntries(record.witnesses.map((witness) => [witness.kind, witness.outcome]));
  expect(outcomes).toEqual({ dom: 'kept', facts: 'failed', screenshot: 'failed' });
});

test('an edit before the snapshot exists belongs to its creation, later it is sent by itself', () => {
  const early = step.edited(taken(), { title: 'My title' });
  expect(early).toMatchObject({ title: 'My title', titleOrigin: 'user', unsentEdit: null });
  const late = step.edited(step.edited({ ...taken(), announced: true }, { title: 'One' }), { tags: ['sea'] });
  expect(late.unsentEdit).toEqual({ title: 'One', tags: ['sea'] });
});

test('a file taken again replaces the first one', () => {
  let record = step.addFile(begun(), 'dom', { path: 'singlefile.html', mimetype: 'text/html', bytes: 10, digest });
  record = step.addFile(record, 'dom', { path: 'singlefile.html', mimetype: 'text/html', bytes: 7, digest });
  expect(bytesOf(record)).toBe(7);
});
