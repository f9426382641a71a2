import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, expect, onTestFinished, test } from 'vitest';
import { sqlBuilder } from '../../companion/collection/database.ts';
import { openCollection } from '../../companion/collection/open-collection.ts';
import { startCompanion } from '../helpers/companion.ts';
import { temporaryFolder } from '../helpers/temporary-folder.ts';

const started: ChildProcess[] = [];
const servers: http.Server[] = [];
afterEach(async () => {
  for (const child of started.splice(0)) {
    if (child.exitCode !== null || child.signalCode !== null) continue;
    // Not KILL: it ends the companion and the browser it started.
    child.kill('SIGTERM');
    await new Promise((done) => child.once('exit', done));
  }
  for (const server of servers.splice(0)) server.close();
});

/** `npm start` as a user runs it, without a display; its lines are collected until one matches. */
function npmStart(dataDir: string, urls: string[], env: Record<string, string> = {}) {
  const surroundings: NodeJS.ProcessEnv = { ...process.env, ...env };
  for (const name of ['DISPLAY', 'WAYLAND_DISPLAY']) if (!(name in env)) delete surroundings[name];
  const args = [resolve('bootstrap.mjs'), 'start', '--data', dataDir, '--port', '0', ...urls];
  const child = spawn(process.execPath, args, { env: surroundings, stdio: ['ignore', 'pipe', 'pipe'] });
  started.push(child);
  const lines: string[] = [];
  const exited = new Promise<number | null>((done) => child.once('exit', done));
  const waiting: { pattern: RegExp; found: (match: RegExpExecArray) => void }[] = [];
  const onLine = (line: string): void => {
    lines.push(line);
    for (const { pattern, found } of waiting) {
      const match = pattern.exec(line);
      if (match) found(match);
    }
  };
  for (const stream of [child.stdout, child.stderr]) createInterface({ input: stream }).on('line', onLine);
  const line = (pattern: RegExp): Promise<RegExpExecArray> =>
    new Promise((found, fail) => {
      const known = lines.map((text) => pattern.exec(text)).find((match) => match !== null);
      if (known) return found(known);
      waiting.push({ pattern, found });
      void exited.then((code) => fail(new Error(`ended with ${code} without ${pattern}:\n${lines.join('\n')}`)));
    });
  return { child, exited, line, lines };
}

async function serveSite(text: string): Promise<string> {
  const server = http.createServer((_request, response) => {
    response.setHeader('content-type', 'text/html').end(`<title>Local page</title><p>${text}</p>`);
  });
  servers.push(server);
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

const filesBelow = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name));

test('npm start says where the library is and how to get in, keeps the given page, and ends cleanly', async () => {
  const dataDir = join(temporaryFolder(), 'data');
  const site = await serveSite('Words that must be kept.');
  const start = npmStart(dataDir, [site], { EGRESS_ALLOW: '127.0.0.1' });
  const [login] = await start.line(/http:\/\/holdfast\.localhost:(\d+)\/login#\S+/);
  await start.line(/pairing code\W+[A-Z0-9]{4}-[A-Z0-9]{4}/i);
  const [, extension] = await start.line(/Extension:\s+(\S+chrome-mv3)/);
  expect(existsSync(join(extension!, 'manifest.json'))).toBe(true);

  const [, copy] = await start.line(new RegExp(`(${dataDir}/archive/\\S+)`));
  const kept = filesBelow(copy!).filter((file) => file.endsWith('.html') || file.endsWith('.txt'));
  expect(kept.some((file) => readFileSync(file, 'utf8').includes('Words that must be kept.'))).toBe(true);

  const port = Number(new URL(login).port);
  start.child.kill('SIGINT');
  expect(await start.exited).toBe(0);
  await expect(fetch(`http://127.0.0.1:${port}/api/v1/hello`)).rejects.toThrow();
  expect(readdirSync(join(dataDir, 'run'))).not.toContain('server.json');
});

/** A screen that nobody sees, or undefined where there is no Xvfb. */
async function openDisplay(): Promise<string | undefined> {
  const child = spawn('Xvfb', ['-displayfd', '1', '-screen', '0', '1280x900x24'], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  started.push(child);
  return new Promise((found) => {
    child.once('error', () => found(undefined));
    createInterface({ input: child.stdout }).once('line', (number) => found(`:${number}`));
  });
}

test('with a display npm start opens a Chromium whose extension is paired and whose library is open', async (context) => {
  const display = await openDisplay();
  if (!display) return context.skip('there is no Xvfb here');
  const dataDir = join(temporaryFolder(), 'data');
  const start = npmStart(dataDir, [], { DISPLAY: display });
  await start.line(/pairing code/i);
  const collection = await openCollection(dataDir);
  onTestFinished(() => collection.close());
  const count = (table: 'pairing' | 'session') => collection.db.all(sqlBuilder.selectFrom(table).selectAll()).length;
  await expect.poll(() => [count('pairing'), count('session')], { timeout: 60_000 }).toEqual([1, 1]);
  start.child.kill('SIGINT');
  expect(await start.exited).toBe(0);
});

test('npm start with an address, beside a Holdfast that runs, has it kept there', async () => {
  const dataDir = join(temporaryFolder(), 'data');
  const site = await serveSite('Words given to the one that runs.');
  const companion = await startCompanion({ dataDir, env: { EGRESS_ALLOW: '127.0.0.1' } });
  onTestFinished(() => companion.stop());
  const start = npmStart(dataDir, [site], { EGRESS_ALLOW: '127.0.0.1' });
  await start.line(/Holdfast runs already/);
  expect(await start.exited, start.lines.join('\n')).toBe(0);
  expect(start.lines.join('\n')).toContain(`${site}\t`);
});

test('npm start refuses an option it does not know, in one sentence', async () => {
  const start = npmStart(join(temporaryFolder(), 'data'), ['--prot', '9000']);
  expect(await start.exited).toBe(1);
  expect(start.lines.join('\n')).toMatch(/^Unknown option '--prot'.*Usage: npm start -- /s);
});
