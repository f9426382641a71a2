import type { CrawlRecord } from '../../../../shared/model/api-records.ts';
import type { PatchCrawlRequest } from '../../../../shared/protocol/requests.ts';
import { routes } from '../../../../shared/protocol/routes.ts';
import { request } from './request.ts';

export interface TagCount {
  id: string;
  name: string;
  num_snapshots: number;
}

export function listTags(): Promise<{ items: TagCount[] }> {
  return request(routes.tags);
}

export function getCrawl(id: string): Promise<CrawlRecord> {
  return request(routes.crawl(id));
}

export function patchCrawl(id: string, change: PatchCrawlRequest): Promise<CrawlRecord> {
  return request(routes.crawl(id), { method: 'PATCH', body: change });
}

/** Newest first; `urls` holds the beginning of what was submitted. */
export function listCrawls(): Promise<CrawlRecord[]> {
  return request(routes.crawls);
}
