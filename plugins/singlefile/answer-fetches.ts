import type { CdpSession } from '../kit/cdp.ts';
import type { Hook } from '../kit/define-hook.ts';
import { evaluateIn } from '../kit/evaluate.ts';
import type { FetchAnswer } from './page/page-functions.ts';

const nothing: FetchAnswer = { status: 0, contentType: '', base64: '' };
const readBytes = 4 * 1024 * 1024;

/**
 * Loads for the script in the page what the page may not read: through the browser, so with the page's cookies, the
 * browser's cache and the same proxy. Answers the function that stops it.
 */
export async function answerFetches(hook: Hook, session: CdpSession, contextId: number): Promise<() => void> {
  const { frameTree } = await session.send('Page.getFrameTree');
  await session.send('Runtime.enable');
  await session.send('Runtime.addBinding', { name: 'holdfastFetch', executionContextName: 'holdfast' });
  return session.on('Runtime.bindingCalled', ({ name, payload, executionContextId }) => {
    if (name !== 'holdfastFetch' || executionContextId !== contextId) return;
    const { id, url } = JSON.parse(payload) as { id: number; url: string };
    load(session, frameTree.frame.id, url)
      .catch((error: unknown) => {
        hook.log(`${url.slice(0, 200)}: ${String(error)}`);
        return nothing;
      })
      .then((answer) => evaluateIn(session, contextId, `holdfastAnswer(${id}, ${JSON.stringify(answer)})`))
      .catch((error: unknown) => hook.log(`the page went away while it was being kept: ${String(error)}`));
  });
}

async function load(session: CdpSession, frameId: string, url: string): Promise<FetchAnswer> {
  if (!/^https?:/i.test(url)) return nothing;
  const { resource } = await session.send('Network.loadNetworkResource', {
    frameId,
    url,
    options: { disableCache: false, includeCredentials: true },
  });
  const { stream: handle, httpStatusCode, headers } = resource;
  if (!resource.success || handle === undefined) return { ...nothing, status: httpStatusCode ?? 0 };
  const chunks: Buffer[] = [];
  for (let isEnd = false; !isEnd;) {
    const { data, base64Encoded, eof } = await session.send('IO.read', { handle, size: readBytes });
    chunks.push(Buffer.from(data, base64Encoded ? 'base64' : 'utf8'));
    isEnd = eof;
  }
  await session.send('IO.close', { handle });
  const contentType = Object.entries(headers ?? {}).find(([name]) => name.toLowerCase() === 'content-type')?.[1];
  return {
    status: httpStatusCode ?? 200,
    contentType: typeof contentType === 'string' ? contentType : '',
    base64: Buffer.concat(chunks).toString('base64'),
  };
}
