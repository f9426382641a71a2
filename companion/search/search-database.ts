import Database from 'better-sqlite3';
import fs from 'node:fs';

export type SearchDatabase = Database.Database;

/** Raised whenever tables, folding or tokenizing change: an index of another version is made anew. */
const INDEX_VERSION = 1;

/**
 * `page.id` is the row id of all tables. It begins with the time of the bookmark, so that the newest hits are the
 * highest ids and a span of dates is a span of ids. The text itself stays in the archive: the tables of FTS5 are
 * contentless, and snippets are made from the recorded text.
 */
const SCHEMA = `
CREATE TABLE progress (name TEXT NOT NULL PRIMARY KEY, value INTEGER NOT NULL) STRICT, WITHOUT ROWID;
CREATE TABLE page (
  id INTEGER PRIMARY KEY,
  snapshot_id TEXT NOT NULL UNIQUE,
  revision INTEGER NOT NULL,
  fingerprint TEXT NOT NULL,
  result_id TEXT,
  digest TEXT,
  host_key TEXT NOT NULL) STRICT;
CREATE INDEX page_host ON page (host_key, id);
CREATE TABLE page_tag (tag TEXT NOT NULL, page_id INTEGER NOT NULL, PRIMARY KEY (tag, page_id)) STRICT, WITHOUT ROWID;
CREATE INDEX page_tag_page ON page_tag (page_id);
CREATE TABLE title_word (word TEXT NOT NULL PRIMARY KEY, uses INTEGER NOT NULL) STRICT, WITHOUT ROWID;
CREATE VIRTUAL TABLE page_text USING fts5 (title, url, tags, notes, body, content='', contentless_delete=1, prefix='3',
  tokenize="unicode61 remove_diacritics 2 categories 'L* N* Co Mn Mc'");
CREATE VIRTUAL TABLE page_name USING fts5 (title, url, content='', contentless_delete=1, tokenize='trigram');
PRAGMA user_version = ${INDEX_VERSION};`;

/** Opens the index for writing. One that is damaged, of another version, or not wanted (`anew`) is replaced by an empty one. */
export function openForIndexing(file: string, options: { anew: boolean } = { anew: false }): SearchDatabase {
  const known = !options.anew && fs.existsSync(file) ? tryOpen(file) : undefined;
  if (known) return known;
  for (const suffix of ['-wal', '-shm', '']) fs.rmSync(file + suffix, { force: true });
  const database = open(file);
  database
    .transaction(() => {
      // Two processes may find the file missing at the same moment.
      if (versionOf(database) !== INDEX_VERSION) database.exec(SCHEMA);
    })
    .immediate();
  return database;
}

/** Opens the index for queries. Throws when there is none. */
export function openForQueries(file: string): SearchDatabase {
  const database = new Database(file, { readonly: true, fileMustExist: true, timeout: 5_000 });
  database.pragma('query_only = ON');
  return database;
}

/** True for every way in which SQLite says that the file is not a whole database. */
export function isDamage(error: unknown): boolean {
  if (!(error instanceof Database.SqliteError)) return false;
  // FTS5 that cannot read its own settings says so only in the message.
  return (
    /^SQLITE_(CORRUPT|NOTADB|FORMAT|IOERR_SHORT_READ)/.test(error.code) ||
    /vtable constructor failed/.test(error.message)
  );
}

function open(file: string): SearchDatabase {
  const database = new Database(file, { timeout: 5_000 });
  database.pragma('journal_mode = WAL');
  // A power cut may lose the last batches; the comparison with the collection finds them again.
  database.pragma('synchronous = NORMAL');
  database.pragma('cache_size = -16000');
  return database;
}

function tryOpen(file: string): SearchDatabase | undefined {
  let database: SearchDatabase | undefined;
  try {
    database = open(file);
    if (versionOf(database) === INDEX_VERSION) {
      database.prepare('SELECT count(*) FROM progress').get();
      for (const table of ['page', 'page_tag', 'title_word', 'page_text', 'page_name']) {
        database.prepare(`SELECT 1 FROM ${table} LIMIT 1`).get();
      }
      return database;
    }
  } catch (error) {
    if (!isDamage(error) && !isForeign(error)) throw error;
  }
  database?.close();
  return undefined;
}

/** A database of the right version number that lacks our tables. */
function isForeign(error: unknown): boolean {
  return error instanceof Database.SqliteError && error.code === 'SQLITE_ERROR';
}

function versionOf(database: SearchDatabase): number {
  return database.pragma('user_version', { simple: true }) as number;
}
