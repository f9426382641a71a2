import type { ErrorCode } from '../../shared/errors/holdfast-error.ts';
import type { SearchFilters } from './compile-query.ts';
import type { SnippetSegment } from './make-snippet.ts';
import type { Understood } from './parse-query.ts';

/** Indexing and answering are two threads of one program, so that neither waits for the other. */
export interface WorkerSettings {
  role: 'index' | 'query';
  /** Root of the collection. */
  root: string;
}

export interface SearchRequest {
  kind: 'search';
  query: string;
  limit: number;
  cursor: string | undefined;
  filters: SearchFilters;
  typing: boolean;
  /** When nobody waits for the answer any more, milliseconds of the clock. */
  deadlineAt: number;
}

export interface SearchReply {
  ids: string[];
  total: number;
  isAtLeast: boolean;
  next: string | null;
  understood: Understood[];
  snippets: [string, SnippetSegment[]][];
  note: string | undefined;
}

export type IndexRequest =
  /** Answered when the index can be read. */
  | { kind: 'open' }
  /** Answered when everything recorded before is in the index. */
  | { kind: 'catchUp' }
  /** Answered when the index was made anew from nothing. */
  | { kind: 'rebuild' }
  /** Never answered: something may have changed. */
  | { kind: 'look' };

export type WorkerRequest = SearchRequest | IndexRequest;

/** What goes to a worker: a request with the flag that is set when its asker has gone. */
export interface Envelope {
  id: number;
  request: WorkerRequest;
  abandoned: SharedArrayBuffer;
}

/** `damaged` is no failure of the asker: the index is made anew and the question asked again. */
export type ReplyError = { code: ErrorCode | 'damaged' | 'abandoned'; message: string };

export type WorkerMessage =
  | { kind: 'reply'; id: number; value: unknown }
  | { kind: 'failure'; id: number; error: ReplyError }
  | { kind: 'building'; isBuilding: boolean }
  | { kind: 'trouble'; sentence: string };
