import Database from 'better-sqlite3';
import { DummyDriver, Kysely, SqliteAdapter, SqliteIntrospector, SqliteQueryCompiler, type Compilable } from 'kysely';
import { setTimeout as wait } from 'node:timers/promises';
import { HoldfastError, isHoldfastError } from '../../shared/errors/holdfast-error.ts';
import { limits } from '../../shared/limits.ts';
import type { Tables } from './records/tables.ts';

export type RunChanges = { changes: number };

/** Builds SQL only; `Db` executes it (DESIGN section 3: Kysely's own transactions begin deferred). */
export const sqlBuilder = new Kysely<Tables>({
  dialect: {
    createAdapter: () => new SqliteAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: (db) => new SqliteIntrospector(db),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  },
});

export interface DatabaseOptions {
  /** Hears what takes longer than two seconds and why: another program that writes, a new schema. */
  onWaiting?: (sentence: string) => void;
  /** Sees the SQL of everything executed, values filled in, also where transactions begin and end; tests read it. */
  onStatement?: (sql: string) => void;
  /** Leaves the file exactly as it is. */
  isReadOnly?: boolean;
}

/**
 * One connection to the collection database. Reads are synchronous point reads; every write goes through `write`,
 * which is one BEGIN IMMEDIATE transaction without an await inside.
 */
export class Db {
  readonly connection: Database.Database;
  private readonly statements = new Map<string, Database.Statement>();
  private readonly options: DatabaseOptions;

  constructor(file: string, options: DatabaseOptions = {}) {
    this.options = options;
    const { onStatement } = options;
    const verbose = onStatement && ((sql: unknown): void => onStatement(String(sql)));
    // Waits here only: making the log, or reading it back after a crash, needs the file alone for a moment.
    this.connection = inWords(
      () => new Database(file, { timeout: limits.sqliteBusyNoticeMs, verbose, readonly: options.isReadOnly ?? false }),
    );
    if (options.isReadOnly) return;
    try {
      inWords(() => prepareConnection(this.connection));
    } catch (error) {
      this.connection.close();
      throw error;
    }
  }

  all<Row>(query: Compilable<Row>): Row[] {
    const { sql, parameters } = query.compile();
    return inWords(() => this.statement(sql).all(...parameters) as Row[]);
  }

  first<Row>(query: Compilable<Row>): Row | undefined {
    const { sql, parameters } = query.compile();
    return inWords(() => this.statement(sql).get(...parameters) as Row | undefined);
  }

  /** Executes a writing statement; call it inside `write`. */
  run(query: Compilable<unknown>): RunChanges {
    const { sql, parameters } = query.compile();
    return inWords(() => ({ changes: this.statement(sql).run(...parameters).changes }));
  }

  /** Executes raw SQL with named or positional parameters, for statements the builder cannot say. */
  raw<Row = Record<string, unknown>>(
    sql: string,
    parameters: readonly unknown[] | Record<string, unknown> = [],
  ): Row[] {
    const bound = Array.isArray(parameters) ? parameters : [parameters];
    return inWords(() => {
      const statement = this.statement(sql);
      if (statement.reader) return statement.all(...bound) as Row[];
      statement.run(...bound);
      return [];
    });
  }

  /**
   * Runs `work` in one BEGIN IMMEDIATE transaction and returns its value. `work` is synchronous and may run again
   * when the database was busy. Waits in growing steps up to 60 s, then fails with `busy`.
   */
  async write<T>(work: () => T): Promise<T> {
    const startedAt = Date.now();
    let pause = 2;
    let told = false;
    for (;;) {
      try {
        return this.connection.transaction(work).immediate();
      } catch (error) {
        if (!isBusy(error)) throw mapSqliteError(error);
        const waited = Date.now() - startedAt;
        if (waited > limits.sqliteBusyTotalMs) {
          throw mapSqliteError(error);
        }
        if (!told && waited > limits.sqliteBusyNoticeMs) {
          told = true;
          this.options.onWaiting?.('Waiting for another program that is writing to the collection database.');
        }
        await wait(pause * (0.5 + Math.random()));
        pause = Math.min(pause * 2, 250);
      }
    }
  }

  /** Changes whenever another connection has committed; costs a few microseconds. */
  dataVersion(): number {
    return this.connection.pragma('data_version', { simple: true }) as number;
  }

  /** Proves after a first write that the durability the product promises is really set. */
  assertDurable(): void {
    const synchronous = this.connection.pragma('synchronous', { simple: true });
    const foreignKeys = this.connection.pragma('foreign_keys', { simple: true });
    if (synchronous !== 2 || foreignKeys !== 1) {
      throw new Error(`SQLite runs with synchronous=${String(synchronous)} foreign_keys=${String(foreignKeys)}`);
    }
  }

  close(): void {
    this.statements.clear();
    this.connection.close();
  }

  private statement(sql: string): Database.Statement {
    let statement = this.statements.get(sql);
    if (!statement) {
      statement = this.connection.prepare(sql);
      this.statements.set(sql, statement);
    }
    return statement;
  }
}

function sqliteCode(error: unknown): string {
  return error instanceof Database.SqliteError ? error.code : '';
}

function prepareConnection(connection: Database.Database): void {
  // better-sqlite3 silently runs WAL with NORMAL: an acknowledged row must survive a power cut.
  connection.pragma('journal_mode = WAL');
  connection.pragma('synchronous = FULL');
  connection.pragma('foreign_keys = ON');
  connection.pragma('trusted_schema = OFF');
  connection.pragma('busy_timeout = 0');
}

/** No user ever reads what SQLite says about locks and disks. */
function inWords<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw mapSqliteError(error);
  }
}

/** Another connection holds the lock. */
export function isBusy(error: unknown): boolean {
  const cause = isHoldfastError(error) ? error.cause : error;
  return /^SQLITE_(BUSY|LOCKED)/.test(sqliteCode(cause));
}

const fullSentence = 'The disk that holds your collection is full; free some space and try again.';
const failingSentence =
  'The disk that holds your collection is full or fails; free some space or look after the disk, then try again.';

/** What SQLite throws as the product's errors. A full disk shows itself in three ways (experiments, section 4). */
export function mapSqliteError(error: unknown): unknown {
  if (isHoldfastError(error)) return error;
  const code = sqliteCode(error);
  const errno = error instanceof Error && 'code' in error ? String(error.code) : '';
  if (isBusy(error)) {
    const sentence = 'Another program keeps the collection database busy; try again in a moment.';
    return new HoldfastError('busy', sentence, { cause: error });
  }
  if (code.startsWith('SQLITE_IOERR')) return new HoldfastError('disk_full', failingSentence, { cause: error });
  if (code === 'SQLITE_FULL' || errno === 'ENOSPC')
    return new HoldfastError('disk_full', fullSentence, { cause: error });
  return error;
}
