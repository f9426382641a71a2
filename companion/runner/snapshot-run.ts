import path from 'node:path';
import { limits } from '../../shared/limits.ts';
import { parseSize } from '../../shared/words/sizes.ts';
import { parseObject } from '../collection/records/common.ts';
import type { Outlink } from '../collection/records/crawl-progress.ts';
import { findCrawl } from '../collection/records/crawls.ts';
import { beatSnapshot, type Lease } from '../collection/records/leases.ts';
import { findSnapshot, requireSnapshot } from '../collection/records/snapshots.ts';
import type { CrawlRow, SnapshotRow } from '../collection/records/tables.ts';
import { resolveHookConfig, type HookConfig } from '../plugin-registry/hook-config.ts';
import type { LentBrowser } from './hook-services.ts';
import type { RunnerContext } from './runner-context.ts';

/** Why a run begins no further hook. */
export type StopReason = 'paused' | 'cancelled' | 'lost' | 'shutdown';

/**
 * One claimed snapshot while it is worked on: its lease, its folder, and the facts its hooks share. The rows stay the
 * only lifecycle state; this holds what dies with the run.
 */
export class SnapshotRun {
  readonly context: RunnerContext;
  readonly lease: Lease;
  /** The state the snapshot was claimed in: `sealed` for late captures and requested plugins. */
  readonly claimedAs: 'started' | 'sealed';
  readonly folder: string;
  readonly crawlFolder: string;
  readonly crawl: CrawlRow;
  readonly config: HookConfig;
  /** `<plugin>/<path>` to the signature of files that are recorded or were laid out. */
  readonly knownFiles = new Map<string, string>();
  /** Printed by hooks of this run, with the plugin that printed them. */
  readonly links: Outlink[] = [];
  /** How often this run's own outputs raised `inputs_revision`. */
  ownRevisions = 0;
  private readonly aborter = new AbortController();
  private readonly browsers = new Map<boolean, Promise<LentBrowser>>();
  private readonly stopListening: (() => void)[] = [];
  private beat: NodeJS.Timeout | undefined;
  private stop: StopReason | undefined;

  constructor(context: RunnerContext, lease: Lease, claimedAs: 'started' | 'sealed') {
    this.context = context;
    this.lease = lease;
    this.claimedAs = claimedAs;
    const snapshot = this.row();
    this.crawl = findCrawl(context.collection.db, snapshot.crawl_id)!;
    const { layout } = context.collection;
    this.folder = layout.snapshotRun(lease.id, lease.generation);
    this.crawlFolder = layout.crawlRun(this.crawl.id, this.crawl.lease_generation);
    this.config = resolveHookConfig(context.catalogue, [
      context.settings,
      parseObject(this.crawl.config),
      parseObject(snapshot.config),
    ]);
  }

  /** Aborted when running hooks must end at once. */
  get signal(): AbortSignal {
    return this.aborter.signal;
  }

  row(): SnapshotRow {
    return requireSnapshot(this.context.collection.db, this.lease.id);
  }

  pluginFolder(plugin: string): string {
    return path.join(this.folder, plugin);
  }

  /** Keeps the lease and notices pauses and cancellations, by the bell at once and by the heartbeat at the latest. */
  startWatching(shutdown: AbortSignal): void {
    this.beat = setInterval(() => void this.heartbeat(), limits.heartbeatMs);
    this.stopListening.push(this.context.collection.bell.onRing(() => this.look()));
    const onShutdown = (): void => this.stopWith('shutdown');
    shutdown.addEventListener('abort', onShutdown);
    this.stopListening.push(() => shutdown.removeEventListener('abort', onShutdown));
    if (shutdown.aborted) onShutdown();
  }

  /** Why no further hook may begin, from the row as it is now; undefined while the work goes on. */
  stopReason(): StopReason | undefined {
    this.look();
    return this.stop;
  }

  /** The page has used up `SNAPSHOT_MAX_SIZE`; runs that were asked for by name know no limit. */
  isFull(): boolean {
    const bytesMax = parseSize(this.config['SNAPSHOT_MAX_SIZE']) ?? 0;
    return this.claimedAs === 'started' && bytesMax > 0 && this.row().output_size >= bytesMax;
  }

  lendBrowser(network: boolean): Promise<LentBrowser> {
    let lent = this.browsers.get(network);
    if (!lent) {
      lent = this.context.services.lendBrowser({ persona: this.persona, network });
      this.browsers.set(network, lent);
    }
    return lent;
  }

  get persona(): string {
    return String(this.config['ACTIVE_PERSONA'] ?? 'Default');
  }

  async close(): Promise<void> {
    clearInterval(this.beat);
    for (const stopListening of this.stopListening) stopListening();
    const lent = await Promise.allSettled(this.browsers.values());
    for (const one of lent) if (one.status === 'fulfilled') one.value.release();
  }

  private async heartbeat(): Promise<void> {
    const { db } = this.context.collection;
    try {
      const state = await db.write(() => beatSnapshot(db, this.lease, this.claimedAs, Date.now()));
      if (state === 'lost') this.stopWith('lost');
    } catch (error) {
      // The lease outlives several missed beats, and nobody takes it while this runner lives.
      this.context.log.warn({ err: error, snapshot: this.lease.id }, 'heartbeat could not be written');
    }
    this.look();
  }

  private look(): void {
    const { db } = this.context.collection;
    const row = findSnapshot(db, this.lease.id);
    const crawl = findCrawl(db, this.crawl.id);
    if (!row || row.lease_generation !== this.lease.generation) this.stopWith('lost');
    else if (row.trashed_at !== null) this.stopWith('cancelled');
    else if (this.claimedAs === 'sealed') return;
    else if (row.status === 'sealed' || crawl?.status === 'sealed') this.stopWith('cancelled');
    else if (row.status === 'paused' || row.status === 'queued' || crawl?.status === 'paused') this.stop ??= 'paused';
  }

  private stopWith(reason: StopReason): void {
    // A pause lets running hooks finish; whatever comes after it may still end them.
    if (this.stop === undefined || this.stop === 'paused') this.stop = reason;
    this.aborter.abort();
  }
}
