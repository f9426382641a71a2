import type { CdpSession } from '../kit/cdp.ts';
import type { Hook } from '../kit/define-hook.ts';
import { evaluateIn, openWorld } from '../kit/evaluate.ts';
import { frameSessions } from '../kit/frame-sessions.ts';
import { callWithNodes, findShadowRoots } from '../kit/shadow-roots.ts';
import { answerFetches } from './answer-fetches.ts';
import type { CaptureReport } from './page/page-functions.ts';

interface PreparedFrame {
  session: CdpSession;
  contextId: number;
}

/** Scripts into our world of every frame, then the big one into the top frame, then the capture. */
export async function captureSingleFile(
  hook: Hook,
  top: CdpSession,
  scripts: { frame: string; main: string },
  options: { removeFrames: boolean; deadlineMs: number },
): Promise<CaptureReport & { framesSeen: number; framesReached: number }> {
  const sessions = options.removeFrames ? [top] : await frameSessions(top);
  const prepared: PreparedFrame[] = [];
  let framesSeen = 0;
  for (const session of sessions) {
    const frames = await listFrames(session);
    framesSeen += frames.length;
    prepared.push(...(await prepareFrames(hook, session, frames, scripts.frame)));
  }
  const { contextId } = await openWorld(top);
  const stopAnswering = await answerFetches(hook, top, contextId);
  try {
    await evaluateIn(top, contextId, `${scripts.main}\n;undefined`);
    const report = await evaluateIn<CaptureReport>(top, contextId, `holdfastCapture(${JSON.stringify(options)})`);
    return { ...report, framesSeen, framesReached: prepared.length };
  } finally {
    stopAnswering();
    await Promise.allSettled(
      prepared.map((frame) => evaluateIn(frame.session, frame.contextId, 'holdfastRestoreFrame()')),
    );
  }
}

async function listFrames(session: CdpSession): Promise<string[]> {
  type Tree = Awaited<ReturnType<typeof treeOf>>;
  const treeOf = async () => (await session.send('Page.getFrameTree')).frameTree;
  const ids = (tree: Tree): string[] => [tree.frame.id, ...(tree.childFrames ?? []).flatMap(ids)];
  return ids(await treeOf());
}

async function prepareFrames(
  hook: Hook,
  session: CdpSession,
  frames: readonly string[],
  script: string,
): Promise<PreparedFrame[]> {
  const roots = await findShadowRoots(session);
  const prepared: PreparedFrame[] = [];
  for (const frameId of frames) {
    try {
      const { contextId } = await openWorld(session, frameId);
      await evaluateIn(session, contextId, `${script}\n;undefined`);
      await callWithNodes(session, contextId, '(...roots) => holdfastPrepareFrame(...roots)', roots.get(frameId) ?? []);
      prepared.push({ session, contextId });
    } catch (error) {
      // A frame that cannot be scripted must not cost the page; it is counted as not reached.
      hook.log(`a frame could not be prepared: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  return prepared;
}
