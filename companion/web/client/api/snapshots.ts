import type { SnapshotRecord } from '../../../../shared/model/api-records.ts';
import type { ResultOrigin } from '../../../../shared/model/states.ts';
import type { FoundAddresses, PatchSnapshotRequest, ResultLog } from '../../../../shared/protocol/requests.ts';
import { routes } from '../../../../shared/protocol/routes.ts';
import { request } from './request.ts';

export interface ListQuery {
  search?: string;
  tag?: string;
  url?: string;
  crawl_id?: string;
  cursor?: string;
  limit?: number;
}

/** How the companion took one part of a search. */
export interface Understood {
  kind: 'word' | 'phrase' | 'prefix' | 'tag' | 'url' | 'site' | 'after' | 'before' | 'ignored';
  text: string;
  isExcluded: boolean;
}

export interface SnippetPiece {
  text: string;
  hit: boolean;
}

/** What the companion says about a search beside the pages it found. */
interface SearchAnswer {
  understood: Understood[];
  /** By snapshot. */
  snippets: Record<string, SnippetPiece[]>;
  is_at_least: boolean;
  /** A sentence about limits of this answer. */
  note: string | null;
}

/** One page of the list: the reference's envelope as far as the UI reads it. */
export interface ListPage<Item> {
  total_items: number;
  items: Item[];
  next: string | null;
  /** Null when no words were searched for. */
  search: SearchAnswer | null;
}

export function listSnapshots(query: ListQuery, signal?: AbortSignal): Promise<ListPage<SnapshotRecord>> {
  return request(routes.snapshots, { query: { ...query, with_archiveresults: true }, ...(signal ? { signal } : {}) });
}

export function getSnapshot(id: string): Promise<SnapshotRecord> {
  return request(routes.snapshot(id), { query: { with_archiveresults: true } });
}

export function patchSnapshot(id: string, change: PatchSnapshotRequest): Promise<SnapshotRecord> {
  return request(routes.snapshot(id), { method: 'PATCH', body: change });
}

export function getResultLog(resultId: string): Promise<ResultLog> {
  return request(routes.resultLog(resultId));
}

export function deleteSnapshot(id: string): Promise<unknown> {
  return request(routes.snapshot(id), { method: 'DELETE', keepalive: true });
}

export type OutputKind = 'page' | 'picture' | 'text' | 'pdf' | 'file';

/** One output as replay offers it. */
export interface ReplayOutput {
  result_id: string;
  plugin: string;
  path: string;
  kind: OutputKind;
  label: string;
  url: string;
  /** The same where names below `localhost` do not resolve; null while there is none. */
  fallback_url: string | null;
  mimetype: string;
  download_url: string;
  size: number;
  digest: string;
  origin: ResultOrigin;
}

export const thumbnailAddress = (snapshotId: string) => `${routes.snapshot(snapshotId)}/thumbnail`;

export interface Replay {
  outputs: ReplayOutput[];
  /** Address of the output to show first; null while there is nothing to show. */
  preferred: string | null;
  host: string;
}

export function getReplay(snapshotId: string): Promise<Replay> {
  return request(routes.replayAddress(snapshotId));
}

/** Asks the companion to fetch these addresses itself, one snapshot each. */
export function addUrls(
  urls: string[],
  tag: string,
): Promise<{ success: boolean; errors: string[]; result?: AddResult }> {
  return request(routes.cliAdd, { method: 'POST', body: { urls, tag, depth: 0 } });
}

/** The addresses inside a text, as the companion finds them; nothing is kept by asking. */
export function findAddresses(text: string): Promise<FoundAddresses> {
  return request(routes.findAddresses, { method: 'POST', body: { text } });
}

interface AddResult {
  crawl_id?: string;
  num_snapshots?: number;
}

export function addTag(snapshotId: string, name: string): Promise<unknown> {
  return request(routes.addTag, { method: 'POST', body: { snapshot_id: snapshotId, tag_name: name } });
}
