import { createHash } from 'node:crypto';
import type { Layout } from '../collection/layout.ts';
import type { SearchSource } from '../collection/records/search-sources.ts';
import { foldTagName } from '../collection/records/tags.ts';
import { foldedWords, foldText, toIndexText } from './fold-text.ts';
import { hostKey } from './host-key.ts';
import { idSlotsPerMs } from './page-ids.ts';
import { readRecordedText } from './recorded-text.ts';
import type { SearchDatabase } from './search-database.ts';

interface PageRow {
  id: number;
  revision: number;
  fingerprint: string;
  result_id: string | null;
  digest: string | null;
}

/** Puts pages into the tables of the index and takes them out; every method runs inside the caller's transaction. */
export class PageIndex {
  private readonly database: SearchDatabase;
  private readonly layout: Layout;
  private readonly statements;

  constructor(database: SearchDatabase, layout: Layout) {
    this.database = database;
    this.layout = layout;
    this.statements = prepareStatements(database);
  }

  /** True when nothing that the index holds of this page has changed since it was put in. */
  isCurrent(source: SearchSource): boolean {
    const known = this.find(source.id);
    if (source.isTrashed) return known === undefined;
    return (
      known !== undefined &&
      known.revision === source.revision &&
      known.result_id === (source.text?.resultId ?? null) &&
      known.digest === (source.text?.digest ?? null)
    );
  }

  /** Puts a page in, or brings it up to date; one in the trash is taken out. */
  put(source: SearchSource): void {
    const known = this.find(source.id);
    if (source.isTrashed) {
      if (known) this.removeRow(known.id);
      return;
    }
    const fingerprint = fingerprintOf(source);
    if (known?.fingerprint === fingerprint) {
      this.statements.touchPage.run(source.revision, source.text?.resultId ?? null, known.id);
      return;
    }
    if (known) this.removeRow(known.id);
    this.insert(source, fingerprint);
  }

  remove(snapshotId: string): void {
    const known = this.find(snapshotId);
    if (known) this.removeRow(known.id);
  }

  /** Snapshot ids in order, behind the given one. */
  snapshotIdsAfter(snapshotId: string, limit: number): string[] {
    return (this.statements.idsAfter.all(snapshotId, limit) as { snapshot_id: string }[]).map((row) => row.snapshot_id);
  }

  progress(name: string): number {
    const row = this.statements.readProgress.get(name) as { value: number } | undefined;
    return row?.value ?? 0;
  }

  setProgress(name: string, value: number): void {
    this.statements.writeProgress.run(name, value);
  }

  private find(snapshotId: string): PageRow | undefined {
    return this.statements.findPage.get(snapshotId) as PageRow | undefined;
  }

  private insert(source: SearchSource, fingerprint: string): void {
    const id = this.freeId(source.bookmarkedAt * idSlotsPerMs);
    const digest = source.text?.digest ?? null;
    const body = digest === null ? '' : (readRecordedText(this.layout, digest) ?? '');
    const { statements } = this;
    const url = readableUrl(source.url);
    statements.insertPage.run(
      id,
      source.id,
      source.revision,
      fingerprint,
      source.text?.resultId ?? null,
      digest,
      hostKey(source.url),
    );
    const texts = [source.title, url, source.tags.join('\n'), source.notes, body];
    statements.insertText.run(id, ...texts.map(toIndexText));
    statements.insertName.run(id, foldText(source.title), foldText(url));
    for (const tag of new Set(source.tags.map(foldTagName))) statements.insertTag.run(tag, id);
    for (const word of new Set(foldedWords(`${source.title}\n${source.tags.join('\n')}`))) {
      if (word.length > 2 && word.length < 40) statements.countWord.run(word);
    }
  }

  private removeRow(id: number): void {
    const { statements } = this;
    statements.deleteText.run(id);
    statements.deleteName.run(id);
    statements.deleteTags.run(id);
    statements.deletePage.run(id);
  }

  /** The next free id at or behind `base`: within the same millisecond, else (a large import) within the same hours. */
  private freeId(base: number): number {
    for (const span of [idSlotsPerMs, idSlotsPerMs * 10_000_000]) {
      const { last } = this.statements.lastId.get(base, base + span) as { last: number | null };
      if (last === null) return base;
      if (last + 1 < base + span) return last + 1;
    }
    throw new Error(`no free id at ${base}`);
  }
}

function prepareStatements(database: SearchDatabase) {
  const prepare = (sql: string) => database.prepare(sql);
  return {
    findPage: prepare('SELECT id, revision, fingerprint, result_id, digest FROM page WHERE snapshot_id = ?'),
    touchPage: prepare('UPDATE page SET revision = ?, result_id = ? WHERE id = ?'),
    insertPage: prepare(
      'INSERT INTO page (id, snapshot_id, revision, fingerprint, result_id, digest, host_key) VALUES (?, ?, ?, ?, ?, ?, ?)',
    ),
    insertText: prepare('INSERT INTO page_text (rowid, title, url, tags, notes, body) VALUES (?, ?, ?, ?, ?, ?)'),
    insertName: prepare('INSERT INTO page_name (rowid, title, url) VALUES (?, ?, ?)'),
    insertTag: prepare('INSERT INTO page_tag (tag, page_id) VALUES (?, ?)'),
    countWord: prepare(
      'INSERT INTO title_word (word, uses) VALUES (?, 1) ON CONFLICT (word) DO UPDATE SET uses = uses + 1',
    ),
    deleteText: prepare('DELETE FROM page_text WHERE rowid = ?'),
    deleteName: prepare('DELETE FROM page_name WHERE rowid = ?'),
    deleteTags: prepare('DELETE FROM page_tag WHERE page_id = ?'),
    deletePage: prepare('DELETE FROM page WHERE id = ?'),
    lastId: prepare('SELECT max(id) AS last FROM page WHERE id >= ? AND id < ?'),
    idsAfter: prepare('SELECT snapshot_id FROM page WHERE snapshot_id > ? ORDER BY snapshot_id LIMIT ?'),
    readProgress: prepare('SELECT value FROM progress WHERE name = ?'),
    writeProgress: prepare(
      'INSERT INTO progress (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value',
    ),
  };
}

/** Changes exactly when something does that can be searched for; a mere change of status costs no indexing. */
function fingerprintOf(source: SearchSource): string {
  const parts = [source.url, source.title, source.notes, source.tags, source.bookmarkedAt, source.text?.digest ?? ''];
  return createHash('sha1').update(JSON.stringify(parts)).digest('base64');
}

/** Addresses as people read them, so that words in other scripts are found (`/wiki/M%C3%BCnchen`). */
function readableUrl(url: string): string {
  try {
    return decodeURIComponent(url);
  } catch {
    // A stray percent sign: the address is not encoded text, or in another encoding.
    return url;
  }
}
