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
