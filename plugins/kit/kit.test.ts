import fs from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, it } from 'vitest';
import { runProcess } from '../../companion/process/run-process.ts';
import { hookBench } from '../../tests/helpers/hook-bench.ts';
import { type HookContext, HookFailure, type HookMain, succeeded } from './context.ts';
import { defineHook } from './define-hook.ts';

const file = path.resolve('dist/plugins/htmltotext/on_Snapshot__58_htmltotext.js');
const url = 'https://example.org/';

async function runInside(main: HookMain, context: Partial<HookContext> = {}) {
  const printed: string[] = [];
  const errors: string[] = [];
  const exitCode = await main({
    argv: [`--url=${url}`],
    env: {},
    cwd: hookBench().snapDir,
    stdout: { write: (text) => printed.push(text) },
    stderr: { write: (text) => errors.push(text) },
    signal: new AbortController().signal,
    ...context,
  });
  return { exitCode, stdout: printed.join(''), stderr: errors.join('') };
}

it('is the same hook as a program, through a link, and as a module that does nothing when imported', async () => {
  const bench = hookBench();
  bench.give('singlefile/singlefile.html', '<p>the same</p>');
  const asProgram = await bench.run('htmltotext/on_Snapshot__58_htmltotext', url);
  const link = path.join(bench.snapDir, 'link.js');
  fs.symlinkSync(file, link);
  const cwd = path.join(bench.snapDir, 'htmltotext');
  const env = { PATH: process.env.PATH ?? '', SNAP_DIR: bench.snapDir };
  const options = { command: [link, `--url=${url}`] as const, env, cwd };
  const throughLink = await runProcess(options, new AbortController().signal);
  const module = (await import(/* @vite-ignore */ pathToFileURL(file).href)) as { main: HookMain };
  const inside = await runInside(module.main, { env: { SNAP_DIR: bench.snapDir }, cwd });
  expect(asProgram.process.stdout).toContain('"status":"succeeded"');
  expect(throughLink.stdout).toBe(asProgram.process.stdout);
  expect(inside).toEqual({ exitCode: 0, stdout: asProgram.process.stdout, stderr: '' });
});

it('makes one record of every end', async () => {
  const failing = (error: unknown) => runInside(defineHook(() => Promise.reject(error)));
  const expected = await failing(new HookFailure('there is no cheese'));
  expect(expected.exitCode).toBe(1);
  expect(JSON.parse(expected.stdout)).toEqual({
    type: 'ArchiveResult',
    status: 'failed',
    output_str: 'there is no cheese',
  });
  expect(expected.stderr).toBe('there is no cheese\n');
  const defect = await failing(new TypeError('x is not a function'));
  expect([defect.exitCode, defect.stderr]).toEqual([1, expect.stringContaining('kit.test.ts')]);
  const context = { env: { EXTRA_CONTEXT: '{"snapshot_id":"s","snapshot_depth":2}' } };
  const good = await runInside(
    defineHook((hook) => {
      hook.emit({ type: 'Tag', name: 'cheese' });
      return Promise.resolve(succeeded('done', { holes: 3 }));
    }),
    context,
  );
  expect(
    good.stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line)),
  ).toEqual([
    { type: 'Tag', name: 'cheese', snapshot_id: 's', snapshot_depth: 2 },
    {
      type: 'ArchiveResult',
      status: 'succeeded',
      output_str: 'done',
      output_json: { holes: 3 },
      snapshot_id: 's',
      snapshot_depth: 2,
    },
  ]);
  const asked = defineHook((hook) => Promise.resolve(succeeded(String(hook.number('COUNT', 1)))));
  const wrong = await runInside(asked, { env: { COUNT: 'many' } });
  expect(wrong.stderr).toBe('COUNT must be a number but is "many"\n');
});

it('replaces a file as a whole and leaves nothing beside it', async () => {
  const { snapDir } = hookBench();
  const write = defineHook(async (hook) => {
    await hook.write('a.txt', 'old and long');
    await hook.write('a.txt', 'new');
    return succeeded('a.txt');
  });
  await runInside(write, { cwd: path.join(snapDir, 'made', 'when needed') });
  const folder = path.join(snapDir, 'made', 'when needed');
  expect(fs.readdirSync(folder)).toEqual(['a.txt']);
  expect(fs.readFileSync(path.join(folder, 'a.txt'), 'utf8')).toBe('new');
});
