import type { Protocol } from 'devtools-protocol';
import type { CdpSession } from './cdp.ts';

/** Shadow roots of the documents that one session sees, by the frame they are in; open, closed and nested ones. */
export async function findShadowRoots(session: CdpSession): Promise<Map<string, number[]>> {
  const { frameTree } = await session.send('Page.getFrameTree');
  const { root } = await session.send('DOM.getDocument', { depth: -1, pierce: true });
  const found = new Map<string, number[]>();
  collect(root, frameTree.frame.id, found);
  return found;
}

function collect(node: Protocol.DOM.Node, frame: string, found: Map<string, number[]>): void {
  for (const root of node.shadowRoots ?? []) {
    if (root.shadowRootType !== 'user-agent') found.set(frame, [...(found.get(frame) ?? []), root.backendNodeId]);
    collect(root, frame, found);
  }
  for (const child of node.children ?? []) collect(child, frame, found);
  // Of a frame's element `frameId` names the frame inside.
  if (node.contentDocument) collect(node.contentDocument, node.frameId ?? frame, found);
}

/** Calls a function in a world with the nodes as its arguments and answers what it returns. */
export async function callWithNodes<T>(
  session: CdpSession,
  contextId: number,
  functionText: string,
  backendNodeIds: readonly number[],
): Promise<T> {
  const objects = await Promise.all(
    backendNodeIds.map((backendNodeId) =>
      session.send('DOM.resolveNode', { backendNodeId, executionContextId: contextId }),
    ),
  );
  const { result, exceptionDetails } = await session.send('Runtime.callFunctionOn', {
    functionDeclaration: functionText,
    executionContextId: contextId,
    arguments: objects.map(({ object }) => ({ objectId: object.objectId })),
    returnByValue: true,
    awaitPromise: true,
  });
  if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
  return result.value as T;
}
