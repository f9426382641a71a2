import {
  archiveResultRecordSchema,
  snapshotLineSchema,
  tagLineSchema,
  type ArchiveResultLine,
} from '../../shared/plugin-contract/records.ts';

/** A link a hook found, as it was printed or written; repaired and checked when it is recorded. */
export interface FoundLink {
  url: string;
  title?: string | undefined;
}

const linksMax = 20_000;
const tagsMax = 200;

/**
 * Collects the records a hook prints as JSON lines (reference 6.2). The last ArchiveResult counts; what is no record is
 * a diagnostic and is kept in the log only.
 */
export class HookLines {
  result: ArchiveResultLine | undefined;
  readonly links: FoundLink[] = [];
  readonly tags: string[] = [];

  push(line: string): void {
    const value = parseJsonObject(line);
    if (value === undefined) return;
    const result = archiveResultRecordSchema.safeParse(value);
    if (result.success) this.result = result.data;
    const tag = tagLineSchema.safeParse(value);
    if (tag.success && this.tags.length < tagsMax) this.tags.push(tag.data.name);
    const link = parseLink(value);
    if (link && this.links.length < linksMax) this.links.push(link);
  }
}

/** The links of a `urls.jsonl`; lines without an address are ignored. */
export function parseLinkLines(text: string): FoundLink[] {
  const links: FoundLink[] = [];
  for (const line of text.split('\n')) {
    const value = parseJsonObject(line);
    const link = value === undefined ? undefined : parseLink(value);
    if (link && links.push(link) >= linksMax) break;
  }
  return links;
}

function parseLink(value: object): FoundLink | undefined {
  const parsed = snapshotLineSchema.safeParse(value);
  return parsed.success ? { url: parsed.data.url, title: parsed.data.title ?? undefined } : undefined;
}

function parseJsonObject(line: string): object | undefined {
  if (!line.trimStart().startsWith('{')) return undefined;
  try {
    return JSON.parse(line) as object;
  } catch {
    return undefined; // A diagnostic that happens to begin with a brace.
  }
}
