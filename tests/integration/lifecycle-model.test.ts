import fc from 'fast-check';
import { expect, it } from 'vitest';
import { openCollection, type Collection } from '../../companion/collection/open-collection.ts';
import { tickCrawl } from '../../companion/collection/records/crawl-progress.ts';
import { findCrawl } from '../../companion/collection/records/crawls.ts';
import {
  beatSnapshot,
  claimSealedSnapshot,
  claimSnapshot,
  releaseSnapshot,
  sealSnapshot,
  settleSealedSnapshot,
} from '../../companion/collection/records/leases.ts';
import { endProcess, insertProcess, promoteRunner } from '../../companion/collection/records/processes.ts';
import { applyRepair, repairs } from '../../companion/collection/records/recovery.ts';
import {
  followCrawl,
  requestCrawl,
  requestPlugins,
  requestSnapshot,
} from '../../companion/collection/records/requests.ts';
import { recordOutputs } from '../../companion/collection/records/results.ts';
import { ensureSnapshot, findSnapshot } from '../../companion/collection/records/snapshots.ts';
import { LifecycleModel, type ModelLease, type Request } from '../helpers/lifecycle-model.ts';
import { temporaryFolder } from '../helpers/temporary-folder.ts';

const snapshotCount = 2;
const requested = '["ok"]';

type Step =
  | { do: 'claim' | 'claimSealed' | 'plugins' | 'upload'; which: number }
  | { do: 'beat' | 'seal' | 'release'; lease: number }
  | { do: 'crawl'; request: Request }
  | { do: 'snapshot'; which: number; request: Request }
  | { do: 'follow' | 'tick' | 'recover' | 'crash' }
  | { do: 'wait'; ms: number };

const which = fc.nat(snapshotCount - 1);
const request = fc.constantFrom<Request>('pause', 'resume', 'cancel');
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({
    do: fc.constantFrom(
      'claim' as const,
      'claim' as const,
      'claimSealed' as const,
      'plugins' as const,
      'upload' as const,
    ),
    which,
  }),
  // Mostly the newest lease, sometimes one that was lost long ago.
  fc.record({
    do: fc.constantFrom('beat' as const, 'seal' as const, 'seal' as const, 'release' as const),
    lease: fc.nat(3),
  }),
  fc.record({ do: fc.constant('crawl' as const), request }),
  fc.record({ do: fc.constant('snapshot' as const), which, request }),
  fc.record({ do: fc.constantFrom('follow' as const, 'tick' as const, 'recover' as const, 'crash' as const) }),
  fc.record({ do: fc.constant('wait' as const), ms: fc.constantFrom(1, 9_000, 61_000) }),
);

/** The real rows, driven by the same steps as the model. */
class RealRows {
  readonly collection: Collection;
  readonly crawlId: string;
  readonly ids: string[];
  private readonly runners: string[];
  private uploads = 0;

  private constructor(collection: Collection, ids: string[], crawlId: string, runner: string) {
    this.collection = collection;
    this.ids = ids;
    this.crawlId = crawlId;
    this.runners = [runner];
  }

  static async make(collection: Collection, now: number): Promise<RealRows> {
    const { db, owner } = collection;
    const { digest } = await collection.gate.promoteBytes(Buffer.from('http://one.example/\n'));
    const facts = {
      ownerId: owner.id,
      depth: 0,
      titleOrigin: 'hook' as const,
      tags: [],
      notes: '',
      inputDigest: digest,
    };
    const rest = {
      source: 'companion' as const,
      expectedCaptures: [],
      bookmarkedAt: now,
      permissions: 'private' as const,
    };
    const runner = await startRunner(collection);
    return db.write(() => {
      const rows: { id: string; crawl_id: string }[] = [];
      for (let number = 0; number < snapshotCount; number += 1) {
        const place = { url: `http://${number}.example/`, crawlId: rows[0]?.crawl_id };
        rows.push(ensureSnapshot(db, { ...facts, ...rest, ...place }, now).row);
      }
      return new RealRows(
        collection,
        rows.map((row) => row.id),
        rows[0]!.crawl_id,
        runner,
      );
    });
  }

  /** What can be compared with the model. */
  look(): unknown {
    const { db } = this.collection;
    const crawl = findCrawl(db, this.crawlId)!;
    const snapshots = this.ids.map((id) => {
      const row = findSnapshot(db, id)!;
      return {
        status: row.status,
        due: row.due_at,
        owner: row.lease_owner === null ? null : this.runners.indexOf(row.lease_owner),
        until: row.lease_expires_at,
        generation: row.lease_generation,
        inputs: row.inputs_revision,
        retry: row.config.includes('RETRY_PLUGINS'),
      };
    });
    return { crawl: { status: crawl.status, due: crawl.due_at }, snapshots };
  }

  async run(step: Step, lease: ModelLease | undefined, now: number): Promise<unknown> {
    if (step.do === 'crash') return this.crash();
    if (step.do === 'wait') return undefined;
    const { db } = this.collection;
    if (step.do === 'recover') {
      for (const repair of repairs) await applyRepair(db, repair, now, { crawlId: this.crawlId });
      return undefined;
    }
    const output = step.do === 'upload' ? await this.newOutput() : undefined;
    return db.write(() => {
      if (output !== undefined && step.do === 'upload')
        return void recordOutputs(
          db,
          { snapshotId: this.ids[step.which]!, plugin: 'x', hookName: 'x' },
          [output],
          { status: 'succeeded' },
          now,
        );
      return this.change(step, lease, now);
    });
  }

  private change(step: Step, lease: ModelLease | undefined, now: number): unknown {
    const { db } = this.collection;
    const held = lease && {
      id: this.ids[lease.snapshot]!,
      owner: this.runners[lease.owner]!,
      generation: lease.generation,
    };
    const owner = this.runners.at(-1)!;
    switch (step.do) {
      case 'claim':
        return claimSnapshot(db, { id: this.ids[step.which]!, owner, now }) !== undefined;
      case 'claimSealed':
        return claimSealedSnapshot(db, { id: this.ids[step.which]!, owner, now }) !== undefined;
      case 'plugins':
        return requestPlugins(db, this.ids[step.which]!, ['ok'], now);
      case 'crawl':
        return isAllowed(() => requestCrawl(db, this.crawlId, step.request, now));
      case 'snapshot':
        return isAllowed(() => requestSnapshot(db, this.ids[step.which]!, step.request, now));
      case 'beat':
        return held && void beatSnapshot(db, held, lease.as, now);
      case 'release':
        return held && releaseSnapshot(db, held, now, now);
      case 'seal':
        if (!held) return undefined;
        return lease.as === 'started'
          ? sealSnapshot(db, held, lease.inputs, now)
          : settleSealedSnapshot(
              db,
              held,
              { inputsRevision: lease.inputs, requested: lease.retry ? requested : null },
              now,
            );
      case 'follow': {
        const { status } = findCrawl(db, this.crawlId)!;
        if (status === 'sealed') followCrawl(db, this.crawlId, 'cancel', now);
        if (status === 'paused') followCrawl(db, this.crawlId, 'pause', now);
        return undefined;
      }
      case 'tick':
        return void tickCrawl(db, this.crawlId, now);
      default:
        return undefined;
    }
  }

  private async newOutput() {
    this.uploads += 1;
    const promoted = await this.collection.gate.promoteBytes(Buffer.from('bytes'));
    return { path: `${this.uploads}.txt`, ...promoted, mimetype: 'text/plain', declaredType: '' };
  }

  /** The runner dies without a word and another one comes. */
  async crash(): Promise<void> {
    const { db } = this.collection;
    await db.write(() => endProcess(db, this.runners.at(-1)!, { exitCode: null }, 1));
    this.runners.push(await startRunner(this.collection));
  }
}

function isAllowed(ask: () => unknown): boolean {
  try {
    ask();
    return true;
  } catch (error) {
    expect(error).toMatchObject({ code: 'illegal_transition' });
    return false;
  }
}

async function startRunner({ db, machineId }: Collection): Promise<string> {
  return db.write(() => {
    const identity = { pid: process.pid, pidNamespace: 'model', pidStartedAt: 'model' };
    const kind = { type: 'runner' as const, workerType: 'waiting' as const };
    const { id } = insertProcess(db, { ...identity, ...kind, machineId, cmd: [], cwd: '' }, 1);
    promoteRunner(db, id, machineId, 1);
    return id;
  });
}

/** The same step on the model; answers what the real one has to answer. */
function runModel(model: LifecycleModel, step: Step, leases: ModelLease[], lease: ModelLease | undefined): unknown {
  switch (step.do) {
    case 'claim':
    case 'claimSealed': {
      const claimed = model.claim(step.which, step.do === 'claim' ? 'started' : 'sealed');
      if (claimed) leases.push(claimed);
      return claimed !== undefined;
    }
    case 'crawl':
      return model.requestCrawl(step.request);
    case 'snapshot':
      return model.requestSnapshot(step.which, step.request);
    case 'seal':
      return lease && model.seal(lease);
    case 'plugins':
      return model.requestPlugins(step.which);
    case 'upload':
      return model.upload(step.which);
    case 'beat':
      return lease && model.beat(lease);
    case 'release':
      return lease && model.release(lease);
    case 'wait':
      return void (model.now += step.ms);
    case 'crash':
      return void (model.runner = (model.runner ?? 0) + 1);
    default:
      return model[step.do]();
  }
}

it('does with any order of commands of runner, user, uploads, crashes and recovery what the model says', async () => {
  const collection = await openCollection(temporaryFolder());
  // Nothing of this is to survive a power cut.
  collection.db.connection.pragma('synchronous = OFF');
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 20, maxLength: 60 }), async (steps) => {
      const model = new LifecycleModel(1_000_000, snapshotCount);
      const real = await RealRows.make(collection, model.now);
      const leases: ModelLease[] = [];
      for (const one of steps) {
        const lease = 'lease' in one ? leases.at(-1 - one.lease) : undefined;
        const expected = runModel(model, one, leases, lease);
        const answer = await real.run(one, lease, model.now);
        expect(answer, one.do).toEqual(expected);
        expect(real.look(), one.do).toEqual({ crawl: model.crawl, snapshots: model.snapshots });
      }
      await real.crash();
      await collection.db.write(() => collection.db.raw(`UPDATE process SET status = 'exited'`));
    }),
    { seed: 20_261_201, numRuns: 120 },
  );
  collection.close();
});
