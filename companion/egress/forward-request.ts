import http, { type Agent, type IncomingMessage, type ServerResponse } from 'node:http';
import { pipeline } from 'node:stream';
import { egressCodeHeader, egressReasonHeader } from '../../shared/plugin-contract/egress.ts';
import {
  type CheckedTarget,
  connectOptions,
  explainConnectError,
  idleTimeoutMs,
  limitConnecting,
} from './connection.ts';
import type { Refusal } from './resolve-target.ts';

const hopByHop = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/** Passes a plain http request on and streams the answer back, both untouched but for the headers of one hop. */
export function forwardRequest(
  request: IncomingMessage,
  response: ServerResponse,
  target: CheckedTarget & { path: string },
  agent: Agent,
): void {
  const outgoing = http.request({
    ...connectOptions(target),
    agent,
    method: request.method,
    path: target.path,
    headers: endToEndHeaders(request),
    setHost: false,
    timeout: idleTimeoutMs,
  });
  outgoing.on('socket', limitConnecting);
  outgoing.on('timeout', () => outgoing.destroy(Object.assign(new Error('idle'), { code: 'ETIMEDOUT' })));
  outgoing.on('response', (answer) => {
    response.writeHead(answer.statusCode ?? 502, answer.statusMessage, endToEndHeaders(answer));
    pipeline(answer, response, () => undefined); // Either side broke off: both ends are closed, which tells the other.
  });
  outgoing.on('error', (error: NodeJS.ErrnoException) => {
    if (response.headersSent) response.destroy();
    else if (isStaleConnection(request, outgoing, error)) forwardRequest(request, response, target, agent);
    else sendRefusal(response, explainConnectError(target, error));
  });
  response.on('close', () => outgoing.destroy());
  request.pipe(outgoing);
}

/** A kept connection that the server had closed meanwhile; a request without a body can simply be sent again. */
function isStaleConnection(
  request: IncomingMessage,
  outgoing: http.ClientRequest,
  error: NodeJS.ErrnoException,
): boolean {
  const hasBody = request.headers['content-length'] !== undefined || request.headers['transfer-encoding'] !== undefined;
  return outgoing.reusedSocket && error.code === 'ECONNRESET' && !hasBody;
}

/** Name and value by turns, as they were written, without those that concern one connection only. */
function endToEndHeaders(message: IncomingMessage): string[] {
  const named = (message.headers.connection ?? '').toLowerCase().split(/\s*,\s*/);
  const kept: string[] = [];
  for (let index = 0; index < message.rawHeaders.length; index += 2) {
    const name = message.rawHeaders[index] ?? '';
    const lower = name.toLowerCase();
    if (!hopByHop.has(lower) && !named.includes(lower)) kept.push(name, message.rawHeaders[index + 1] ?? '');
  }
  return kept;
}

const statuses: Record<Refusal['code'], number> = {
  bad_request: 400,
  refused: 403,
  offline: 403,
  not_found: 502,
  unreachable: 502,
  timed_out: 504,
};

/** Headers by which a hook knows that the proxy answered, not the site. */
export function refusalHeaders({ code, reason }: Refusal): Record<string, string> {
  return { [egressCodeHeader]: code, [egressReasonHeader]: encodeURIComponent(reason) };
}

export function refusalStatus({ code }: Refusal): number {
  return statuses[code];
}

export function sendRefusal(response: ServerResponse, refusal: Refusal): void {
  response
    .writeHead(refusalStatus(refusal), { ...refusalHeaders(refusal), 'Content-Type': 'text/plain; charset=utf-8' })
    .end(`${refusal.reason}\n`);
}
