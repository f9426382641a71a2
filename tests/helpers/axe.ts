import fs from 'node:fs';
import { createRequire } from 'node:module';
import type { AxeResults } from 'axe-core';
import type { Page } from 'puppeteer-core';

const source = fs.readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/**
 * What axe-core calls serious or critical on the page, each with the elements it is about. The pages' policy lets no
 * script in, so it runs beside the page's own world, where it sees the same document; frames of kept pages are the
 * pages' own affair and are left out.
 */
export async function seriousViolations(page: Page): Promise<string[]> {
  const session = await page.createCDPSession();
  const { frameTree } = await session.send('Page.getFrameTree');
  const { executionContextId } = await session.send('Page.createIsolatedWorld', { frameId: frameTree.frame.id });
  const run = `${source};axe.run(document, { iframes: false, resultTypes: ['violations'] })`;
  const answer = await session.send('Runtime.evaluate', {
    expression: run,
    contextId: executionContextId,
    awaitPromise: true,
    returnByValue: true,
  });
  await session.detach();
  if (answer.exceptionDetails) throw new Error(`axe-core failed: ${JSON.stringify(answer.exceptionDetails)}`);
  const { violations } = answer.result.value as AxeResults;
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html).join(' | ')}`);
}
