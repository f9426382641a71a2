import { createRoute, z, type OpenAPIHono } from '@hono/zod-openapi';
import { errorBodySchema } from '../../shared/protocol/requests.ts';
import type { AppEnv } from './dependencies.ts';

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

/** Publishes a route whose answer is no JSON: handled by hand, described like the others. */
export function describeBytes(
  app: OpenAPIHono<AppEnv>,
  route: { path: string; summary: string; params?: z.ZodObject; type: string },
): void {
  const { path, summary, params, type } = route;
  const content = { [type]: { schema: z.string().openapi({ format: 'binary' }) } };
  const responses = { ...responsesOf(z.unknown()), 200: { description: 'Done', content } };
  app.openAPIRegistry.registerPath({ method: 'get', path, summary, request: params ? { params } : {}, responses });
}

function responsesOf<Answer extends z.ZodType>(answer: Answer) {
  return {
    200: { description: 'Done', content: { 'application/json': { schema: answer } } },
    default: { description: 'Refused or failed', content: { 'application/json': { schema: errorBodySchema } } },
  } as const;
}
