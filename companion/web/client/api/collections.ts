import { routes } from '../../../../shared/protocol/routes.ts';
import type { ListPage } from './snapshots.ts';
import { request } from './request.ts';

export interface TagCount {
  id: number | string;
  name: string;
  num_snapshots: number;
}

export function listTags(): Promise<ListPage<TagCount>> {
  return request(routes.tags, { query: { limit: 200 } });
}
