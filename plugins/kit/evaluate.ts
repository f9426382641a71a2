import type { CdpSession } from './cdp.ts';
import { HookFailure } from './context.ts';

/**
 * Evaluates an expression in a world of ours beside the page's: it sees the same document, and the page's scripts can
 * neither see it nor have replaced what it uses. The value must be JSON. Promises are awaited.
 */
export async function evaluateApart<T>(session: CdpSession, expression: string): Promise<T> {
  const { contextId } = await openWorld(session);
  return evaluateIn<T>(session, contextId, expression);
}

/** Our world in the top frame of a session, or in the named one; the same again when it is there already. */
export async function openWorld(
  session: CdpSession,
  frameId?: string,
): Promise<{ frameId: string; contextId: number }> {
  const frame = frameId ?? (await session.send('Page.getFrameTree')).frameTree.frame.id;
  const { executionContextId } = await session.send('Page.createIsolatedWorld', {
    frameId: frame,
    worldName: 'holdfast',
  });
  return { frameId: frame, contextId: executionContextId };
}

export async function evaluateIn<T>(session: CdpSession, contextId: number, expression: string): Promise<T> {
  const { result, exceptionDetails } = await session.send('Runtime.evaluate', {
    expression,
    contextId,
    awaitPromise: true,
    returnByValue: true,
  });
  if (exceptionDetails) {
    const { exception, text } = exceptionDetails;
    throw new HookFailure(`a script in the page failed: ${exception?.description ?? text}`);
  }
  return result.value as T;
}
