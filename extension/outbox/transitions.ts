import type { WitnessKind } from '../../shared/model/states.ts';
import { newId } from '../../shared/model/ids.ts';
import type { CaptureEdit, CaptureRecord, CaptureStage, WitnessFile, WitnessRecord } from './capture-record.ts';
import { filesOf, NO_DOCUMENT } from './capture-record.ts';

/** Pure steps of a capture's life: record in, record out. An illegal step is a fault of ours and throws. */

export interface CaptureBeginning {
  url: string;
  title: string;
  at: number;
  tabId: number;
  documentKey: string;
  browserSession: string;
  closeTab: boolean;
  planned: WitnessKind[];
}

/** The page of a link is loaded in its tab: now it is known what the tab shows and what can be taken of it. */
export type OpenedLink = Pick<CaptureBeginning, 'url' | 'title' | 'documentKey' | 'planned'>;

export function beginCapture(from: CaptureBeginning): CaptureRecord {
  const id = newId(from.at);
  const { url, title, at, tabId, documentKey, browserSession, closeTab } = from;
  const witnesses = planWitnesses(from.planned);
  return {
    ...{ id, snapshotId: id, url, title, at, tabId, documentKey, browserSession, closeTab, witnesses },
    ...{ titleOrigin: 'browser', tags: [], note: '', stage: 'capturing', missing: [], thumbnail: '' },
    ...{ announced: false, unsentEdit: null, retry: { failures: 0, nextAt: 0, sentence: '' } },
  };
}

export function linkOpened(record: CaptureRecord, opened: OpenedLink): CaptureRecord {
  requireStage(record, ['capturing']);
  if (record.documentKey !== NO_DOCUMENT) throw new Error('the page of this link is known already');
  const { url, title, documentKey } = opened;
  // A title that the person typed meanwhile stays.
  const named = record.titleOrigin === 'user' ? record.title : title;
  return { ...record, url, title: named, documentKey, witnesses: planWitnesses(opened.planned) };
}

function planWitnesses(kinds: WitnessKind[]): WitnessRecord[] {
  return kinds.map((kind) => ({ kind, outcome: 'planned', note: '', files: [], reported: false }));
}

/** The taking goes on in another life of the background: files of witnesses that were cut off do not count. */
export function takenAnew(record: CaptureRecord): CaptureRecord {
  requireStage(record, ['capturing']);
  return {
    ...record,
    witnesses: record.witnesses.map((witness) => (witness.outcome === 'planned' ? { ...witness, files: [] } : witness)),
  };
}

/** A file is closed and was read again. A second file of the same path replaces the first. */
export function addFile(record: CaptureRecord, kind: WitnessKind, file: Omit<WitnessFile, 'confirmed'>): CaptureRecord {
  requireStage(record, ['capturing']);
  return changeWitness(record, kind, (witness) => ({
    ...witness,
    files: [...witness.files.filter((other) => other.path !== file.path), { ...file, confirmed: false }],
  }));
}

export function witnessKept(record: CaptureRecord, kind: WitnessKind, note: string): CaptureRecord {
  requireStage(record, ['capturing']);
  return changeWitness(record, kind, (witness) => {
    if (witness.files.length === 0) throw new Error(`the witness ${kind} has no file`);
    return { ...witness, outcome: 'kept', note };
  });
}

export function witnessMissing(
  record: CaptureRecord,
  kind: WitnessKind,
  outcome: 'failed' | 'skipped',
  note: string,
): CaptureRecord {
  requireStage(record, ['capturing']);
  return changeWitness(record, kind, (witness) => ({ ...witness, outcome, note, files: [] }));
}

export function addMissing(record: CaptureRecord, sentences: string[]): CaptureRecord {
  return { ...record, missing: [...new Set([...record.missing, ...sentences])] };
}

/** The taking is over. What was not taken counts as interrupted; facts alone are nothing of the page. */
export function captureTaken(record: CaptureRecord, interrupted: string): CaptureRecord {
  if (record.stage !== 'capturing') return record;
  const witnesses = record.witnesses.map((witness) =>
    witness.outcome === 'planned' ? { ...witness, outcome: 'failed' as const, note: interrupted, files: [] } : witness,
  );
  const something = witnesses.some((witness) => witness.outcome === 'kept' && witness.kind !== 'facts');
  return { ...record, witnesses, stage: something ? 'waiting' : 'empty' };
}

export function fileConfirmed(record: CaptureRecord, path: string): CaptureRecord {
  return {
    ...record,
    witnesses: record.witnesses.map((witness) => ({
      ...witness,
      files: witness.files.map((file) => (file.path === path ? { ...file, confirmed: true } : file)),
    })),
  };
}

export function witnessReported(record: CaptureRecord, kind: WitnessKind): CaptureRecord {
  return changeWitness(record, kind, (witness) => ({ ...witness, reported: true }));
}

/** Everything is on the companion's disk: only now may the bytes be forgotten. */
export function captureSent(record: CaptureRecord): CaptureRecord {
  requireStage(record, ['waiting']);
  const open = filesOf(record).find((file) => !file.confirmed);
  if (open) throw new Error(`${open.path} is not confirmed`);
  if (record.witnesses.some((witness) => !witness.reported)) throw new Error('a witness is not reported');
  return { ...record, stage: 'sent', retry: { failures: 0, nextAt: 0, sentence: '' } };
}

export function postponed(record: CaptureRecord, nextAt: number, sentence: string): CaptureRecord {
  return { ...record, retry: { failures: record.retry.failures + 1, nextAt, sentence } };
}

/** The companion said no for good: the person decides, nothing is lost. */
export function stopped(record: CaptureRecord, stage: 'deleted_there' | 'refused', sentence: string): CaptureRecord {
  return { ...record, stage, retry: { ...record.retry, nextAt: 0, sentence } };
}

/** Sends everything again as a new snapshot. */
export function sendAsNew(record: CaptureRecord, nowMs: number): CaptureRecord {
  requireStage(record, ['deleted_there', 'refused']);
  return {
    ...record,
    snapshotId: newId(nowMs),
    stage: 'waiting',
    announced: false,
    witnesses: record.witnesses.map((witness) => ({
      ...witness,
      reported: false,
      files: witness.files.map((file) => ({ ...file, confirmed: false })),
    })),
    retry: { failures: 0, nextAt: 0, sentence: '' },
  };
}

/**
 * The person does not want it. Witnesses that the companion waits for become failures, so that it stops waiting;
 * what it already has stays there.
 */
export function discarded(record: CaptureRecord, reason: string): CaptureRecord {
  const witnesses = record.witnesses.map((witness) =>
    witness.reported ? witness : { ...witness, outcome: 'failed' as const, note: reason, files: [] },
  );
  return { ...record, witnesses, stage: 'discarding', retry: { failures: 0, nextAt: 0, sentence: '' } };
}

export function edited(record: CaptureRecord, edit: CaptureEdit): CaptureRecord {
  return {
    ...record,
    title: edit.title ?? record.title,
    titleOrigin: edit.title === undefined ? record.titleOrigin : 'user',
    tags: edit.tags ?? record.tags,
    note: edit.note ?? record.note,
    // Before the companion knows the snapshot the edit simply belongs to its creation.
    unsentEdit: record.announced ? { ...record.unsentEdit, ...edit } : null,
  };
}

function changeWitness(
  record: CaptureRecord,
  kind: WitnessKind,
  change: (witness: WitnessRecord) => WitnessRecord,
): CaptureRecord {
  if (!record.witnesses.some((witness) => witness.kind === kind)) throw new Error(`no witness ${kind} is planned`);
  return {
    ...record,
    witnesses: record.witnesses.map((witness) => (witness.kind === kind ? change(witness) : witness)),
  };
}

function requireStage(record: CaptureRecord, stages: CaptureStage[]): void {
  if (!stages.includes(record.stage)) throw new Error(`a capture that is ${record.stage} cannot do this`);
}
