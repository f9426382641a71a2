import type { CrawlRecord } from '../../../../shared/model/api-records.ts';
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

/** Newest first; `urls` holds the beginning of what was submitted. */
export function listCrawls(): Promise<CrawlRecord[]> {
  return request(routes.crawls);
}
