import { signal } from '@preact/signals';
import type { ErrorBody } from '../../../../shared/protocol/requests.ts';

/** A refusal of the companion, or its absence, in one sentence for the reader. */
export class RequestFailed extends Error {
  readonly code: string;
  constructor(sentence: string, code: string) {
    super(sentence);
    this.name = 'RequestFailed';
    this.code = code;
  }
}

/** True from the first answer that says nobody is signed in until the next sign-in. */
export const signedOut = signal(false);

interface Options {
  method?: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  query?: Record<string, string | number | boolean | undefined>;
  body?: unknown;
  signal?: AbortSignal;
  /** Finish even when the page goes away meanwhile. */
  keepalive?: boolean;
}

/**
 * Calls the companion's API with the reader's cookie and returns the JSON answer, undefined for an empty one.
 * @throws RequestFailed with what is wrong and what to do
 */
export async function request<Answer>(path: string, options: Options = {}): Promise<Answer> {
  const response = await send(path, options);
  const text = await response.text();
  if (response.ok) return (text === '' ? undefined : JSON.parse(text)) as Answer;
  if (response.status === 401) signedOut.value = true;
  throw refusal(response.status, text);
}

async function send(
  path: string,
  { method = 'GET', query, body, signal: abort, keepalive }: Options,
): Promise<Response> {
  try {
    return await fetch(path + queryString(query), {
      method,
      headers: { accept: 'application/json', ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
      body: body === undefined ? null : JSON.stringify(body),
      signal: abort ?? null,
      keepalive: keepalive ?? false,
      credentials: 'same-origin',
      redirect: 'error',
    });
  } catch (error) {
    if (abort?.aborted) throw error;
    throw new RequestFailed(
      'Holdfast on this computer does not answer. Start it with "npm start" or "holdfast serve"; this page goes on by itself then.',
      'not_running',
    );
  }
}

function queryString(query: Options['query'] = {}): string {
  const pairs = Object.entries(query).flatMap(([name, value]) =>
    value === undefined || value === '' ? [] : [[name, String(value)]],
  );
  return pairs.length === 0 ? '' : `?${new URLSearchParams(pairs).toString()}`;
}

function refusal(status: number, text: string): RequestFailed {
  try {
    const body = JSON.parse(text) as Partial<ErrorBody>;
    if (typeof body.detail === 'string') return new RequestFailed(body.detail, body.code ?? 'internal');
  } catch {
    // Not our envelope: another program or a crash; the status is all there is to say.
  }
  return new RequestFailed(
    `Holdfast answered with status ${status} and gave no reason. Its log says more.`,
    'internal',
  );
}

/**
 * The beginning of a text file, at most `bytesMax` bytes of it.
 * @throws RequestFailed
 */
export async function requestText(path: string, options: { bytesMax: number; signal?: AbortSignal }): Promise<string> {
  const response = await send(path, options.signal ? { signal: options.signal } : {});
  if (!response.ok) {
    if (response.status === 401) signedOut.value = true;
    throw refusal(response.status, await response.text());
  }
  const decoder = new TextDecoder();
  let text = '';
  let left = options.bytesMax;
  const reader = response.body?.getReader();
  while (reader && left > 0) {
    const { done, value } = await reader.read();
    if (done) break;
    text += decoder.decode(value.subarray(0, left), { stream: true });
    left -= value.length;
  }
  await reader?.cancel();
  return text;
}
