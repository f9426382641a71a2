import { Readability } from '@mozilla/readability';
import { parseHTML } from 'linkedom';
import { parse, serialize } from 'parse5';
import { HookFailure, noResults, succeeded } from '../kit/context.ts';
import { defineHook } from '../kit/define-hook.ts';
import { htmlToText } from '../kit/html-to-text.ts';
import { requireHtmlSource } from '../kit/html-source.ts';
import { runAsProgram } from '../kit/run-as-program.ts';

/** The article of the page without everything around it. */
export const main = defineHook(async (hook) => {
  const { html } = await requireHtmlSource(hook);
  const article = readArticle(html, hook.url);
  if (!article?.content?.trim()) return noResults('no article was found in the page');
  const text = htmlToText(article.content);
  if (text === '') return noResults('no article was found in the page');
  const { content, textContent: _textContent, ...facts } = article;
  await hook.write('content.html', content);
  await hook.write('content.txt', text);
  await hook.write('article.json', `${JSON.stringify(facts, undefined, 2)}\n`);
  return succeeded('content.html', { title: article.title ?? null, characters: text.length });
});

function readArticle(html: string, url: string) {
  // linkedom makes no head and body where a page leaves their tags out, as the law of HTML allows; parse5 does.
  const { document } = parseHTML(serialize(parse(html)));
  if (!document.documentElement) throw new HookFailure('the copy of the page holds no document');
  // Readability resolves addresses against these, which linkedom leaves empty.
  Object.defineProperty(document, 'baseURI', { value: url });
  Object.defineProperty(document, 'documentURI', { value: url });
  return new Readability(document).parse();
}

await runAsProgram(import.meta.url, main);
