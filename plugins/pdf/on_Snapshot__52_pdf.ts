import type { CdpSession } from '../kit/cdp.ts';
import { succeeded } from '../kit/context.ts';
import { defineHook } from '../kit/define-hook.ts';
import { withRenderedPage } from '../kit/rendered-page.ts';
import { runAsProgram } from '../kit/run-as-program.ts';

/** The page as it would be printed, with its links: from the kept copy with the network refused, or the live tab. */
export const main = defineHook((hook) =>
  withRenderedPage(hook, async ({ session, copyName }) => {
    await hook.write('output.pdf', await print(session));
    return succeeded('output.pdf', { rendered_from: copyName ?? null });
  }),
);

async function print(session: CdpSession): Promise<Buffer> {
  const { stream } = await session.send('Page.printToPDF', {
    printBackground: true,
    preferCSSPageSize: true,
    generateDocumentOutline: true,
    transferMode: 'ReturnAsStream',
  });
  const handle = stream ?? '';
  const chunks: Buffer[] = [];
  for (let isEnd = false; !isEnd;) {
    const { data, base64Encoded, eof } = await session.send('IO.read', { handle, size: 4 * 1024 * 1024 });
    chunks.push(Buffer.from(data, base64Encoded ? 'base64' : 'utf8'));
    isEnd = eof;
  }
  await session.send('IO.close', { handle });
  return Buffer.concat(chunks);
}

await runAsProgram(import.meta.url, main);
