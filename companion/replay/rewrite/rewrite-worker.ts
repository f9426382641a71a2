import { parentPort } from 'node:worker_threads';
import { PageBytes } from './page-bytes.ts';
import type { RewriteReply, RewriteRequest } from './rewrite-thread.ts';

/** Rewrites pages in a thread of its own: a document of tens of megabytes inside an attribute is one step. */
const pages = new Map<number, PageBytes>();

function answer(request: RewriteRequest): Uint8Array<ArrayBuffer> | undefined {
  if (request.kind === 'open') pages.set(request.page, new PageBytes(request.context));
  else if (request.kind === 'piece') return pages.get(request.page)?.write(request.bytes);
  else if (request.kind === 'end') return pages.get(request.page)?.end();
  else pages.delete(request.page);
  return undefined;
}

parentPort?.on('message', (request: RewriteRequest) => {
  const bytes = answer(request);
  if (!bytes) return;
  const reply: RewriteReply = { page: request.page, bytes };
  parentPort?.postMessage(reply, [bytes.buffer]);
});
