import { spawnSync } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { temporaryFolder } from '../helpers/temporary-folder.ts';

let checkout: string;
beforeEach(() => {
  checkout = temporaryFolder();
  for (const name of ['bootstrap.mjs', 'tests/checkout', 'package.json', 'package-lock.json']) {
    cpSync(resolve(name), join(checkout, name), { recursive: true });
  }
});

function runBootstrap(args: string[], options: { nodeArgs?: string[]; path?: string } = {}) {
  const env = { PATH: options.path ?? process.env.PATH, HOME: checkout };
  const command = [...(options.nodeArgs ?? []), join(checkout, 'bootstrap.mjs'), ...args];
  const { status, stderr } = spawnSync(process.execPath, command, { cwd: checkout, env, encoding: 'utf8' });
  return { status, stderr };
}

/** An npm that writes down what it was asked and ends with the given code. */
function plantNpm(exitCode: number): string {
  const folder = join(checkout, 'bin');
  mkdirSync(folder);
  writeFileSync(join(folder, 'npm'), `#!/bin/sh\necho "$@" >> "${checkout}/npm-calls"\nexit ${exitCode}\n`);
  chmodSync(join(folder, 'npm'), 0o755);
  return `${folder}:/usr/bin:/bin`;
}

const npmCalls = (): string[] => readFileSync(join(checkout, 'npm-calls'), 'utf8').trim().split('\n');

test('an older Node is told which one is needed, before anything else happens', () => {
  const pretend = "Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '20.18.3' } })";
  const { status, stderr } = runBootstrap(['test'], {
    nodeArgs: ['--import', `data:text/javascript,${encodeURIComponent(pretend)}`],
  });
  expect(status).toBe(1);
  expect(stderr).toBe(
    'Holdfast needs Node 20.19 or later, this is Node 20.18.3: install a newer Node and try again.\n',
  );
});

test('an unknown command is answered with the known ones', () => {
  const { status, stderr } = runBootstrap(['tset']);
  expect(status).toBe(1);
  expect(stderr).toMatch(/^Usage: .*start\|test\|build\|holdfast/);
});

test('a checkout without packages installs exactly what the lock names, and says what to do when that fails', () => {
  const { status, stderr } = runBootstrap(['build'], { path: plantNpm(1) });
  expect(status).toBe(1);
  expect(npmCalls()).toEqual([expect.stringMatching(/^ci /)]);
  expect(stderr).toContain('npm ci failed');
});

test('a checkout without a lock file lets npm make one', () => {
  const path = plantNpm(1);
  rmSync(join(checkout, 'package-lock.json'));
  runBootstrap(['build'], { path });
  expect(npmCalls()).toEqual([expect.stringMatching(/^install /)]);
});
