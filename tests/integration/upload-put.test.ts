import { spawn, type ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { outputsOfResults, resultsOfSnapshots } from '../../companion/collection/records/results.ts';
import { countSnapshots, findSnapshot } from '../../companion/collection/records/snapshots.ts';
import type { OutputRow } from '../../companion/collection/records/tables.ts';
import { cliFile, startCompanion, type TestCompanion } from '../helpers/companion.ts';
import { temporaryFolder } from '../helpers/temporary-folder.ts';

const MIB = 1024 * 1024;
const URL_OF_PAGE = 'https://example.org/kept';

interface Run {
  child: ChildProcess;
  ended: Promise<{ code: number | null; out: string; err: string }>;
}

function put(dataDir: string, file: string, ...args: string[]): Run {
  const child = spawn(process.execPath, [cliFile, '--data', dataDir, 'put', file, '--url', URL_OF_PAGE, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let out = '';
  let err = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (out += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (err += text));
  const ended = new Promise<{ code: number | null; out: string; err: string }>((resolve) => {
    child.once('close', (code) => resolve({ code, out: out.trim(), err }));
  });
  return { child, ended };
}

function fileOf(bytes: Uint8Array, name: string): string {
  const file = path.join(temporaryFolder(), name);
  fs.writeFileSync(file, bytes);
  return file;
}

function outputsOf(companion: TestCompanion, snapshotId: string): (OutputRow & { plugin: string })[] {
  const results = resultsOfSnapshots(companion.collection.db, [snapshotId]);
  const outputs = outputsOfResults(
    companion.collection.db,
    results.map((result) => result.id),
  );
  return results.flatMap((result) =>
    (outputs.get(result.id) ?? []).map((output) => ({ ...output, plugin: result.plugin })),
  );
}

async function withCompanion(work: (companion: TestCompanion) => Promise<void>): Promise<void> {
  const companion = await startCompanion({ dataDir: temporaryFolder(), args: ['--no-runner'] });
  try {
    await work(companion);
  } finally {
    await companion.stop();
  }
}

describe('holdfast put', () => {
  it('keeps a file as the copy of a page and prints the snapshot', async () => {
    await withCompanion(async (companion) => {
      const html = Buffer.from('<!doctype html><title>Mine</title>');
      const run = await put(companion.dataDir, fileOf(html, 'mine.html'), '--title', 'My copy').ended;
      expect(run.code, run.err).toBe(0);
      const snapshot = findSnapshot(companion.collection.db, run.out)!;
      expect(snapshot).toMatchObject({ url: URL_OF_PAGE, title: 'My copy', title_origin: 'user', source: 'browser' });
      const [output, ...others] = outputsOf(companion, snapshot.id);
      expect(output).toMatchObject({
        plugin: 'chrome_extension_singlefile',
        path: 'singlefile.html',
        mimetype: 'text/html',
      });
      expect(others).toEqual([]);
      expect(fs.readFileSync(companion.collection.layout.blob(output!.digest as `sha256:${string}`)).equals(html)).toBe(
        true,
      );
      // Its token was for this once.
      expect(companion.access.tokens().map((token) => token.label)).toEqual(['test']);
      expect(fs.readdirSync(path.join(companion.dataDir, 'cache', 'put'))).toEqual([]);
    });
  });

  it('sends nothing that is there already, also to another companion address', async () => {
    await withCompanion(async (companion) => {
      const file = fileOf(randomBytes(9 * MIB), 'scan.bin');
      const first = await put(companion.dataDir, file, '--path', 'a/scan.bin').ended;
      const server = [
        '--server',
        `http://127.0.0.1:${companion.port}`,
        '--token',
        companion.token,
        '--plugin',
        'scans',
      ];
      const second = await put(temporaryFolder(), file, ...server).ended;
      expect([first.code, second.code], second.err).toEqual([0, 0]);
      expect(outputsOf(companion, first.out)).toMatchObject([{ plugin: 'put', path: 'a/scan.bin', size: 9 * MIB }]);
      expect(outputsOf(companion, second.out)).toMatchObject([{ plugin: 'scans', path: 'scan.bin', upload: null }]);
    });
  });

  it('goes on when it was ended in the middle, and when the companion was', { timeout: 120_000 }, async () => {
    const dataDir = temporaryFolder();
    const bytes = randomBytes(64 * MIB);
    const file = fileOf(bytes, 'big.bin');
    let companion = await startCompanion({ dataDir, args: ['--no-runner'] });
    const ended = put(dataDir, file);
    await receivedAtLeast(companion, 8 * MIB);
    ended.child.kill('SIGKILL');
    await ended.ended;
    const before = partSize(companion);

    const again = put(dataDir, file);
    await receivedAtLeast(companion, before + 1);
    await companion.kill();
    companion = await startCompanion({ dataDir, args: ['--no-runner'] });
    try {
      const run = await again.ended;
      expect(run.code, run.err).toBe(0);
      expect(countSnapshots(companion.collection.db)).toBe(1);
      const [output] = outputsOf(companion, run.out);
      expect(
        fs.readFileSync(companion.collection.layout.blob(output!.digest as `sha256:${string}`)).equals(bytes),
      ).toBe(true);
      expect(fs.readdirSync(companion.collection.layout.uploads())).toEqual([]);
    } finally {
      await companion.stop();
    }
  });

  it.each([
    ['no companion is running', [], 1, 'start it with "holdfast serve"'],
    ['the file is not there', ['missing.html'], 1, 'missing.html does not exist'],
    ['a server without a token', ['--server', 'http://127.0.0.1:1'], 2, '--server needs --token'],
  ])('says what is wrong: %s', async (_what, args, code, sentence) => {
    const dataDir = temporaryFolder();
    await (await startCompanion({ dataDir, args: ['--no-runner'] })).stop();
    const [first = '', ...rest] = args;
    const named = first.endsWith('.html');
    const run = await put(dataDir, named ? first : fileOf(Buffer.from('x'), 'x.html'), ...(named ? rest : args)).ended;
    expect(run.code).toBe(code);
    expect(run.err).toContain(sentence);
    expect(run.out).toBe('');
  });
});

function partSize(companion: TestCompanion): number {
  const uploads = companion.collection.layout.uploads();
  const parts = fs.readdirSync(uploads).map((folder) => path.join(uploads, folder, 'part'));
  return Math.max(0, ...parts.filter((part) => fs.existsSync(part)).map((part) => fs.statSync(part).size));
}

/** Waits until so many bytes lie in the upload's folder. */
async function receivedAtLeast(companion: TestCompanion, bytes: number): Promise<void> {
  while (partSize(companion) < bytes) await companion.request('/api/');
}
