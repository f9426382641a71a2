import { HoldfastError } from '../../shared/errors/holdfast-error.ts';
import { limits } from '../../shared/limits.ts';
import type { Collection } from '../collection/open-collection.ts';
import type { Logger } from '../log/logger.ts';
import type { SearchFilters } from './compile-query.ts';
import type { SnippetSegment } from './make-snippet.ts';
import type { Understood } from './parse-query.ts';
import { DamagedIndex, WorkerChannel, type WorkerNews } from './worker-channel.ts';
import type { SearchReply, SearchRequest } from './worker-messages.ts';

export type { SearchFilters } from './compile-query.ts';
export type { SnippetSegment } from './make-snippet.ts';
export type { Understood } from './parse-query.ts';

export interface SearchOptions {
  /** Most ids in the answer. */
  limit: number;
  /** `next` of the answer before. */
  cursor?: string | undefined;
  /** Conditions beside the text, for lists with filters of their own. */
  filters?: SearchFilters | undefined;
  /** True while the reader types: the last word may be unfinished. */
  typing?: boolean | undefined;
  /** Aborted when the asker has gone; the search is given up. */
  signal?: AbortSignal | undefined;
}

export interface SearchAnswer {
  /** Snapshot ids, the best first; without words the newest first. */
  ids: string[];
  /** Pages that match; at least so many when `isAtLeast`. */
  total: number;
  isAtLeast: boolean;
  next: string | null;
  /** How each part of the query was taken. */
  understood: Understood[];
  /** Text around the words, by snapshot id, for pages whose text holds them. */
  snippets: Map<string, SnippetSegment[]>;
  /** A sentence for the reader when the answer is not the whole truth. */
  note: string | undefined;
}

/** The search index of a collection. Everything slow happens in threads of its own. */
export interface Search {
  /** Throws `bad_request` for a foreign cursor, `busy` when it takes too long, the signal's reason when aborted. */
  search(query: string, options: SearchOptions): Promise<SearchAnswer>;
  /** Resolves when everything recorded until now can be found. */
  catchUp(signal?: AbortSignal): Promise<void>;
  /** Makes the index anew from the collection. */
  rebuild(): Promise<void>;
  close(): Promise<void>;
}

export interface SearchDependencies {
  collection: Pick<Collection, 'root' | 'bell'>;
  log: Pick<Logger, 'warn'>;
  /** False (one-off commands): the index is brought up to date only by `catchUp`. */
  isFollowing?: boolean;
}

/** The thread's own limit comes first; this one is for a thread that hangs inside one step. */
const hangMs = 2_000;

/** Opens the search of a collection; with `isFollowing` (the default) it indexes what the bell announces. */
export function createSearch({ collection, log, isFollowing = true }: SearchDependencies): Search {
  let isBuilding = false;
  const onNews = (news: WorkerNews): void => {
    if (news.kind === 'building') isBuilding = news.isBuilding;
    else log.warn(news.sentence);
  };
  const indexer = new WorkerChannel({ role: 'index', root: collection.root }, onNews);
  const queries = new WorkerChannel({ role: 'query', root: collection.root }, onNews);
  let stopFollowing: () => void = () => undefined;
  if (isFollowing) {
    stopFollowing = collection.bell.onRing(() => indexer.tell({ kind: 'look' }));
    indexer.tell({ kind: 'look' });
  }

  const ask = async (request: SearchRequest, signal: AbortSignal): Promise<SearchReply> => {
    await indexer.ask({ kind: 'open' }, signal);
    try {
      return await queries.ask<SearchReply>(request, signal);
    } catch (error) {
      if (!(error instanceof DamagedIndex)) throw error;
      log.warn(`The search index is damaged and is made anew: ${error.message}`);
      await indexer.ask({ kind: 'rebuild' }, signal);
      return queries.ask<SearchReply>(request, signal);
    }
  };

  return {
    async search(query, { limit, cursor, filters = {}, typing = false, signal }) {
      const timeout = AbortSignal.timeout(limits.searchDeadlineMs + hangMs);
      const deadlineAt = Date.now() + limits.searchDeadlineMs;
      const request: SearchRequest = { kind: 'search', query, limit, cursor, filters, typing, deadlineAt };
      try {
        const reply = await ask(request, signal ? AbortSignal.any([signal, timeout]) : timeout);
        const note =
          reply.note ?? (isBuilding ? 'The search index is still being made; some pages are missing here.' : undefined);
        return { ...reply, snippets: new Map(reply.snippets), note };
      } catch (error) {
        if (!timeout.aborted || signal?.aborted) throw error;
        throw new HoldfastError('busy', 'This search takes too long; add a word, a tag or a date to narrow it.', {
          cause: error,
        });
      }
    },
    catchUp: (signal) => indexer.ask({ kind: 'catchUp' }, signal),
    rebuild: () => indexer.ask({ kind: 'rebuild' }),
    async close() {
      stopFollowing();
      await Promise.all([indexer.close(), queries.close()]);
    },
  };
}
