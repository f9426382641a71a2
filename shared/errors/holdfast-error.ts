/**
 * An operating failure with a stable code. The message is one sentence for a person: what is wrong and what to do.
 * Transport (status, exit code) is decided in one place per transport, never here.
 */
export class HoldfastError extends Error {
  readonly code: ErrorCode;
  /** Facts a program may act on, for example `received` of an upload. */
  readonly details: Readonly<Record<string, unknown>>;

  constructor(code: ErrorCode, message: string, options: { details?: Record<string, unknown>; cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'HoldfastError';
    this.code = code;
    this.details = options.details ?? {};
  }
}

/** All codes with the HTTP status the reference envelopes give them. */
export const errorStatuses = {
  bad_request: 400,
  invalid_url: 400,
  invalid_path: 400,
  invalid_plugin: 400,
  own_address: 400,
  refused_address: 400,
  unauthenticated: 401,
  wrong_code: 401,
  code_expired: 401,
  revoked: 401,
  forbidden: 403,
  forbidden_origin: 403,
  not_found: 404,
  conflict: 409,
  gap: 409,
  content_differs: 409,
  send_bytes: 409,
  changed_meanwhile: 409,
  illegal_transition: 409,
  superseded: 409,
  deleted: 410,
  too_large: 413,
  too_many_files: 413,
  snapshot_full: 413,
  wrong_host: 421,
  digest_mismatch: 422,
  unprocessable: 422,
  version_mismatch: 426,
  too_many_attempts: 429,
  internal: 500,
  busy: 503,
  disk_full: 507,
} as const satisfies Record<string, number>;

export type ErrorCode = keyof typeof errorStatuses;

export function isHoldfastError(value: unknown): value is HoldfastError {
  return value instanceof Error && value.name === 'HoldfastError' && 'code' in value;
}
