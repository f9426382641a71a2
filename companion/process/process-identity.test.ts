import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { endProcessGroup } from './end-process-group.ts';
import { isProcessAlive, pidNamespace, processStartTime } from './process-identity.ts';
import { startProcess } from './run-process.ts';
import { spawnDetached } from './spawn-detached.ts';

const folder = mkdtempSync(join(tmpdir(), 'holdfast-identity-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const env = { PATH: process.env.PATH ?? '' };
const never = new AbortController().signal;

it('knows itself, and a process of the same number but another start as a stranger', () => {
  const startedAt = processStartTime(process.pid) ?? '';
  expect(startedAt).not.toBe('');
  expect(isProcessAlive(process.pid, startedAt, pidNamespace())).toBe(true);
  expect(isProcessAlive(process.pid, `${startedAt}0`, pidNamespace())).toBe(false);
});

it('takes a process of another namespace for alive', () => {
  expect(isProcessAlive(2 ** 22 + 1, 'x', 'pid:[1]')).toBe(true);
  expect(isProcessAlive(2 ** 22 + 1, 'x', pidNamespace())).toBe(false);
});

it('ends a group by number, but never that of another process', async () => {
  const running = startProcess({ command: ['sleep', '100'], env, cwd: folder }, never);
  const pid = running.pid ?? 0;
  expect(await endProcessGroup(pid, 100, 'someone else')).toBe(false);
  expect(processStartTime(pid)).toBe(running.startedAt);
  expect(await endProcessGroup(pid, 5_000, running.startedAt)).toBe(true);
  expect(processStartTime(pid)).toBeUndefined();
  expect((await running.result).signal).toBe('SIGTERM');
  expect(await endProcessGroup(pid, 100, running.startedAt)).toBe(false);
});

it('appends what a detached process prints to its log', async () => {
  const logFile = join(folder, 'detached.log');
  const options = { command: ['sh', '-c', 'echo out; echo err >&2'] as const, env, cwd: folder, logFile };
  const first = await spawnDetached(options);
  await expect.poll(() => processStartTime(first.pid), { timeout: 5_000 }).toBeUndefined();
  expect(readFileSync(logFile, 'utf8')).toBe('out\nerr\n');
});

it('says when a detached process cannot be started', async () => {
  const attempt = spawnDetached({ command: ['/no/such'], env, cwd: folder, logFile: join(folder, 'no.log') });
  await expect(attempt).rejects.toThrow('/no/such could not be started');
});
