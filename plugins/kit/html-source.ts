import { readFile } from 'node:fs/promises';
import { HookFailure } from './context.ts';
import type { Hook } from './define-hook.ts';

/** Copies of the page that hooks can work from, best first: the self-contained one holds frames and shadow roots. */
const copies = [
  ['singlefile', 'singlefile.html'],
  ['dom', 'output.html'],
] as const;

export interface HtmlSource {
  html: string;
  path: string;
  /** `singlefile/singlefile.html`, for texts. */
  name: string;
}

export async function findHtmlSource(hook: Hook): Promise<HtmlSource | undefined> {
  for (const [plugin, file] of copies) {
    const path = await hook.findSibling(plugin, file);
    if (path === undefined) continue;
    const html = await readFile(path, 'utf8');
    if (html.trim() !== '') return { html, path, name: `${plugin}/${file}` };
  }
  return undefined;
}

/** Throws a HookFailure when there is no copy of the page. */
export async function requireHtmlSource(hook: Hook): Promise<HtmlSource> {
  const source = await findHtmlSource(hook);
  if (source) return source;
  const names = copies.map(([plugin, file]) => `${plugin}/${file}`).join(' or ');
  throw new HookFailure(`there is no copy of the page to work from (${names})`);
}
