import Database from 'better-sqlite3';
import { schemaVersion } from './records/migrations.ts';

export interface DatabaseReport {
  /** Schema of the file; higher than `knownVersion` when a newer Holdfast wrote it. */
  version: number;
  knownVersion: number;
  /** What SQLite found wrong; empty for a sound file. */
  damages: string[];
}

/**
 * Reads through a collection database without changing it. Minutes for a very large one; `thorough` compares every
 * index with its table too. Throws when it is none.
 */
export function checkDatabase(file: string, depth: 'quick' | 'thorough' = 'quick'): DatabaseReport {
  const connection = new Database(file, { readonly: true, fileMustExist: true, timeout: 5_000 });
  try {
    const version = connection.pragma('user_version', { simple: true }) as number;
    const check = depth === 'thorough' ? 'integrity_check' : 'quick_check';
    const found = connection.pragma(`${check}(20)`) as Record<string, string>[];
    const damages = found.map((row) => row[check]!).filter((text) => text !== 'ok');
    const orphans =
      damages.length > 0 ? [] : (connection.pragma('foreign_key_check') as { table: string; parent: string }[]);
    const orphanTexts = orphans.slice(0, 20).map((row) => `a row of ${row.table} refers to a missing ${row.parent}`);
    return { version, knownVersion: schemaVersion, damages: [...damages, ...orphanTexts] };
  } finally {
    connection.close();
  }
}

/** Loads the native part and asks it; throws when it was built for another Node. */
export function sqliteVersion(): string {
  const connection = new Database(':memory:');
  try {
    return connection.prepare('SELECT sqlite_version()').pluck().get() as string;
  } finally {
    connection.close();
  }
}
