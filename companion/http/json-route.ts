import { createRoute, type z } from '@hono/zod-openapi';
import { errorBodySchema } from '../../shared/protocol/requests.ts';

type Method = 'get' | 'post' | 'patch' | 'delete';

/** A route with a JSON answer and the one error body, for the handlers and the published description alike. */
export function jsonRoute<
  Path extends string,
  Answer extends z.ZodType,
  Request extends { params?: z.ZodObject; query?: z.ZodObject },
>(method: Method, path: Path, summary: string, answer: Answer, request: Request) {
  return createRoute({ method, path, summary, request, responses: responsesOf(answer) });
}

/** The same with a JSON body, which is required and checked whatever content type the client names. */
export function jsonBodyRoute<
  Path extends string,
  Body extends z.ZodType,
  Answer extends z.ZodType,
  Request extends { params?: z.ZodObject; query?: z.ZodObject },
>(method: Method, path: Path, summary: string, body: Body, answer: Answer, request: Request) {
  const content = { 'application/json': { schema: body } };
  return createRoute({
    method,
    path,
    summary,
    request: { ...request, body: { content, required: true } },
    responses: responsesOf(answer),
  });
}

function responsesOf<Answer extends z.ZodType>(answer: Answer) {
  return {
    200: { description: 'Done', content: { 'application/json': { schema: answer } } },
    default: { description: 'Refused or failed', content: { 'application/json': { schema: errorBodySchema } } },
  } as const;
}
