import fs from 'node:fs';
import http from 'node:http';
import net, { type AddressInfo } from 'node:net';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { Access } from '../../companion/auth/access.ts';
import { pidNamespace, processStartTime } from '../../companion/process/process-identity.ts';
import { openCollection } from '../../companion/collection/open-collection.ts';
import { routes } from '../../shared/protocol/routes.ts';
import { sendRequest, startCompanion } from '../helpers/companion.ts';
import { keepPage } from '../helpers/kept-pages.ts';
import { runCli } from '../helpers/run-cli.ts';
import { temporaryFolder } from '../helpers/temporary-folder.ts';

interface Finding {
  check: string;
  state: string;
  sentence: string;
}

async function examine(
  dataDir: string,
  env: Record<string, string> = {},
): Promise<{ code: number | null; findings: Finding[] }> {
  const { code, lines } = await runCli(dataDir, ['doctor', '--json'], env);
  return { code, findings: lines.map((line) => JSON.parse(line) as Finding) };
}
const problems = (findings: readonly Finding[]): string[] =>
  findings.filter(({ state }) => state === 'problem').map(({ sentence }) => sentence);

async function pairOne(dataDir: string): Promise<void> {
  const collection = await openCollection(dataDir);
  const access = new Access(collection);
  await access.pair(await access.newPairingCode(), 'Test browser', 'chrome-extension://abc');
  collection.close();
}

async function listen(server: net.Server): Promise<number> {
  const sockets = new Set<net.Socket>();
  server.on('connection', (socket) => sockets.add(socket));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  return (server.address() as AddressInfo).port;
}

test('codes and tokens of the command work on the running server at once', async () => {
  const companion = await startCompanion({ dataDir: temporaryFolder(), args: ['--no-runner'] });
  onTestFinished(() => companion.stop());
  const { lines } = await runCli(companion.dataDir, ['pair']);
  expect(lines).toEqual([expect.stringMatching(/^[A-Z0-9]{4}-[A-Z0-9]{4}$/)]);
  const headers = { origin: 'chrome-extension://abcdefghijklmnopabcdefghijklmnop' };
  const paired = await sendRequest(companion.port, routes.pair, {
    method: 'POST',
    headers,
    body: JSON.stringify({ code: lines[0], name: 'Test browser' }),
  });
  expect(paired.status).toBe(200);
  expect((await runCli(companion.dataDir, ['pair', '--list'])).stdout).toContain('Test browser');

  const { token, id } = JSON.parse(
    (await runCli(companion.dataDir, ['token', 'create', '--json', '--label', 'mine'])).stdout,
  ) as { token: string; id: string };
  const asToken = () =>
    sendRequest(companion.port, routes.snapshots, { headers: { authorization: `Bearer ${token}` } });
  expect((await asToken()).status).toBe(200);
  expect((await runCli(companion.dataDir, ['token', 'list'])).stdout).toContain(`${id}\tmine`);
  expect((await runCli(companion.dataDir, ['token', 'revoke', id])).code).toBe(0);
  expect((await asToken()).status).toBe(401);
});

test('status tells what is kept and what runs, and an unpaired browser is gone', async () => {
  const companion = await startCompanion({ dataDir: temporaryFolder(), args: ['--no-runner'] });
  onTestFinished(() => companion.stop());
  await keepPage(companion.collection, { text: 'twelve bytes' });
  await pairOne(companion.dataDir);
  const status = JSON.parse((await runCli(companion.dataDir, ['status', '--json'])).stdout) as {
    pairings: { id: string }[];
  };
  expect(status).toMatchObject({
    data_folder: companion.dataDir,
    pages: 1,
    waiting_for_browser: 0,
    output_bytes: 12,
    server: { pid: companion.child.pid, port: companion.port },
    runner: null,
    pairings: [{ name: 'Test browser' }],
  });
  const text = (await runCli(companion.dataDir, ['status'])).stdout;
  expect(text).toContain(`running on port ${companion.port}`);
  expect(text).toContain('1 page');
  const { id } = status.pairings[0]!;
  expect((await runCli(companion.dataDir, ['pair', '--revoke', id])).code).toBe(0);
  expect((await runCli(companion.dataDir, ['status'])).stdout).toContain('no browser yet');
});

test('pages of a browser that has not sent everything are counted as on their way', async () => {
  const dataDir = temporaryFolder();
  const collection = await openCollection(dataDir);
  const id = await keepPage(collection);
  await collection.db.write(() =>
    collection.db.raw(
      `UPDATE snapshot SET source = 'browser', expected_captures = '["chrome_extension_dom"]' WHERE id = ?`,
      [id],
    ),
  );
  collection.close();
  expect(JSON.parse((await runCli(dataDir, ['status', '--json'])).stdout)).toMatchObject({
    waiting_for_browser: 1,
    server: null,
  });
});

test('serve stops in order when it is told to', async () => {
  const companion = await startCompanion({ dataDir: temporaryFolder(), args: ['--no-runner'] });
  companion.collection.close();
  const ended = new Promise((resolve) => companion.child.once('exit', (code, signal) => resolve({ code, signal })));
  companion.child.kill('SIGINT');
  expect(await ended).toEqual({ code: 0, signal: null });
  expect(fs.existsSync(path.join(companion.dataDir, 'run', 'server.json'))).toBe(false);
});

test('doctor finds nothing to do beside a running, paired companion', async () => {
  const companion = await startCompanion({ dataDir: temporaryFolder(), args: ['--no-runner'] });
  onTestFinished(() => companion.stop());
  await pairOne(companion.dataDir);
  const { code, findings } = await examine(companion.dataDir);
  expect(problems(findings)).toEqual([]);
  expect(code).toBe(0);
  expect(findings.find(({ check }) => check === 'server')?.sentence).toContain(`running on port ${companion.port}`);
});

test('doctor names a missing pairing, the program on the port and a wrong Chromium', async () => {
  const port = await listen(new net.Server((socket) => socket.destroy()));
  const dataDir = temporaryFolder();
  const { code, findings } = await examine(dataDir, {
    HOLDFAST_PORT: String(port),
    HOLDFAST_CHROMIUM: '/nowhere/chromium',
  });
  expect(code).toBe(1);
  expect(problems(findings)).toEqual([
    expect.stringMatching(/HOLDFAST_CHROMIUM names \/nowhere\/chromium.*correct or remove it/),
    expect.stringMatching(
      new RegExp(`Port ${port} is in use by .+ \\(process ${process.pid}\\); stop it, or choose another port`),
    ),
    expect.stringContaining('holdfast pair'),
  ]);
});

test('doctor finds a server that hangs up, one that says nothing, and one of another version', async () => {
  const dataDir = temporaryFolder();
  (await openCollection(dataDir)).close();
  const namePort = (port: number) =>
    fs.writeFileSync(
      path.join(dataDir, 'run', 'server.json'),
      JSON.stringify({
        pid: process.pid,
        pid_started_at: processStartTime(process.pid),
        pid_namespace: pidNamespace(),
        port,
        fallback_port: 0,
        version: '0.0.1',
        started_at: '2026-01-01T00:00:00Z',
      }),
    );
  const silent = new net.Server(() => undefined);
  for (const server of [new net.Server((socket) => socket.destroy()), silent]) {
    namePort(await listen(server));
    expect(problems((await examine(dataDir)).findings)).toContainEqual(expect.stringContaining('does not answer'));
  }
  const hello = {
    name: 'holdfast',
    version: '0.0.1',
    protocol: 1,
    protocol_oldest: 1,
    port: 1,
    ui: 'http://x',
    proof: null,
    unknown_pairing: false,
  };
  namePort(await listen(http.createServer((_request, response) => response.end(JSON.stringify(hello)))));
  expect(problems((await examine(dataDir)).findings)).toContainEqual(
    expect.stringContaining('Holdfast 0.0.1 is running but'),
  );
});

test.each([
  ['open to others', (dataDir: string) => fs.chmodSync(dataDir, 0o755), 'chmod 700'],
  [
    'settings',
    (dataDir: string) => fs.writeFileSync(path.join(dataDir, 'holdfast.toml'), 'TIMEOUT = "soon"'),
    'TIMEOUT',
  ],
  [
    'garbage',
    (dataDir: string) => fs.writeFileSync(path.join(dataDir, 'collection.sqlite3'), 'x'.repeat(9_000)),
    'restore the last backup',
  ],
])('doctor finds a data folder with a problem: %s', async (_name, spoil, sentence) => {
  const dataDir = temporaryFolder();
  await pairOne(dataDir);
  fs.rmSync(path.join(dataDir, 'collection.sqlite3-wal'), { force: true });
  spoil(dataDir);
  const { code, findings } = await examine(dataDir);
  expect(code).toBe(1);
  expect(problems(findings)).toEqual([expect.stringContaining(sentence)]);
});

test('doctor refuses a collection of a newer Holdfast', async () => {
  const dataDir = temporaryFolder();
  await pairOne(dataDir);
  const collection = await openCollection(dataDir);
  collection.db.connection.pragma('user_version = 999');
  collection.close();
  const { code, findings } = await examine(dataDir);
  expect(code).toBe(1);
  expect(problems(findings)).toEqual([expect.stringContaining('update Holdfast')]);
});

test('doctor finds a damaged database', async () => {
  const dataDir = temporaryFolder();
  await pairOne(dataDir);
  const collection = await openCollection(dataDir);
  await collection.db.write(() =>
    collection.db.raw(
      'CREATE TABLE filler AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000) SELECT i FROM n',
    ),
  );
  collection.db.connection.pragma('wal_checkpoint(TRUNCATE)');
  collection.close();
  const file = path.join(dataDir, 'collection.sqlite3');
  const bytes = fs.readFileSync(file);
  bytes.fill(0xa5, bytes.length - 40_000, bytes.length - 10_000);
  fs.writeFileSync(file, bytes);
  const { findings } = await examine(dataDir);
  expect(problems(findings)).toEqual([expect.stringContaining('damaged')]);
});
