import { noResults, succeeded } from '../kit/context.ts';
import { defineHook } from '../kit/define-hook.ts';
import { requireHtmlSource } from '../kit/html-source.ts';
import { htmlToText } from '../kit/html-to-text.ts';
import { runAsProgram } from '../kit/run-as-program.ts';

/** All text of the page with that of its frames and shadow roots, for search and for readers without a browser. */
export const main = defineHook(async (hook) => {
  const { html, name } = await requireHtmlSource(hook);
  const text = htmlToText(html);
  if (text === '') return noResults('the page holds no text');
  await hook.write('htmltotext.txt', text);
  return succeeded('htmltotext.txt', { from: name, characters: text.length });
});

await runAsProgram(import.meta.url, main);
