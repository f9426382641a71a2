import { constants } from 'node:os';
import { isHoldfastError, type ErrorCode } from '../../shared/errors/holdfast-error.ts';

/** Thrown by a command that a signal ended; the shell learns of it by 128 + the signal's number. */
export class EndedBySignal extends Error {
  readonly signal: NodeJS.Signals;

  constructor(signal: NodeJS.Signals) {
    super(`Ended by ${signal}.`);
    this.name = 'EndedBySignal';
    this.signal = signal;
  }
}

/** What the person typed is wrong; trying again with the same words cannot help. */
const usageCodes = new Set<ErrorCode>([
  'bad_request',
  'invalid_url',
  'invalid_path',
  'invalid_plugin',
  'own_address',
  'refused_address',
  'unprocessable',
]);

/** The one mapping from errors to exit codes: 1 failure, 2 wrong use, 3 other version, 128 + n ended by signal n. */
export function exitCodeOf(error: unknown): number {
  if (error instanceof EndedBySignal) return 128 + constants.signals[error.signal];
  if (!isHoldfastError(error)) return 1;
  if (error.code === 'version_mismatch') return 3;
  return usageCodes.has(error.code) ? 2 : 1;
}

/** Failures of the system as a sentence, by their code. */
const systemSentences: Record<string, string> = {
  EACCES: 'is not allowed for you; look at its owner and permissions',
  EPERM: 'is not allowed for you; look at its owner and permissions',
  EROFS: 'lies on a disk that can only be read',
  ENOENT: 'does not exist',
  ENOTDIR: 'is a file where a folder is needed; name another data folder',
  ENOSPC: 'lies on a full disk; free some space and try again',
  EMFILE: 'cannot be opened because too many files are open',
};

/** One sentence for a person: what is wrong and what to do. HOLDFAST_DEBUG adds where it happened. */
export function explainError(error: unknown): string {
  const trace = process.env['HOLDFAST_DEBUG'] && error instanceof Error ? `\n${error.stack}` : '';
  return sentenceOf(error) + trace;
}

function sentenceOf(error: unknown): string {
  if (isHoldfastError(error) || error instanceof EndedBySignal) return error.message;
  if (!(error instanceof Error)) return `Holdfast failed: ${String(error)}`;
  const { code, path } = error as NodeJS.ErrnoException;
  const known = code === undefined ? undefined : systemSentences[code];
  if (known !== undefined && path !== undefined) return `${path} ${known}.`;
  const detail = error.message.split('\n')[0];
  return `Holdfast failed: ${detail} (with HOLDFAST_DEBUG=1 it tells where; "holdfast doctor" looks for causes)`;
}
