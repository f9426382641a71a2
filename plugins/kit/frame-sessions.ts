import type { CdpSession } from './cdp.ts';

/**
 * The session of a page and those of its frames that live in other processes, nested ones too. Attaching reports the
 * frames that exist before it answers.
 */
export async function frameSessions(page: CdpSession): Promise<CdpSession[]> {
  const found = [page];
  for (const session of found) {
    const stop = session.on('Target.attachedToTarget', ({ sessionId, targetInfo }) => {
      if (targetInfo.type === 'iframe') found.push(page.connection.session(sessionId));
    });
    await session.send('Target.setAutoAttach', { autoAttach: true, waitForDebuggerOnStart: false, flatten: true });
    stop();
  }
  return found;
}
