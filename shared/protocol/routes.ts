/** Paths of the API in one place; `http`, the extension, the web UI and the tests build addresses from here. */
const base = '/api/v1';

export const routes = {
  base,
  hello: `${base}/hello`,
  pair: `${base}/pair`,
  session: `${base}/session`,
  events: `${base}/events`,
  snapshots: `${base}/core/snapshots`,
  snapshot: (id: string) => `${base}/core/snapshot/${id}`,
  restoreSnapshot: (id: string) => `${base}/core/snapshot/${id}/restore`,
  trash: `${base}/core/trash`,
  emptyTrash: `${base}/core/trash/empty`,
  results: `${base}/core/archiveresults`,
  result: (id: string) => `${base}/core/archiveresult/${id}`,
  resultUploads: (id: string) => `${base}/core/archiveresult/${id}/uploads`,
  resultLog: (id: string) => `${base}/core/archiveresult/${id}/log`,
  resultFiles: (id: string) => `${base}/core/archiveresult/${id}/files`,
  /** Bytes of one recorded output as a download; `path` is the output's path inside its result. */
  resultFile: (id: string, path: string) =>
    `${base}/core/archiveresult/${id}/file/${path.split('/').map(encodeURIComponent).join('/')}`,
  digests: `${base}/core/digests`,
  tags: `${base}/core/tags`,
  addTag: `${base}/core/tags/add-to-snapshot/`,
  removeTag: `${base}/core/tags/remove-from-snapshot/`,
  crawls: `${base}/crawls/crawls`,
  crawl: (id: string) => `${base}/crawls/crawl/${id}`,
  cliAdd: `${base}/cli/add`,
  cliSearch: `${base}/cli/search`,
  findAddresses: `${base}/import/addresses`,
  checkToken: `${base}/auth/check_api_token`,
  status: `${base}/status`,
  /** Asks for the replay address of one snapshot: `{replay: {output path: address}}`. */
  replayAddress: (snapshotId: string) => `${base}/core/snapshot/${snapshotId}/replay`,
} as const;
