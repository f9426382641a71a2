import Database from 'better-sqlite3';
import fs from 'node:fs';
import { constants } from 'node:os';
import path from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { isHoldfastError } from '../../shared/errors/holdfast-error.ts';
import { Layout } from '../../companion/collection/layout.ts';
import { openCollection } from '../../companion/collection/open-collection.ts';
import { migrations, schemaVersion } from '../../companion/collection/records/migrations.ts';
import { upgradeCollection } from '../../companion/collection/upgrade.ts';
import { runCli } from '../helpers/run-cli.ts';
import { compileShim, shimEnvironment, type ShimOptions } from '../helpers/sync-shim.ts';
import { readSyscallLog } from '../helpers/syscall-log.ts';
import { temporaryFolder } from '../helpers/temporary-folder.ts';

const goldens = path.resolve('tests/fixtures/collections');
const versions = migrations.map((step) => step.version).filter((version) => version < schemaVersion);

let layout: Layout;
beforeEach(() => (layout = new Layout(temporaryFolder())));

/** The collection as the program of that schema left it, write-ahead log and all. */
function layGolden(version: number): void {
  const connection = new Database(layout.database());
  connection.pragma('journal_mode = WAL');
  connection.exec(fs.readFileSync(path.join(goldens, `schema-${version}.sql`), 'utf8'));
  connection.close();
}

type Rows = Record<string, Record<string, unknown>[]>;

function rowsOf(file: string): Rows {
  const connection = new Database(file, { readonly: true });
  try {
    expect(connection.pragma('integrity_check', { simple: true })).toBe('ok');
    expect(connection.pragma('foreign_key_check')).toEqual([]);
    const names = connection
      .prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")
      .pluck();
    return Object.fromEntries(
      (names.all() as string[]).map((name) => [
        name,
        connection.prepare(`SELECT * FROM "${name}" ORDER BY 1, 2`).all(),
      ]),
    ) as Rows;
  } finally {
    connection.close();
  }
}

const schemaOf = (file: string): unknown[] => {
  const connection = new Database(file, { readonly: true });
  const rows = connection.prepare('SELECT name, sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY name').all();
  connection.close();
  return rows;
};

describe.each(versions)('a collection of schema %i', (version) => {
  it('is what the steps up to it make: a released step was never edited', () => {
    layGolden(version);
    const made = path.join(layout.root, 'made.sqlite3');
    const connection = new Database(made);
    for (const step of migrations) if (step.version <= version) connection.exec(step.sql);
    connection.close();
    expect(schemaOf(made)).toEqual(schemaOf(layout.database()));
  });

  it('comes to the schema of this program with every row and a copy of its state before', async () => {
    layGolden(version);
    const before = rowsOf(layout.database());
    const said: string[] = [];
    const collection = await openCollection(layout.root, { onWaiting: (sentence) => said.push(sentence) });
    collection.close();
    const after = rowsOf(layout.database());
    for (const [table, rows] of Object.entries(before)) {
      // A user and a machine of this test's own come in when the collection is opened.
      expect(after[table]!.slice(0, rows.length).map((row) => row['id'])).toEqual(rows.map((row) => row['id']));
      for (const [index, row] of rows.entries()) {
        const kept = Object.entries(row).filter(([column]) => column in after[table]![index]!);
        expect(after[table]![index]).toMatchObject(Object.fromEntries(kept));
      }
    }
    expect(rowsOf(layout.databaseCopy(version))).toEqual(before);
    expect(said).toEqual([expect.stringContaining(layout.databaseCopy(version))]);
    expect(schemaOf(layout.database())).toEqual(schemaOf((await openedNew()).database()));
  });

  it('is left alone, in one sentence, while another program has it open', async () => {
    layGolden(version);
    const other = new Database(layout.database());
    other.prepare('SELECT count(*) FROM crawl').get();
    const error: unknown = await upgradeCollection(layout, () => undefined, 200).catch((reason: unknown) => reason);
    expect(isHoldfastError(error) && error.code).toBe('busy');
    expect((error as Error).message).toMatch(/another Holdfast program has it open; stop that one/);
    expect(other.pragma('user_version', { simple: true })).toBe(version);
    other.close();
  });
});

async function openedNew(): Promise<Layout> {
  const fresh = new Layout(temporaryFolder());
  (await openCollection(fresh.root)).close();
  return fresh;
}

describe('a collection of a newer program', () => {
  it('is refused with exit code 3 and the copy to go back to', async () => {
    (await openCollection(layout.root)).close();
    const connection = new Database(layout.database());
    connection.pragma(`user_version = ${schemaVersion + 1}`);
    connection.close();
    fs.writeFileSync(layout.databaseCopy(schemaVersion), '');
    const { code, stderr } = await runCli(layout.root, ['list']);
    expect(code).toBe(3);
    expect(stderr).toContain(layout.databaseCopy(schemaVersion));
    expect(stderr).toContain(`schema ${schemaVersion + 1}`);
  });
});

const shim = compileShim();
const last = versions[versions.length - 1]!;

describe.skipIf('missing' in shim)(`an upgrade that is cut off (${'missing' in shim ? shim.missing : 'shim'})`, () => {
  const watched = (options: Omit<ShimOptions, 'root'>) =>
    shimEnvironment('file' in shim ? shim.file : '', { root: layout.root, ...options });

  /** The numbers of the calls from the first one for the copy on, seen in an upgrade that is left alone. */
  async function pointsOfUpgrade(): Promise<number[]> {
    layGolden(last);
    const log = path.join(temporaryFolder(), 'calls');
    const { pid } = await runCli(layout.root, ['list'], watched({ log }));
    const calls = readSyscallLog(log, pid).filter((call) => call.number > 0);
    layout = new Layout(temporaryFolder());
    const first = calls.findIndex((call) => call.path.includes('collection-schema-'));
    return calls.slice(first).map((call) => call.number);
  }

  it('by Ctrl-C ends at once, has named the command that continues, and is done by it', async () => {
    const killAt = (await pointsOfUpgrade())[0]!;
    layGolden(last);
    const before = rowsOf(layout.database());
    const cut = await runCli(layout.root, ['list'], watched({ killAt, signal: constants.signals.SIGINT }));
    expect(cut.signal).toBe('SIGINT');
    expect(cut.stderr).toContain('Ctrl-C stops it at once, and the same command continues.');
    expect(rowsOf(layout.database())).toEqual(before);
    expect(await runCli(layout.root, ['list'])).toMatchObject({ code: 0 });
    expect(rowsOf(layout.databaseCopy(last))).toEqual(before);
  });

  it('at any point leaves a sound collection that the next command brings on', async () => {
    const points = await pointsOfUpgrade();
    expect(points.length).toBeGreaterThan(12);
    const stride = Math.ceil(points.length / 12);
    for (const point of points.filter((_point, index) => index % stride === 0)) {
      layout = new Layout(temporaryFolder());
      layGolden(last);
      const crawls = rowsOf(layout.database())['crawl'];
      expect(await runCli(layout.root, ['list'], watched({ killAt: point }))).toMatchObject({ signal: 'SIGKILL' });
      (await openCollection(layout.root)).close();
      expect(rowsOf(layout.database())['crawl'], `killed at ${point}`).toMatchObject(crawls!);
    }
  });
});
