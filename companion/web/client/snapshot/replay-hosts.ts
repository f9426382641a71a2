import { signal } from '@preact/signals';
import { probeAddress } from '../../../../shared/protocol/hosts.ts';
import type { ReplayOutput } from '../api/snapshots.ts';

/** A resolver that never answers must not keep a page from its reader, milliseconds. */
const PATIENCE_MS = 4000;

/** Whether names below `localhost` lead to the companion in this browser; undefined until the picture said so. */
export const namesResolve = signal<boolean | undefined>(undefined);

let asked = false;

/** Asks once per document, by one picture from a host of the kind that kept pages have. */
export function askWhetherNamesResolve(): void {
  if (asked) return;
  asked = true;
  const picture = new Image();
  const answer = (resolves: boolean) => () => {
    namesResolve.value ??= resolves;
  };
  picture.addEventListener('load', answer(true));
  picture.addEventListener('error', answer(false));
  setTimeout(answer(false), PATIENCE_MS);
  picture.src = probeAddress(Number(location.port === '' ? 80 : location.port));
}

/** Where the frame finds a kept copy: on its own host, or on the second port where such names do not resolve. */
export function frameAddress(output: ReplayOutput, resolves: boolean): string {
  return resolves ? output.url : (output.fallback_url ?? output.url);
}
