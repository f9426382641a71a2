import { parseWebUrl } from '../../shared/url/web-url.ts';
import type { AddressVerdict } from '../../shared/url/address-verdict.ts';
import type { SubmittedRecord } from '../collection/records/crawl-progress.ts';

const shownLength = 500;

/**
 * Reads a submitted text line by line (reference 3.1, `urls`): an address, or a JSON object with `url`; empty lines and
 * lines that begin with `#` are no records. Every address is checked again here, so that one that was written into the
 * database by hand is refused too.
 */
export function* readSubmittedText(text: string, check: (url: string) => AddressVerdict): Generator<SubmittedRecord> {
  for (const line of text.split(/\r?\n/)) {
    const trimmed = line.trim();
    if (trimmed === '' || trimmed.startsWith('#')) continue;
    yield trimmed.startsWith('{') ? readObject(trimmed, check) : readAddress(trimmed, {}, check);
  }
}

interface Facts {
  title?: string | undefined;
  tags?: readonly string[];
}

function readObject(line: string, check: (url: string) => AddressVerdict): SubmittedRecord {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return refused(line, 'The line begins with { but is no JSON');
  }
  const { url, title, tags } = value as Record<string, unknown>;
  if (typeof url !== 'string') return refused(line, 'The line holds no "url"');
  return readAddress(url, { title: typeof title === 'string' ? title : undefined, tags: tagList(tags) }, check);
}

function tagList(value: unknown): string[] {
  if (Array.isArray(value)) return value.filter((tag): tag is string => typeof tag === 'string');
  return typeof value === 'string' ? value.split(',').map((tag) => tag.trim()) : [];
}

function readAddress(text: string, facts: Facts, check: (url: string) => AddressVerdict): SubmittedRecord {
  const parsed = parseWebUrl(text);
  if (!parsed.ok) return refused(text, `${text.slice(0, shownLength)} ${parsed.reason}`);
  const verdict = check(parsed.url);
  if (!verdict.ok) return refused(text, verdict.reason);
  return { ok: true, url: parsed.url, title: facts.title, tags: facts.tags ?? [] };
}

function refused(text: string, reason: string): SubmittedRecord {
  return { ok: false, text: text.slice(0, shownLength), reason };
}
