import type { Collection } from '../collection/open-collection.ts';
import type { WorkScope } from '../collection/records/due-work.ts';
import { liveSettings } from '../config/live-settings.ts';
import { loadSettings } from '../config/settings.ts';
import { createLogger } from '../log/logger.ts';
import type { HookSkips } from '../runner/hook-skips.ts';
import { createRunnerContext, type RunnerEvent } from '../runner/runner-context.ts';
import { workUntilDone } from '../runner/start-runner.ts';
import { say } from './output.ts';

export interface WorkRequest {
  scope: WorkScope;
  daemon: boolean;
  takeOver: boolean;
  isDone?: () => boolean;
  onStandBy?: (sentence: string) => void;
}

/** Binds a collection and its settings to `workUntilDone`, for the commands that run or watch work. */
export function createWork(
  collection: Collection,
  options: { onEvent?: (event: RunnerEvent) => void; skips?: HookSkips },
): (request: WorkRequest, signal: AbortSignal) => Promise<void> {
  const loaded = loadSettings(collection.layout.settings());
  const log = createLogger(loaded.settings.LOG_LEVEL, 'holdfast-runner');
  const live = liveSettings(collection.layout.settings(), (err) =>
    log.warn({ err }, 'the changed settings cannot be used; the earlier ones stay'),
  );
  return (request, signal) =>
    workUntilDone(
      {
        ...request,
        collection,
        createContext: () => createRunnerContext({ collection, loaded, log, onNotice: say, ...options }),
        concurrencyMax: () => live().CRAWL_MAX_CONCURRENT_SNAPSHOTS,
      },
      signal,
    );
}
