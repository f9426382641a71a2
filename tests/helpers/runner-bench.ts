import path from 'node:path';
import { onTestFinished } from 'vitest';
import { openCollection, type Collection } from '../../companion/collection/open-collection.ts';
import { findCrawl } from '../../companion/collection/records/crawls.ts';
import { snapshotsOfCrawl } from '../../companion/collection/records/crawl-progress.ts';
import type { WorkScope } from '../../companion/collection/records/due-work.ts';
import { outputsOfResults, resultsOfSnapshots } from '../../companion/collection/records/results.ts';
import { submitCrawl } from '../../companion/collection/submit-crawl.ts';
import type { ArchiveResultRow, CrawlRow, OutputRow, SnapshotRow } from '../../companion/collection/records/tables.ts';
import { loadSettings } from '../../companion/config/settings.ts';
import { createLogger } from '../../companion/log/logger.ts';
import type { HookServices } from '../../companion/runner/hook-services.ts';
import { createRunnerContext, type RunnerContext } from '../../companion/runner/runner-context.ts';
import { workUntilDone } from '../../companion/runner/start-runner.ts';
import { temporaryFolder } from './temporary-folder.ts';

const fixturePlugins = path.resolve(import.meta.dirname, '../fixtures/hooks/plugins');

/** Fixture hooks use neither network nor browser. */
const plainServices: HookServices = {
  proxyEnvironment: async () => ({}),
  lendBrowser: () => Promise.reject(new Error('there is no browser in this test')),
  nodeModulesDir: '',
  close: async () => undefined,
};

export interface RunnerBench {
  root: string;
  collection: Collection;
  context: RunnerContext;
  /** Queues a crawl of these addresses for some fixture plugins. */
  submit(
    urls: readonly string[],
    plugins: readonly string[],
    config?: Record<string, unknown>,
    maxDepth?: number,
  ): Promise<CrawlRow>;
  /** Works as `holdfast run` does. */
  work(scope?: WorkScope, signal?: AbortSignal): Promise<void>;
  crawl(id: string): CrawlRow;
  snapshots(crawlId: string): SnapshotRow[];
  results(snapshotId: string): ArchiveResultRow[];
  result(snapshotId: string, plugin: string): ArchiveResultRow;
  outputs(snapshotId: string, plugin: string): OutputRow[];
  /** Resolves when the condition holds after some ring of the bell. */
  until(what: string, condition: () => boolean): Promise<void>;
}

/** A collection in a temporary folder with a runner that knows the fixture plugins. */
export async function runnerBench(root: string = temporaryFolder('runner')): Promise<RunnerBench> {
  const collection = await openCollection(root);
  onTestFinished(() => collection.close());
  const loaded = loadSettings(collection.layout.settings(), { EGRESS_ALLOW: '' });
  const log = createLogger('silent', 'test');
  const context = await createRunnerContext({
    collection,
    loaded,
    log,
    pluginFolders: [fixturePlugins],
    services: plainServices,
  });
  const { db } = collection;
  const bench: RunnerBench = {
    root,
    collection,
    context,
    submit: (urls, plugins, config = {}, maxDepth = 0) =>
      submitCrawl(collection, {
        text: `${urls.join('\n')}\n`,
        config: { PARSER: 'url_list', PLUGINS: plugins.join(','), ...config },
        maxDepth,
        tags: [],
        label: '',
        permissions: 'private',
      }),
    work: (scope = {}, signal = new AbortController().signal) =>
      workUntilDone(
        {
          collection,
          createContext: async () => context,
          scope,
          daemon: false,
          takeOver: false,
          concurrencyMax: () => 4,
        },
        signal,
      ),
    crawl: (id) => findCrawl(db, id)!,
    snapshots: (crawlId) => snapshotsOfCrawl(db, crawlId, 100),
    results: (snapshotId) => resultsOfSnapshots(db, [snapshotId]),
    result: (snapshotId, plugin) => bench.results(snapshotId).find((row) => row.plugin === plugin)!,
    outputs: (snapshotId, plugin) => {
      const result = bench.results(snapshotId).find((row) => row.plugin === plugin);
      return result ? (outputsOfResults(db, [result.id]).get(result.id) ?? []) : [];
    },
    until: async (what, condition) => {
      const deadline = performance.now() + 20_000;
      while (!condition()) {
        if (performance.now() > deadline) throw new Error(`waited too long until ${what}`);
        await collection.bell.next(100);
      }
    },
  };
  return bench;
}
