import type { ArchiveResultRecord, SnapshotRecord } from '../../shared/model/api-records.ts';
import { sizePhrase } from '../../shared/words/amounts.ts';
import type { OutputLink } from './links.ts';

const style = `body{font:16px/1.5 system-ui,sans-serif;margin:2rem auto;max-width:60rem;padding:0 1rem;color:#1d1d1b;background:#fff}
h1{font-size:1.4rem;margin:0 0 .25rem}p{margin:.25rem 0}table{border-collapse:collapse;width:100%;margin-top:1.5rem}
td,th{text-align:left;padding:.4rem .75rem .4rem 0;border-bottom:1px solid #ddd;vertical-align:top;overflow-wrap:anywhere}
@media(prefers-color-scheme:dark){body{color:#eee;background:#161616}td,th{border-color:#444}a{color:#9cf}}`;

/**
 * A page that needs no program to be read: what was kept, with relative links, no script, nothing loaded from
 * elsewhere. Everything that came from a page or a hook is escaped.
 */
export function indexPage(snapshot: SnapshotRecord, links: readonly OutputLink[]): string {
  const title = snapshot.title ?? snapshot.url;
  const rows = snapshot.archiveresults.map((result) => resultRow(result, links)).join('\n');
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="referrer" content="no-referrer">
<title>${escapeHtml(title)}</title>
<style>${style}</style>
<h1>${escapeHtml(title)}</h1>
<p><a href="${escapeHtml(snapshot.url)}">${escapeHtml(snapshot.url)}</a></p>
<p>Asked for ${escapeHtml(snapshot.bookmarked_at)}${snapshot.tags.length === 0 ? '' : `, tags: ${escapeHtml(snapshot.tags.join(', '))}`}</p>
${snapshot.notes === '' ? '' : `<p>${escapeHtml(snapshot.notes)}</p>`}
<table>
<tr><th>What</th><th>State</th><th>Files</th></tr>
${rows}
</table>
<p><a href="index.jsonl">All records</a>, <a href="manifest-sha256.txt">digests for sha256sum -c</a></p>
</html>
`;
}

function resultRow(result: ArchiveResultRecord, links: readonly OutputLink[]): string {
  const own = new Set(links.filter((link) => link.plugin === result.plugin).map((link) => link.path));
  const files = Object.entries(result.output_files)
    .filter(([name]) => own.has(name))
    .map(
      ([name, file]) =>
        `<a href="${relativeAddress(result.plugin, name)}">${escapeHtml(name)}</a> ${sizePhrase(file.size)}`,
    );
  const remark = result.error ?? (files.length === 0 ? result.output_str : '');
  const state = remark === '' ? result.status : `${result.status}: ${remark}`;
  return `<tr><td>${escapeHtml(result.plugin)}</td><td>${escapeHtml(state)}</td><td>${files.join('<br>')}</td></tr>`;
}

function relativeAddress(plugin: string, outputPath: string): string {
  return escapeHtml([plugin, ...outputPath.split('/')].map(encodeURIComponent).join('/'));
}

function escapeHtml(text: string): string {
  const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };
  return text.replace(/[&<>"']/g, (letter) => entities[letter]!);
}
