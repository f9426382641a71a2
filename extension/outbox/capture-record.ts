import type { Digest } from '../../shared/digest/digest.ts';
import type { WitnessKind } from '../../shared/model/states.ts';

/** One file of a witness: closed, read again, and its digest known. */
export interface WitnessFile {
  path: string;
  mimetype: string;
  bytes: number;
  digest: Digest;
  /** The companion recorded exactly these bytes. */
  confirmed: boolean;
}

/**
 * - `planned`: not taken yet
 * - `kept`: every file of it is in the outbox
 * - `failed`, `skipped`: will not come, `note` says why
 */
export type WitnessOutcome = 'planned' | 'kept' | 'failed' | 'skipped';

export interface WitnessRecord {
  kind: WitnessKind;
  outcome: WitnessOutcome;
  note: string;
  files: WitnessFile[];
  /** The companion knows the outcome: all files confirmed, or the failure reported. */
  reported: boolean;
}

/**
 * - `capturing`: witnesses are being taken
 * - `waiting`: complete here, to be sent
 * - `sent`: everything confirmed, bytes forgotten
 * - `empty`: nothing of the page could be kept
 * - `deleted_there`, `refused`: the companion said no; the person decides
 * - `discarding`: the person discarded it; the companion has to be told
 */
export type CaptureStage = 'capturing' | 'waiting' | 'sent' | 'empty' | 'deleted_there' | 'refused' | 'discarding';

export interface CaptureEdit {
  title?: string;
  tags?: string[];
  note?: string;
}

/** Stands in a record for the tab and the document of a link that is not opened yet. */
export const NO_TAB = -1;
export const NO_DOCUMENT = '';

/** One click on one document. Written before the first witness is taken; survives everything. */
export interface CaptureRecord {
  id: string;
  /** The companion's snapshot; another one after "keep it again". */
  snapshotId: string;
  url: string;
  title: string;
  titleOrigin: 'browser' | 'user';
  tags: string[];
  note: string;
  /** Time of the click, milliseconds UTC. */
  at: number;
  tabId: number;
  documentKey: string;
  /** Tab ids mean something only in the session of the browser they are from. */
  browserSession: string;
  /** The tab was opened by us for this capture and is closed when the taking is over. */
  closeTab: boolean;
  stage: CaptureStage;
  witnesses: WitnessRecord[];
  /** One sentence for each thing that could not be kept. */
  missing: string[];
  /** Small picture as a `data:` address, or empty. */
  thumbnail: string;
  /** The snapshot exists on the companion. */
  announced: boolean;
  /** Changes by the person that the companion does not have yet. */
  unsentEdit: CaptureEdit | null;
  retry: { failures: number; nextAt: number; sentence: string };
}

export function bytesOf(record: CaptureRecord): number {
  return filesOf(record).reduce((sum, file) => sum + file.bytes, 0);
}

export function confirmedBytesOf(record: CaptureRecord): number {
  return filesOf(record).reduce((sum, file) => sum + (file.confirmed ? file.bytes : 0), 0);
}

export function filesOf(record: CaptureRecord): WitnessFile[] {
  return record.witnesses.flatMap((witness) => witness.files);
}

/** Whether this browser still holds bytes of it. */
export function holdsBytes(record: CaptureRecord): boolean {
  return record.stage !== 'sent' && record.stage !== 'empty' && record.stage !== 'discarding';
}
