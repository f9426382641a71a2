import { isHoldfastError } from '../../shared/errors/holdfast-error.ts';

/** The one mapping from errors to exit codes: 2 for what the caller must change, 1 for what failed. */
export function exitCodeOf(error: unknown): number {
  if (!isHoldfastError(error)) return 1;
  return ['bad_request', 'invalid_url', 'invalid_path', 'invalid_plugin', 'own_address', 'refused_address'].includes(error.code) ? 2 : 1;
}

/** One sentence for a person. */
export function explainError(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
