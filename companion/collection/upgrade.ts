import Database from 'better-sqlite3';
import fs from 'node:fs';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { HoldfastError } from '../../shared/errors/holdfast-error.ts';
import { limits } from '../../shared/limits.ts';
import { isBusy, mapSqliteError } from './database.ts';
import type { Layout } from './layout.ts';
import { migrations, schemaVersion, type Migration } from './records/migrations.ts';

/**
 * Brings an older collection to this program's schema: alone with the database, after a copy of its state, one
 * transaction for each step. Synchronous once it has begun, so that a signal ends it at once; what was begun is rolled
 * back and the next program that opens the collection goes on. Does nothing for a collection that is new or up to
 * date. Throws `version_mismatch` for one of a newer program, `busy` when other programs have it open for longer than `waitMs`.
 */
export async function upgradeCollection(
  layout: Layout,
  tell: (sentence: string) => void,
  waitMs: number = limits.upgradeWaitMs,
): Promise<void> {
  const file = layout.database();
  const version = versionOf(file);
  if (version > schemaVersion) throw newerCollection(layout, version);
  if (version === 0 || version === schemaVersion) return;
  const connection = await openAlone(file, waitMs);
  try {
    const copy = layout.databaseCopy(version);
    tell(
      `Bringing the collection from schema ${version} to ${schemaVersion}; its state before stays in ${copy}. ` +
        'Ctrl-C stops it at once, and the same command continues.',
    );
    keepCopy(connection, copy);
    for (const step of migrations) if (step.version > version) applyStep(connection, step);
  } catch (error) {
    throw mapSqliteError(error);
  } finally {
    connection.close();
  }
}

/** Of the file as it lies there; 0 when there is none yet. */
function versionOf(file: string): number {
  if (!fs.existsSync(file)) return 0;
  const connection = new Database(file, { timeout: limits.sqliteBusyNoticeMs });
  try {
    return connection.pragma('user_version', { simple: true }) as number;
  } finally {
    connection.close();
  }
}

function newerCollection(layout: Layout, version: number): HoldfastError {
  const copy = layout.databaseCopy(schemaVersion);
  const wayBack = fs.existsSync(copy)
    ? `, or go back to its state before the update: stop Holdfast and put ${copy} in the place of ${layout.database()}`
    : '';
  return new HoldfastError(
    'version_mismatch',
    `This collection was written by a newer Holdfast (schema ${version}, this program knows ${schemaVersion}); ` +
      `update Holdfast to open it${wayBack}.`,
  );
}

/** In exclusive mode SQLite opens a database with a write-ahead log only when nobody else has it open. */
async function openAlone(file: string, waitMs: number): Promise<Database.Database> {
  const until = Date.now() + waitMs;
  for (;;) {
    const connection = new Database(file, { timeout: 0 });
    try {
      connection.pragma('locking_mode = EXCLUSIVE');
      connection.pragma('synchronous = FULL');
      connection.pragma('foreign_keys = ON');
      connection.exec('BEGIN IMMEDIATE; COMMIT');
      return connection;
    } catch (error) {
      connection.close();
      if (!isBusy(error)) throw mapSqliteError(error);
      if (Date.now() > until) {
        throw new HoldfastError(
          'busy',
          'This collection must be brought to a new schema, but another Holdfast program has it open; ' +
            'stop that one ("holdfast status" names it), then run this command again.',
          { cause: error },
        );
      }
      await wait(waitMs / 50);
    }
  }
}

/** The copy appears under its name only when it is whole and synced. */
function keepCopy(connection: Database.Database, copy: string): void {
  const temporary = `${copy}.tmp`;
  fs.rmSync(temporary, { force: true });
  try {
    connection.prepare('VACUUM INTO ?').run(temporary);
    syncPath(temporary);
  } catch (error) {
    fs.rmSync(temporary, { force: true });
    throw error;
  }
  fs.renameSync(temporary, copy);
  syncPath(path.dirname(copy));
}

function syncPath(file: string): void {
  const handle = fs.openSync(file, 'r');
  try {
    fs.fsyncSync(handle);
  } finally {
    fs.closeSync(handle);
  }
}

function applyStep(connection: Database.Database, step: Migration): void {
  connection
    .transaction(() => {
      connection.exec(step.sql);
      connection.pragma(`user_version = ${step.version}`);
    })
    .immediate();
}
