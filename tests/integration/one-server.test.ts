import fs from 'node:fs';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { pidNamespace } from '../../companion/process/process-identity.ts';
import { startCompanion } from '../helpers/companion.ts';
import { runCli } from '../helpers/run-cli.ts';
import { temporaryFolder } from '../helpers/temporary-folder.ts';

test('of several servers that start at the same moment on one folder exactly one serves', async () => {
  const dataDir = temporaryFolder();
  const starts = await Promise.allSettled(
    Array.from({ length: 4 }, () => startCompanion({ dataDir, args: ['--no-runner'] })),
  );
  const serving = starts.filter((start) => start.status === 'fulfilled').map((start) => start.value);
  onTestFinished(async () => {
    for (const companion of serving) await companion.stop();
  });
  expect(serving).toHaveLength(1);
  for (const start of starts) {
    if (start.status === 'rejected')
      expect(String(start.reason)).toMatch(/ended with 1: .*already serves this collection/s);
  }
  expect((await serving[0]!.request('/api/v1/extension/hello', { method: 'POST', body: '{}' })).status).not.toBe(421);
});

test('a note left by a crash is no server, also when its process number belongs to another program now', async () => {
  const dataDir = temporaryFolder();
  await (await startCompanion({ dataDir, args: ['--no-runner'] })).stop();
  const note = {
    pid: process.pid,
    pid_started_at: 'before the last start of the machine',
    pid_namespace: pidNamespace(),
    port: 8745,
    fallback_port: 0,
    version: '0.0.1',
    started_at: '2026-01-01T00:00:00Z',
  };
  fs.writeFileSync(path.join(dataDir, 'run', 'server.json'), JSON.stringify(note));
  const status = JSON.parse((await runCli(dataDir, ['status', '--json'])).stdout) as { server: unknown };
  expect(status.server).toBeNull();
  expect(await runCli(dataDir, ['login'])).toMatchObject({ code: 1 });
  const companion = await startCompanion({ dataDir, args: ['--no-runner'] });
  await companion.stop();
});
