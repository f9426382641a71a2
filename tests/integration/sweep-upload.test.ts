import { createHash, randomBytes } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { routes } from '../../shared/protocol/routes.ts';
import { expectShownFiles, expectSoundCollection } from '../helpers/collection-invariants.ts';
import { startCompanion, type TestAnswer, type TestCompanion } from '../helpers/companion.ts';
import { lastCall, sweepPoints } from '../helpers/kill-sweep.ts';
import { compileShim, shimEnvironment, type ShimOptions } from '../helpers/sync-shim.ts';
import { temporaryFolder } from '../helpers/temporary-folder.ts';
import { announceResult, chunkAddress } from '../helpers/upload-server.ts';

const shim = compileShim();
const octets = { 'content-type': 'application/octet-stream' };
const EIO = 5;
const ENOSPC = 28;

/** A page that is stored split, so that the sweep passes through parts, skeleton and side record as well. */
const picture = randomBytes(60_000).toString('base64');
const page = Buffer.from(`<!doctype html><p>swept</p><img src="data:image/png;base64,${picture}">`);
const half = Math.floor(page.length / 2);
const sha256 = createHash('sha256').update(page).digest('hex');

interface Sweep {
  dataDir: string;
  log: string;
  companion: TestCompanion;
  resultId: string;
  /** An upload belongs to its token: the client keeps it when the companion starts again. */
  token: string;
  /** From here on calls count. */
  arm: () => void;
}

async function begin(options: Omit<ShimOptions, 'root' | 'arm' | 'log'>): Promise<Sweep> {
  if ('missing' in shim) throw new Error(shim.missing);
  const dataDir = temporaryFolder();
  const outside = temporaryFolder();
  const arm = path.join(outside, 'armed');
  const log = path.join(outside, 'calls');
  const env = shimEnvironment(shim.file, { ...options, root: dataDir, arm, log });
  const companion = await startCompanion({ dataDir, args: ['--no-runner'], env });
  const { resultId } = await announceResult(companion.collection, companion.request);
  return { dataDir, log, companion, resultId, token: companion.token, arm: () => fs.writeFileSync(arm, '') };
}

const send = (companion: TestCompanion, { resultId, token }: Sweep, from: number, to: number): Promise<TestAnswer> =>
  companion.request(
    chunkAddress(resultId, { path: 'singlefile.html', offset: from, total: page.length, sha256, status: 'succeeded' }),
    { method: 'PATCH', headers: { ...octets, authorization: `Bearer ${token}` }, body: page.subarray(from, to) },
  );

/** Both chunks; the answers that came, none after the companion died. */
async function upload(sweep: Sweep): Promise<(TestAnswer | undefined)[]> {
  const { companion } = sweep;
  const died = new Promise<undefined>((resolve) => companion.child.once('exit', () => resolve(undefined)));
  const answers: (TestAnswer | undefined)[] = [];
  for (const [from, to] of [
    [0, half],
    [half, page.length],
  ] as const) {
    const answer = await Promise.race([send(companion, sweep, from, to).catch(() => undefined), died]);
    answers.push(answer);
    if (answer?.status !== 200) break;
  }
  return answers;
}

/** A companion without faults takes the rest as a client would send it. */
async function finish(sweep: Sweep, when: string): Promise<void> {
  const { dataDir, resultId, token } = sweep;
  const companion = await startCompanion({ dataDir, args: ['--no-runner'] });
  try {
    const headers = { authorization: `Bearer ${token}` };
    const { uploads } = (await companion.request(routes.resultUploads(resultId), { headers })).json() as {
      uploads: { received: number; complete: boolean }[];
    };
    const { received = 0, complete = false } = uploads[0] ?? {};
    const rest = await send(companion, sweep, complete ? 0 : received, page.length);
    expect(rest.status, `${rest.body.toString()} ${when}`).toBe(200);
    const file = await companion.request(`${routes.result(resultId)}/file/singlefile.html`);
    expect(file.body.equals(page), when).toBe(true);
    expect(fs.readdirSync(path.join(dataDir, 'uploads')), when).toEqual([]);
  } finally {
    await companion.stop();
  }
  await expectSoundCollection(dataDir, when);
  await expectShownFiles(dataDir, when);
}

async function countCalls(): Promise<number> {
  const sweep = await begin({});
  sweep.arm();
  const answers = await upload(sweep);
  expect(answers.map((answer) => answer?.status)).toEqual([200, 200]);
  const calls = lastCall(sweep.log, sweep.companion.child.pid!);
  await sweep.companion.stop();
  return calls;
}

describe.skipIf('missing' in shim)(
  `an upload of a page (${'missing' in shim ? shim.missing : 'every call counted'})`,
  () => {
    it('that dies with the companion at any call is whole after the next start, and what was acknowledged is there', async () => {
      const calls = await countCalls();
      expect(calls).toBeGreaterThan(25);
      for (const killAt of sweepPoints(1, calls)) {
        const when = `killed at call ${killAt} of ${calls}`;
        const sweep = await begin({ killAt });
        sweep.arm();
        const answers = await upload(sweep);
        await sweep.companion.kill();
        await expectSoundCollection(sweep.dataDir, when);
        if (answers[1]?.status === 200) await expectShownFiles(sweep.dataDir, when);
        await finish(sweep, when);
      }
    }, 240_000);

    it.each([
      ['a full disk', ENOSPC],
      ['a disk that fails', EIO],
    ])(
      'that meets %s at any call is refused with a reason, and is taken when that is over',
      async (_what, errno) => {
        const calls = await countCalls();
        for (const failFrom of sweepPoints(1, calls)) {
          const when = `failing from call ${failFrom} of ${calls}`;
          const sweep = await begin({ failFrom, errno });
          sweep.arm();
          const last = (await upload(sweep)).at(-1);
          expect(last, when).toBeDefined();
          if (last!.status !== 200) {
            expect(last!.status, `${last!.body.toString()} ${when}`).toBeGreaterThanOrEqual(500);
            expect(last!.json().detail ?? last!.json().error, when).toMatch(/^[A-Z].*\.$/s);
          }
          await sweep.companion.kill();
          await finish(sweep, when);
        }
      },
      240_000,
    );
  },
);
