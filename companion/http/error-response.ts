import type { Context } from 'hono';
import { HTTPException } from 'hono/http-exception';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import { errorStatuses, HoldfastError, isHoldfastError, type ErrorCode } from '../../shared/errors/holdfast-error.ts';
import type { ErrorBody } from '../../shared/protocol/requests.ts';
import { mapSqliteError } from '../collection/database.ts';
import type { Logger } from '../log/logger.ts';
import type { AppEnv } from './dependencies.ts';

/** The one mapping from errors to answers. What is unknown becomes a bare 500; its details stand in the log. */
export function errorResponse(thrown: Error, c: Context<AppEnv>, log: Logger): Response {
  const mapped = mapSqliteError(thrown);
  const requestId = c.get('requestId') ?? '';
  if (isHoldfastError(mapped)) {
    if (mapped.code === 'internal') log.error({ requestId, err: mapped }, 'request failed');
    return answer(c, mapped, requestId);
  }
  if (mapped instanceof HTTPException) {
    const code: ErrorCode = mapped.status === 404 ? 'not_found' : 'bad_request';
    return answer(c, new HoldfastError(code, `The request is not understood: ${mapped.message}.`), requestId);
  }
  log.error({ requestId, err: mapped, path: c.req.path }, 'request failed');
  const sentence = `Holdfast could not do this; the log names the reason under ${requestId}.`;
  return answer(c, new HoldfastError('internal', sentence), requestId);
}

function answer(c: Context<AppEnv>, error: HoldfastError, requestId: string): Response {
  const body: ErrorBody = { detail: error.message, code: error.code, request_id: requestId };
  if (Object.keys(error.details).length > 0) body.details = { ...error.details };
  if (error.code === 'busy' || error.code === 'too_many_attempts') c.header('Retry-After', '5');
  return c.json(body, errorStatuses[error.code] as ContentfulStatusCode);
}
