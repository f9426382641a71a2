import type { CaptureAction, CapturePhase, CaptureView, PopupState, WitnessView } from '../messaging/view-model.ts';
import { sizePhrase } from '../../shared/words/amounts.ts';

/** Shape beside the line of truth, so that colour is never alone. */
export const phaseGlyphs: Record<CapturePhase, string> = {
  capturing: '◐',
  kept_in_browser: '○',
  uploading: '↑',
  kept_on_disk: '✓',
  needs_you: '!',
  failed: '!',
};

export const actionLabels: Record<ButtonAction, string> = {
  keep_again: 'Keep again',
  send_as_new: 'Send it again',
  retry: 'Send now',
  discard: 'Discard',
  cancel: 'Stop here',
  open: 'Open kept copy',
};

/** What the one primary button does. `keep` and `pair` are no acts on a capture. */
export type PrimaryAction = 'keep' | 'pair' | Exclude<CaptureAction, 'edit' | 'discard' | 'cancel'>;

/** What a button can do to a capture; editing has fields of its own. */
export type ButtonAction = Exclude<CaptureAction, 'edit'>;

export const primaryLabels: Record<PrimaryAction, string> = {
  keep: 'Keep this page',
  pair: 'Connect',
  keep_again: actionLabels.keep_again,
  send_as_new: actionLabels.send_as_new,
  retry: actionLabels.retry,
  open: actionLabels.open,
};

/** In the order in which they are the next sensible act. */
const primaryOrder = ['open', 'send_as_new', 'retry', 'keep_again'] as const;

/** The next sensible act for the tab; undefined while there is nothing to do but wait. */
export function primaryAction(state: PopupState): PrimaryAction | undefined {
  const { tab, current, connection } = state;
  if (!current) return tab?.keepable ? 'keep' : undefined;
  const apart = connection.kind === 'unpaired' || connection.kind === 'revoked';
  if (apart && (current.phase === 'kept_in_browser' || current.phase === 'kept_on_disk')) return 'pair';
  return primaryOrder.find((action) => current.actions.includes(action));
}

/** The acts that remain beside the primary one, the one that loses something last. */
export function otherActions(capture: CaptureView, primary: PrimaryAction | undefined): ButtonAction[] {
  const rest = capture.actions.filter((action): action is ButtonAction => action !== 'edit' && action !== primary);
  // Nothing can be sent before the browser is connected.
  const possible = primary === 'pair' ? rest.filter((action) => action !== 'retry') : rest;
  return possible.toSorted((a, b) => Number(a === 'discard') - Number(b === 'discard'));
}

/** How far a capture is, where a total is known. */
export interface Progress {
  done: number;
  total: number;
  /** For people who do not see the bar. */
  text: string;
}

export function progressOf(capture: CaptureView): Progress | undefined {
  if (capture.phase === 'capturing') {
    const settled = capture.witnesses.filter((witness) => witness.state !== 'planned' && witness.state !== 'taking');
    const total = capture.witnesses.length;
    return total === 0 ? undefined : { done: settled.length, total, text: `${settled.length} of ${total} taken` };
  }
  if (capture.phase !== 'uploading' || capture.bytes === 0) return undefined;
  const done = Math.min(capture.bytesSent, capture.bytes);
  return { done, total: capture.bytes, text: `${sizePhrase(done)} of ${sizePhrase(capture.bytes)} sent` };
}

/** The line of truth; shorter where the page already says why the capture waits. */
export function truthPhrase(capture: CaptureView, alreadySaid: string): string {
  if (capture.phase !== 'kept_in_browser' || capture.sentence !== alreadySaid) return capture.sentence;
  return `Kept in this browser, waiting for Holdfast. ${sizePhrase(capture.bytes)}.`;
}

/** One witness in a few words. */
export function witnessPhrase(witness: WitnessView): string {
  switch (witness.state) {
    case 'planned':
      return 'to be taken';
    case 'taking':
      return 'being taken';
    case 'kept':
      return `kept in this browser, ${sizePhrase(witness.bytes)}`;
    case 'uploaded':
      return `kept on disk, ${sizePhrase(witness.bytes)}`;
    case 'failed':
      return witness.note === '' ? 'not kept' : `not kept: ${witness.note}`;
  }
}

/** What to call a page: its title, else its address without the scheme. */
export function pageName(page: { title: string; url: string }): string {
  const title = page.title.trim();
  return title === '' ? page.url.replace(/^https?:\/\/(www\.)?/i, '') : title;
}

/** Host of an address; the address itself where it has none. */
export function hostOf(url: string): string {
  const host = URL.canParse(url) ? new URL(url).host.replace(/^www\./, '') : '';
  return host === '' ? url : host;
}

/** Tags as a person types them: by commas, each once whatever its case, the first spelling kept. */
export function parseTags(text: string): string[] {
  const tags = new Map<string, string>();
  for (const part of text.split(/[,،、]/)) {
    const name = part.trim().replace(/\s+/g, ' ');
    if (name !== '' && !tags.has(name.toLowerCase())) tags.set(name.toLowerCase(), name);
  }
  return [...tags.values()];
}
