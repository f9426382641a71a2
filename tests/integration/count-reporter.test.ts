import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'holdfast-counts-'));
  symlinkSync(resolve('node_modules'), join(folder, 'node_modules'));
  const reporter = JSON.stringify(resolve('tests/reporter/count-reporter.ts'));
  const counts = JSON.stringify(join(folder, 'counts.json'));
  writeFileSync(
    join(folder, 'vitest.config.ts'),
    `import { CountReporter } from ${reporter};\nexport default { test: { reporters: [new CountReporter(${counts})] } };\n`,
  );
});
afterEach(() => rmSync(folder, { recursive: true }));

function countsOf(files: Record<string, string>): unknown {
  for (const [name, source] of Object.entries(files)) {
    writeFileSync(join(folder, name), `import { beforeAll, describe, expect, test } from 'vitest';\n${source}\n`);
  }
  const vitest = resolve('node_modules/vitest/vitest.mjs');
  spawnSync(process.execPath, [vitest, 'run', '--root', folder], { cwd: folder, env: { PATH: process.env.PATH } });
  return JSON.parse(readFileSync(join(folder, 'counts.json'), 'utf8'));
}

test('every result is counted as what it was', () => {
  const source =
    "test('a', () => {}); test('b', () => expect(1).toBe(2)); test('c', (ctx) => ctx.skip('no compiler'));";
  expect(countsOf({ 'one.test.ts': source, 'two.test.ts': "test('d', () => {});" })).toEqual({
    passed: 2,
    failed: 1,
    skipped: 1,
  });
});

test('what fails outside a test fails the run: a file that does not load, a hook, a lost promise', () => {
  const counts = countsOf({
    'load.test.ts': "import './nowhere.ts';\ntest('never seen', () => {});",
    'hook.test.ts': "describe('suite', () => { beforeAll(() => { throw new Error('no'); }); test('e', () => {}); });",
    'lost.test.ts':
      "test('f', async () => { void Promise.reject(new Error('lost')); await new Promise(setImmediate); });",
  });
  expect(counts).toMatchObject({ passed: 1, failed: 3 });
});
