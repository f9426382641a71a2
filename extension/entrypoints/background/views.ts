import { countPhrase, sizePhrase } from '../../../shared/words/amounts.ts';
import type { WitnessKind } from '../../../shared/model/states.ts';
import type {
  CaptureAction,
  CapturePhase,
  CaptureView,
  OutboxTotals,
  WitnessView,
} from '../../messaging/view-model.ts';
import { bytesOf, confirmedBytesOf, filesOf, holdsBytes } from '../../outbox/capture-record.ts';
import type { CaptureRecord, WitnessRecord } from '../../outbox/capture-record.ts';

export interface ViewFacts {
  /** Bytes the companion has, while this capture is being sent. */
  progress: number | undefined;
  /** Address of the library, when it is known. */
  libraryUrl: string | undefined;
}

const labels: Record<WitnessKind, string> = {
  dom: 'Page',
  mhtml: 'Web archive',
  screenshot: 'Picture',
  facts: 'Facts',
  file: 'File',
};

/** What the pages show of one capture. */
export function viewCapture(record: CaptureRecord, facts: ViewFacts): CaptureView {
  const phase = phaseOf(record, facts.progress);
  const copy = record.announced && facts.libraryUrl !== undefined;
  return {
    id: record.id,
    url: record.url,
    title: record.title,
    titleOrigin: record.titleOrigin,
    tags: record.tags,
    note: record.note,
    at: record.at,
    phase,
    uploaded: record.witnesses.filter((witness) => witness.reported && witness.outcome === 'kept').length,
    planned: record.witnesses.length,
    bytes: bytesOf(record),
    bytesSent: facts.progress ?? confirmedBytesOf(record),
    sentence: sentenceFor(record, phase, facts.progress),
    missing: missingOf(record),
    witnesses: record.witnesses.map((witness) => viewWitness(witness, record)),
    actions: actionsFor(record, phase, copy),
    ...(record.thumbnail === '' ? {} : { thumbnailUrl: record.thumbnail }),
    ...(copy ? { openUrl: snapshotUrl(facts.libraryUrl ?? '', record.snapshotId) } : {}),
  };
}

export function totalsOf(records: CaptureRecord[]): OutboxTotals {
  const held = records.filter(holdsBytes);
  return { count: held.length, bytes: held.reduce((sum, record) => sum + bytesOf(record), 0) };
}

export function snapshotUrl(libraryUrl: string, snapshotId: string): string {
  return new URL(`/snapshot/${snapshotId}`, libraryUrl).href;
}

function phaseOf(record: CaptureRecord, progress: number | undefined): CapturePhase {
  switch (record.stage) {
    case 'capturing':
      return 'capturing';
    case 'sent':
      return 'kept_on_disk';
    case 'empty':
    case 'discarding':
      return 'failed';
    case 'deleted_there':
    case 'refused':
      return 'needs_you';
    case 'waiting':
      return progress === undefined ? 'kept_in_browser' : 'uploading';
  }
}

function sentenceFor(record: CaptureRecord, phase: CapturePhase, progress: number | undefined): string {
  const kept = record.witnesses.filter((witness) => witness.outcome === 'kept');
  const size = sizePhrase(bytesOf(record));
  switch (phase) {
    case 'capturing':
      return `Keeping the page: ${kept.length} of ${countPhrase(record.witnesses.length, 'capture')} taken.`;
    case 'uploading':
      return `Sending to Holdfast: ${sizePhrase(progress ?? 0)} of ${size}.`;
    case 'kept_on_disk':
      return `Kept on disk. ${countPhrase(kept.length, 'capture')}, ${size}.`;
    case 'kept_in_browser':
      return record.retry.sentence === ''
        ? `Kept in this browser, waiting to be sent. ${size}.`
        : record.retry.sentence;
    case 'needs_you':
      return record.retry.sentence;
    case 'failed':
      return `Nothing of this page could be kept. ${failureOf(record)}`.trim();
  }
}

function failureOf(record: CaptureRecord): string {
  const failed = record.witnesses.find((witness) => witness.outcome === 'failed' && witness.kind !== 'facts');
  return failed?.note ?? '';
}

function missingOf(record: CaptureRecord): string[] {
  const failed = record.witnesses
    .filter((witness) => witness.outcome === 'failed' || witness.outcome === 'skipped')
    .map((witness) => `${labels[witness.kind]}: ${witness.note}`);
  return [...new Set([...record.missing, ...failed])];
}

function viewWitness(witness: WitnessRecord, record: CaptureRecord): WitnessView {
  const { kind, outcome, note, files, reported } = witness;
  const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
  const open = record.stage === 'capturing' && outcome === 'planned';
  const state = open ? 'planned' : outcome === 'kept' ? (reported ? 'uploaded' : 'kept') : 'failed';
  return { kind, label: labels[kind], state, bytes, note };
}

function actionsFor(record: CaptureRecord, phase: CapturePhase, copy: boolean): CaptureAction[] {
  const open: CaptureAction[] = copy && phase === 'kept_on_disk' ? ['open'] : [];
  switch (phase) {
    case 'capturing':
      return ['cancel', 'edit'];
    case 'kept_in_browser':
      return ['retry', 'discard', 'edit', 'keep_again'];
    case 'uploading':
      return ['discard', 'edit'];
    case 'kept_on_disk':
      return [...open, 'keep_again', 'edit'];
    case 'needs_you':
      return filesOf(record).length > 0 ? ['send_as_new', 'discard'] : ['discard'];
    case 'failed':
      return ['keep_again', 'discard'];
  }
}
