import type { WitnessKind } from '../../shared/model/states.ts';

/**
 * What popup, options and outbox page render. The background makes these from its records; pages only draw them.
 * Sentences are whole and ready to show; nothing in them is markup. Times are milliseconds UTC, sizes bytes.
 */

/**
 * - `unpaired`: no pairing yet, or it was taken back in this browser
 * - `connected`: the companion proved itself in this session
 * - `not_running`: nobody answers on the address
 * - `stranger`: another program answers, or one that cannot prove that it is the paired companion
 * - `revoked`: the companion no longer accepts this browser's token
 * - `other_version`: its protocol is not ours
 */
export type ConnectionKind = 'unpaired' | 'connected' | 'not_running' | 'stranger' | 'revoked' | 'other_version';

export interface ConnectionView {
  kind: ConnectionKind;
  /** What is so, why, and what to do. */
  sentence: string;
  /** Address of the library's web UI, when it is known. */
  libraryUrl?: string;
  /** Version of the companion, when it answered. */
  version?: string;
}

export interface TabView {
  id: number;
  url: string;
  title: string;
  /** False on pages of Holdfast itself and on those without an address of their own. */
  keepable: boolean;
  /** Why it cannot be kept, or why less than usual can be kept. */
  why?: string;
}

/**
 * - `capturing`: witnesses are being taken
 * - `kept_in_browser`: bytes are in the outbox, closed and read again; waiting to be sent
 * - `uploading`: bytes are on their way
 * - `kept_on_disk`: the companion confirmed every digest; the browser has forgotten its copy
 * - `needs_you`: kept in this browser, but only the person can decide what happens next (deleted there, disk full)
 * - `failed`: nothing of the page could be kept
 */
export type CapturePhase = 'capturing' | 'kept_in_browser' | 'uploading' | 'kept_on_disk' | 'needs_you' | 'failed';

export type WitnessState = 'planned' | 'taking' | 'kept' | 'uploaded' | 'failed';

export interface WitnessView {
  kind: WitnessKind;
  /** Word for people: "Page", "Web archive (MHTML)", "Picture", "Facts". */
  label: string;
  state: WitnessState;
  bytes: number;
  /** Why it failed, or what is special about it; empty when there is nothing to say. */
  note: string;
}

/** What may be asked for this capture now; a page shows exactly these. */
export type CaptureAction = 'keep_again' | 'send_as_new' | 'retry' | 'discard' | 'cancel' | 'open' | 'edit';

export interface CaptureView {
  id: string;
  url: string;
  title: string;
  titleOrigin: 'browser' | 'user';
  tags: string[];
  note: string;
  at: number;
  phase: CapturePhase;
  /** Witnesses whose digests the companion confirmed, of `planned`. */
  uploaded: number;
  planned: number;
  /** Size of everything kept, and how much of it the companion has. */
  bytes: number;
  bytesSent: number;
  /** The line of truth. */
  sentence: string;
  /** One sentence for each thing that could not be kept. */
  missing: string[];
  witnesses: WitnessView[];
  actions: CaptureAction[];
  /** Small picture as a `data:` address. */
  thumbnailUrl?: string;
  /** Address of the kept copy in the library. */
  openUrl?: string;
}

export interface OutboxTotals {
  /** Captures that still hold bytes in this browser. */
  count: number;
  bytes: number;
}

export interface PermissionsView {
  /** True when frames of other hosts, MHTML and "Save link" are allowed. */
  full: boolean;
  /** What is missing because of it; empty when full. */
  sentence: string;
}

export interface PopupState {
  connection: ConnectionView;
  tab: TabView | null;
  /** The running or newest capture of this tab and document. */
  current: CaptureView | null;
  /** Earlier captures of this address from this browser, newest first. */
  versions: CaptureView[];
  /** Newest captures of any page, newest first. */
  recent: CaptureView[];
  outbox: OutboxTotals;
  permissions: PermissionsView;
}

export interface OptionsState {
  connection: ConnectionView;
  /** Host and port of the companion, for example `127.0.0.1:8745`. */
  companionAddress: string;
  /** What both sides show after pairing; empty before. */
  fingerprint: string;
  permissions: PermissionsView;
  outbox: OutboxTotals;
  /** Keyboard shortcut of "keep this page"; empty when none is set. */
  shortcut: string;
  extensionVersion: string;
}

export interface OutboxState {
  connection: ConnectionView;
  /** Everything that still holds bytes here or needs the person, newest first. */
  waiting: CaptureView[];
  /** What is on the companion's disk, newest first. */
  done: CaptureView[];
  outbox: OutboxTotals;
}
