import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { processGroupMembers } from './process-identity.ts';
import { parseProcessMeta } from './process-result.ts';
import { type ProcessOptions, runProcess, startProcess } from './run-process.ts';

const folder = mkdtempSync(join(tmpdir(), 'holdfast-process-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const never = new AbortController().signal;
const env = { PATH: process.env.PATH ?? '', GIVEN: 'yes' };

function shell(script: string, rest: Partial<ProcessOptions> = {}): ProcessOptions {
  return { command: ['sh', '-c', script], env, cwd: folder, ...rest };
}

function script(source: string, rest: Partial<ProcessOptions> = {}): ProcessOptions {
  return { command: [process.execPath, '-e', source], env, cwd: folder, ...rest };
}

describe('runProcess', () => {
  it('gives exit code, both streams, folder and only the given environment', async () => {
    const result = await runProcess(shell('pwd; echo "$GIVEN $HOME" ; echo bad >&2; exit 3'), never);
    expect(result).toMatchObject({ reason: 'exited', exitCode: 3, signal: null, stderr: 'bad\n' });
    expect(result.stdout).toBe(`${folder}\nyes \n`);
    expect(result.message).toBe('it ended with exit code 3');
  });

  it('says which program could not be started', async () => {
    const result = await runProcess({ command: ['/no/such/program'], env, cwd: folder }, never);
    expect(result).toMatchObject({ reason: 'spawn_failed', exitCode: null, pid: null });
    expect(result.message).toContain('/no/such/program could not be started: no such program');
  });

  it('hands over whole lines, the last one also without a line end', async () => {
    const lines: string[] = [];
    await runProcess(
      shell('printf "one\\ntw"; printf "o\\r\\n{3}"', { onStdoutLine: (line) => lines.push(line) }),
      never,
    );
    expect(lines).toEqual(['one', 'two', '{3}']);
  });

  it('keeps the end of a flood and reads all of it', async () => {
    const lines: string[] = [];
    const source = 'process.stdout.write("x".repeat(3_000_000) + "\\nlast line\\n")';
    const result = await runProcess(
      script(source, { streamBytesMax: 1000, onStdoutLine: (l) => lines.push(l) }),
      never,
    );
    expect(result).toMatchObject({ exitCode: 0, stdoutBytes: 3_000_011 });
    expect(result.stdout).toMatch(/^\[2999011 bytes left out\]\nx+\nlast line\n$/);
    expect(lines).toEqual(['last line']);
  });

  it('ends the whole group at the deadline, also members that ignore TERM', async () => {
    const pids: number[] = [];
    const stubborn = 'trap "" TERM; (trap "" TERM; while :; do sleep 9; done) & echo $!; while :; do sleep 9; done';
    const result = await runProcess(
      shell(stubborn, { timeoutMs: 300, graceMs: 100, onStdoutLine: (line) => pids.push(Number(line)) }),
      never,
    );
    expect(result).toMatchObject({ reason: 'deadline', signal: 'SIGKILL' });
    expect(result.message).toBe('it was ended because it ran longer than 0.3 s');
    expect(pids).toHaveLength(1);
    expect(processGroupMembers(result.pid ?? 0)).toEqual([]);
  });

  it('ends members that the leader left behind and does not wait for them', async () => {
    const result = await runProcess(shell('sleep 100 & echo done'), never);
    expect(result).toMatchObject({ reason: 'exited', exitCode: 0, stdout: 'done\n' });
    expect(processGroupMembers(result.pid ?? 0)).toEqual([]);
  });

  it('is cancelled by the signal, with time to end politely', async () => {
    const controller = new AbortController();
    const result = await runProcess(
      script(
        'process.on("SIGTERM", () => { console.log("tidy"); process.exit(0) }); console.log("up"); setInterval(() => {}, 1e6)',
        {
          onStdoutLine: () => controller.abort(),
        },
      ),
      controller.signal,
    );
    expect(result).toMatchObject({ reason: 'cancelled', exitCode: 0, stdout: 'up\ntidy\n' });
  });

  it('starts nothing when the work is cancelled already', async () => {
    const result = await runProcess(shell('echo ran'), AbortSignal.abort());
    expect(result).toMatchObject({ reason: 'cancelled', pid: null, stdout: '' });
  });

  it('refuses more output than allowed, also when it came in the last moment', async () => {
    const outputs = mkdtempSync(join(folder, 'out-'));
    const result = await runProcess(
      shell('head -c 5000 /dev/zero > big', { cwd: outputs, outputLimit: { folder: outputs, bytesMax: 4000 } }),
      never,
    );
    expect(result).toMatchObject({ reason: 'output_limit', exitCode: 0 });
  });

  it('saves streams and outcome before it answers', async () => {
    const logs = {
      stdoutFile: join(folder, 'a.stdout.log'),
      stderrFile: join(folder, 'a.stderr.log'),
      metaFile: join(folder, 'a.meta.json'),
    };
    const result = await runProcess(shell('echo out; echo err >&2; exit 10', { logs }), never);
    expect(readFileSync(logs.stdoutFile, 'utf8')).toBe('out\n');
    expect(readFileSync(logs.stderrFile, 'utf8')).toBe('err\n');
    expect(parseProcessMeta(readFileSync(logs.metaFile, 'utf8'))).toMatchObject({
      reason: 'exited',
      exitCode: 10,
      pid: result.pid,
      startedAt: result.startedAt,
    });
  });
});

describe('startProcess', () => {
  it('is ready at the first line and ends politely on request', async () => {
    const running = startProcess(
      script(
        'process.on("SIGTERM", () => { console.log("bye"); process.exit(0) }); console.log("ready"); setInterval(() => {}, 1e6)',
      ),
      never,
    );
    expect(await running.ready).toBe(true);
    expect(await running.end()).toMatchObject({ reason: 'exited', exitCode: 0, stdout: 'ready\nbye\n' });
  });

  it('is never ready when it ends without a line', async () => {
    const running = startProcess(shell('exit 1'), never);
    expect(await running.ready).toBe(false);
  });
});
