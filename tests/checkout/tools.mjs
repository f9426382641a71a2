import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The top folder of this checkout. */
export const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
export const isRoot = process.getuid?.() === 0;

/** A failure the user can act on: one sentence, no stack. */
export class Stop extends Error {}

/** Speaks to the user on stderr, because stdout belongs to the program that is started. */
export function say(sentence) {
  process.stderr.write(`${sentence}\n`);
}

export function readJson(file) {
  return JSON.parse(readFileSync(join(root, file), 'utf8'));
}

/** npm runs scripts in the checkout; paths in arguments are meant from where the user is. */
export function callerFolder() {
  return process.env.INIT_CWD ?? process.cwd();
}

/** Runs a program in the checkout and resolves to its exit code; its output goes to stderr unless told otherwise. */
export function run(command, args, { env = {}, cwd = root, stdio = ['ignore', 2, 2] } = {}) {
  return new Promise((resolve) => {
    const child = spawn(command, args, { cwd, stdio, env: { ...process.env, ...env } });
    child.on('error', (error) => {
      say(`${command} could not be started: ${error.message}`);
      resolve(127);
    });
    child.on('exit', (code, signal) => resolve(code ?? (signal === 'SIGINT' ? 130 : 1)));
  });
}

/** Runs a program of an installed package with this same Node and shows what it wrote only when it failed. */
export function runToolQuietly(name, args, env) {
  return new Promise((resolve) => {
    const command = [join('node_modules', '.bin', name), ...args];
    const stdio = ['ignore', 'pipe', 'pipe'];
    const child = spawn(process.execPath, command, { cwd: root, stdio, env: { ...process.env, ...env } });
    const output = [];
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => output.push(chunk));
    child.on('close', (code) => {
      if (code !== 0) process.stderr.write(Buffer.concat(output));
      resolve(code ?? 1);
    });
  });
}

/** Runs a program of an installed package with this same Node. */
export function runTool(name, args, options) {
  return run(process.execPath, [join('node_modules', '.bin', name), ...args], options);
}

export function runNpm(args) {
  const npm = process.env.npm_execpath;
  return npm?.endsWith('.js') ? run(process.execPath, [npm, ...args]) : run('npm', args);
}

export function findOnPath(names) {
  for (const name of names) {
    for (const folder of (process.env.PATH ?? '').split(delimiter)) {
      if (folder && existsSync(join(folder, name))) return join(folder, name);
    }
  }
  return undefined;
}
