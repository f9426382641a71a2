import { noResults, succeeded } from '../kit/context.ts';
import { defineHook, type Hook } from '../kit/define-hook.ts';
import { evaluateApart } from '../kit/evaluate.ts';
import { findTitle } from '../kit/html-document.ts';
import { findHtmlSource } from '../kit/html-source.ts';
import { runAsProgram } from '../kit/run-as-program.ts';
import { connectLoadedTab } from '../kit/tab.ts';

const titleLengthMax = 512;

/** The title of the page: what the copy says, else what the live tab says. */
export const main = defineHook(async (hook) => {
  const title = (await readTitle(hook)).replace(/\s+/g, ' ').trim().slice(0, titleLengthMax);
  if (title === '') return noResults('the page has no title');
  await hook.write('title.txt', `${title}\n`);
  return succeeded(title);
});

async function readTitle(hook: Hook): Promise<string> {
  const copy = await findHtmlSource(hook);
  if (copy) return findTitle(copy.html) ?? '';
  const tab = await connectLoadedTab(hook);
  try {
    return await evaluateApart<string>(tab.session, 'document.title');
  } finally {
    tab.close();
  }
}

await runAsProgram(import.meta.url, main);
