import { readFile } from 'node:fs/promises';
import { noResults, succeeded } from '../kit/context.ts';
import { defineHook, type Hook } from '../kit/define-hook.ts';
import { findHtmlSource } from '../kit/html-source.ts';
import { htmlToText } from '../kit/html-to-text.ts';
import { runAsProgram } from '../kit/run-as-program.ts';

/** Texts of other hooks, widest first: the page's whole text finds more than its article. */
const texts = [
  ['htmltotext', 'htmltotext.txt'],
  ['readability', 'content.txt'],
] as const;

/** Leaves the text to index as an output; the companion's search reads it from there. */
export const main = defineHook(async (hook) => {
  const text = await findText(hook);
  if (text === undefined) return noResults('there is no text to index');
  await hook.write('content.txt', text);
  return succeeded('content.txt', { characters: text.length });
});

async function findText(hook: Hook): Promise<string | undefined> {
  for (const [plugin, file] of texts) {
    const path = await hook.findSibling(plugin, file);
    const text = path === undefined ? '' : await readFile(path, 'utf8');
    if (text.trim() !== '') return text;
  }
  const copy = await findHtmlSource(hook);
  return (copy && htmlToText(copy.html)) || undefined;
}

await runAsProgram(import.meta.url, main);
