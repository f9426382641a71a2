import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import fs from 'node:fs';
import http from 'node:http';
import os from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { routes } from '../../shared/protocol/routes.ts';
import { startCompanion } from '../helpers/companion.ts';
import { announceResult, chunkAddress } from '../helpers/upload-server.ts';

const MIB = 1024 * 1024;
const chunkBytes = 8 * MIB;
/** Shorter runs, for a first look, by HOLDFAST_BENCH_MIB. */
const fileBytes = Number(process.env['HOLDFAST_BENCH_MIB'] ?? 1024) * MIB;
const rounds = 3;

export interface UploadFigures {
  /** MiB per second, the median of the rounds. */
  holdfast: number;
  raw: number;
  tus: number;
  tusSynced: number;
  /** Throughput beside the others', the median of the rounds. */
  ofRaw: number;
  ofTus: number;
  /** Beside a tus that syncs each chunk, as ours does; no goal, but it tells what the syncs cost. */
  ofTusSynced: number;
  /** Processor seconds per GiB, which other work on the machine disturbs little. */
  cpuSeconds: Record<Name, number>;
  /** By how much the companion's resident memory grew at most, in MiB. */
  memoryGrowthMib: number;
}

/** Somebody who takes 1 GiB in chunks of 8 MiB. */
interface Receiver {
  child: ChildProcess;
  port: number;
  /** Called before each file; returns how to send a chunk. */
  begin: () => Promise<(offset: number) => http.RequestOptions>;
  /** Removes what came. */
  clear: () => void;
  stop: () => Promise<void>;
}

const names = ['holdfast', 'raw', 'tus', 'tus-synced'] as const;
type Name = (typeof names)[number];

function perName(value: number): Record<Name, number> {
  return { holdfast: value, raw: value, tus: value, 'tus-synced': value };
}

const parts = Array.from({ length: 4 }, () => randomBytes(chunkBytes));
const partAt = (offset: number): Buffer => parts[(offset / chunkBytes) % parts.length]!;

/** Sends the same file to the companion, to bare node:http and to tus, in turn, and compares. */
export async function run(): Promise<UploadFigures> {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'holdfast-bench-'));
  const receivers = await startAll(folder);
  const speeds: Record<Name, number>[] = [];
  try {
    const cpuBefore = perName(0);
    for (const name of names) cpuBefore[name] = cpuSecondsOf(receivers[name].child);
    const memoryBefore = residentMib(receivers.holdfast.child, 'VmRSS');
    fs.writeFileSync(`/proc/${receivers.holdfast.child.pid}/clear_refs`, '5');
    for (let round = 0; round < rounds; round += 1) speeds.push(await runRound(receivers, round));
    const memoryGrowthMib = residentMib(receivers.holdfast.child, 'VmHWM') - memoryBefore;
    const cpuSeconds = perName(0);
    for (const name of names) {
      cpuSeconds[name] =
        ((cpuSecondsOf(receivers[name].child) - cpuBefore[name]) / rounds) * ((1024 * MIB) / fileBytes);
    }
    const figures = {
      cpuSeconds,
      holdfast: median(speeds.map((speed) => speed.holdfast)),
      raw: median(speeds.map((speed) => speed.raw)),
      tus: median(speeds.map((speed) => speed.tus)),
      tusSynced: median(speeds.map((speed) => speed['tus-synced'])),
      ofRaw: median(speeds.map((speed) => speed.holdfast / speed.raw)),
      ofTus: median(speeds.map((speed) => speed.holdfast / speed.tus)),
      ofTusSynced: median(speeds.map((speed) => speed.holdfast / speed['tus-synced'])),
      memoryGrowthMib,
    };
    print(figures);
    return figures;
  } finally {
    for (const receiver of Object.values(receivers)) await receiver.stop();
    fs.rmSync(folder, { recursive: true, force: true });
  }
}

async function startAll(folder: string): Promise<Record<Name, Receiver>> {
  for (const name of names) fs.mkdirSync(path.join(folder, name));
  return {
    holdfast: await startHoldfast(path.join(folder, 'holdfast')),
    raw: await startBare('raw', path.join(folder, 'raw')),
    tus: await startBare('tus', path.join(folder, 'tus')),
    'tus-synced': await startBare('tus-synced', path.join(folder, 'tus-synced')),
  };
}

/** Each round in another order, so that nobody always comes first. */
async function runRound(receivers: Record<Name, Receiver>, round: number): Promise<Record<Name, number>> {
  const speeds = perName(0);
  for (let step = 0; step < names.length; step += 1) {
    const name = names[(step + round) % names.length]!;
    spawnSync('sync');
    speeds[name] = await sendFile(receivers[name]);
    receivers[name].clear();
  }
  return speeds;
}

async function sendFile(receiver: Receiver): Promise<number> {
  const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
  const chunkOptions = await receiver.begin();
  const startedAt = performance.now();
  for (let offset = 0; offset < fileBytes; offset += chunkBytes) {
    await sendChunk({ host: '127.0.0.1', port: receiver.port, agent, ...chunkOptions(offset) }, partAt(offset));
  }
  const seconds = (performance.now() - startedAt) / 1000;
  agent.destroy();
  return fileBytes / MIB / seconds;
}

function sendChunk(options: http.RequestOptions, body: Buffer): Promise<void> {
  return new Promise((resolve, reject) => {
    const headers = { ...options.headers, 'content-length': body.length };
    const request = http.request({ ...options, headers }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (more: string) => (text += more));
      response.on('end', () =>
        response.statusCode! < 300 ? resolve() : reject(new Error(`${response.statusCode}: ${text}`)),
      );
    });
    request.on('error', reject);
    request.end(body);
  });
}

async function startHoldfast(dataDir: string): Promise<Receiver> {
  const companion = await startCompanion({ dataDir, args: ['--no-runner'] });
  const { resultId } = await announceResult(companion.collection, companion.request);
  const hash = createHash('sha256');
  for (let offset = 0; offset < fileBytes; offset += chunkBytes) hash.update(partAt(offset));
  const sha256 = hash.digest('hex');
  const headers = { authorization: `Bearer ${companion.token}`, 'content-type': 'application/octet-stream' };
  let file = 0;
  return {
    child: companion.child,
    port: companion.port,
    begin: async () => {
      file += 1;
      const name = `file-${file}.bin`;
      return (offset) => ({
        method: 'PATCH',
        path: chunkAddress(resultId, { path: name, offset, total: fileBytes, sha256, status: 'succeeded' }),
        headers,
      });
    },
    clear: () => undefined,
    stop: async () => {
      const list = await companion.request(routes.result(resultId));
      const recorded = Object.values(list.json().output_files as Record<string, { digest: string }>);
      await companion.stop();
      if (recorded.length !== file || recorded.some((output) => output.digest !== `sha256:${sha256}`)) {
        throw new Error('the companion did not record what was sent');
      }
    },
  };
}

async function startBare(name: Exclude<Name, 'holdfast'>, folder: string): Promise<Receiver> {
  const child = spawn(process.execPath, [path.resolve('tests/bench/receivers', `${name}.mjs`), folder], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const port = await new Promise<number>((resolve, reject) => {
    createInterface({ input: child.stdout }).once('line', (line) => resolve(Number(line)));
    child.once('exit', (code) => reject(new Error(`${name} ended with ${code}`)));
  });
  return {
    child,
    port,
    begin: name === 'raw' ? async () => rawChunk : () => beginTus(port),
    clear: () => {
      for (const file of fs.readdirSync(folder)) fs.rmSync(path.join(folder, file), { recursive: true });
    },
    stop: async () => {
      const gone = new Promise((resolve) => child.once('exit', resolve));
      child.kill();
      await gone;
    },
  };
}

const rawChunk = (offset: number): http.RequestOptions => ({
  method: 'PUT',
  path: `/?offset=${offset}&total=${fileBytes}`,
});

async function beginTus(port: number): Promise<(offset: number) => http.RequestOptions> {
  const version = { 'tus-resumable': '1.0.0' };
  const made = await fetch(`http://127.0.0.1:${port}/files`, {
    method: 'POST',
    headers: { ...version, 'upload-length': String(fileBytes) },
  });
  const location = new URL(made.headers.get('location')!, 'http://127.0.0.1');
  const type = { 'content-type': 'application/offset+octet-stream' };
  return (offset) => ({
    method: 'PATCH',
    path: location.pathname,
    headers: { ...version, ...type, 'upload-offset': offset },
  });
}

function residentMib(child: ChildProcess, field: 'VmRSS' | 'VmHWM'): number {
  const status = fs.readFileSync(`/proc/${child.pid}/status`, 'utf8');
  return Number(new RegExp(`${field}:\\s+(\\d+) kB`).exec(status)?.[1]) / 1024;
}

/** Processor time of a process since its start; the kernel counts in hundredths of a second. */
function cpuSecondsOf(child: ChildProcess): number {
  const fields = fs.readFileSync(`/proc/${child.pid}/stat`, 'utf8').split(') ')[1]!.split(' ');
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)]!;
}

function print(figures: UploadFigures): void {
  const row = (name: string, value: number): string => `${name.padEnd(28)} ${value.toFixed(0).padStart(6)} MiB/s\n`;
  process.stdout.write(`${fileBytes / MIB} MiB in chunks of 8 MiB, median of ${rounds} rounds\n`);
  process.stdout.write(
    row('holdfast', figures.holdfast) +
      row('node:http to a file', figures.raw) +
      row('tus with file store', figures.tus) +
      row('tus, each chunk synced', figures.tusSynced),
  );
  process.stdout.write(
    `holdfast / node:http ${figures.ofRaw.toFixed(2)} (goal 0.70), holdfast / tus ${figures.ofTus.toFixed(2)} (goal 1.20)\n`,
  );
  process.stdout.write(`holdfast / tus that syncs each chunk ${figures.ofTusSynced.toFixed(2)}\n`);
  const cpu = names.map((name) => `${name} ${figures.cpuSeconds[name].toFixed(2)} s`).join(', ');
  process.stdout.write(`processor time per GiB: ${cpu}\n`);
  process.stdout.write(`memory grew by ${figures.memoryGrowthMib.toFixed(0)} MiB (goal below 64)\n`);
}
