import { onTestFinished } from 'vitest';
import { Access } from '../../companion/auth/access.ts';
import { openCollection, type Collection } from '../../companion/collection/open-collection.ts';
import { ensureSnapshot } from '../../companion/collection/records/snapshots.ts';
import { loadSettings } from '../../companion/config/settings.ts';
import { createApp } from '../../companion/http/app.ts';
import { listenOnLoopback } from '../../companion/http/listen.ts';
import { createLogger } from '../../companion/log/logger.ts';
import { createReplay } from '../../companion/replay/replay.ts';
import { createSearch } from '../../companion/search/search.ts';
import { defaultUploadLimits, type UploadLimits } from '../../companion/uploads/room.ts';
import { createUploads, type Uploads } from '../../companion/uploads/uploads.ts';
import { createWebShell } from '../../companion/web/serve.ts';
import { uploadHookName } from '../../shared/model/states.ts';
import { probeAddress } from '../../shared/protocol/hosts.ts';
import { routes } from '../../shared/protocol/routes.ts';
import { traceStatements, type TracedStatement } from './statement-trace.ts';
import { sendRequest, type RequestOptions, type TestAnswer } from './companion.ts';

/** The HTTP app on a real socket over a real collection, in this process, so that its statements can be watched. */
export interface UploadServer {
  port: number;
  token: string;
  collection: Collection;
  uploads: Uploads;
  access: Access;
  /** Methods and paths that are answered. */
  routes: readonly { method: string; path: string }[];
  /** Statements executed since the last call. */
  takeStatements: () => TracedStatement[];
  request: (path: string, options?: RequestOptions) => Promise<TestAnswer>;
  stop: () => Promise<void>;
}

export async function startUploadServer(dataDir: string, limits: Partial<UploadLimits> = {}): Promise<UploadServer> {
  const trace = traceStatements();
  const collection = await openCollection(dataDir, { onStatement: trace.note });
  const log = createLogger('silent', 'test');
  const uploads = await createUploads({
    collection,
    log,
    limits: { ...defaultUploadLimits, freeDiskBytesMin: 0, ...limits },
  });
  const search = createSearch({ collection, log, isFollowing: false });
  let port = 0;
  const replay = createReplay({ collection, port: () => port, fallbackPort: () => undefined, log });
  const access = new Access(collection);
  const app = createApp({
    collection,
    access,
    uploads,
    search,
    replay,
    web: createWebShell({
      folder: dataDir,
      frameSources: ['http://*.localhost:1', 'http://127.0.0.1:2'],
      probe: probeAddress(1),
    }),
    settings: loadSettings(collection.layout.settings()).settings,
    log,
    port: () => port,
    checkAddress: () => ({ ok: true }),
    checkOwnAddress: () => ({ ok: true }),
  });
  const listening = await listenOnLoopback(app as unknown as Parameters<typeof listenOnLoopback>[0], 0);
  port = listening.port;
  const { token } = await access.newToken('test');
  let stopped: Promise<void> | undefined;
  const stop = (): Promise<void> => {
    stopped ??= (async () => {
      await listening.close();
      uploads.close();
      await search.close();
      await replay.close();
      collection.close();
    })();
    return stopped;
  };
  onTestFinished(stop);
  return {
    port,
    token,
    collection,
    uploads,
    access,
    routes: app.routes,
    takeStatements: trace.take,
    request: (path, options = {}) =>
      sendRequest(port, path, { ...options, headers: { authorization: `Bearer ${token}`, ...options.headers } }),
    stop,
  };
}

/** A snapshot with one announced result; returns both ids. */
export async function announceResult(
  collection: Collection,
  request: UploadServer['request'],
  plugin = 'chrome_extension_singlefile',
): Promise<{ snapshotId: string; resultId: string }> {
  const input = await collection.gate.promoteBytes(Buffer.from('https://example.org/page\n'));
  const snapshot = await collection.db.write(() =>
    ensureSnapshot(
      collection.db,
      {
        url: 'https://example.org/page',
        ownerId: collection.owner.id,
        depth: 0,
        titleOrigin: 'browser',
        tags: [],
        notes: '',
        source: 'browser',
        expectedCaptures: [plugin],
        bookmarkedAt: Date.now(),
        permissions: 'private',
        inputDigest: input.digest,
      },
      Date.now(),
    ),
  );
  const body = JSON.stringify({ snapshot_id: snapshot.row.id, plugin, hook_name: uploadHookName, status: 'started' });
  const answer = await request(routes.results, { method: 'POST', body });
  if (answer.status !== 200) throw new Error(`announcing failed: ${answer.body.toString()}`);
  return { snapshotId: snapshot.row.id, resultId: answer.json().id as string };
}

/** Address of one raw chunk. */
export function chunkAddress(resultId: string, query: Record<string, string | number>): string {
  const text = Object.entries(query).map(([name, value]) => `${name}=${encodeURIComponent(String(value))}`);
  return `${routes.result(resultId)}?${text.join('&')}`;
}

/** A multipart body with text fields first and files behind them. */
export function formBody(
  fields: Record<string, string | string[]>,
  files: readonly { name?: string; filename: string; type?: string; bytes: Uint8Array }[] = [],
): { body: Buffer; headers: Record<string, string> } {
  const boundary = '----holdfast-test-boundary';
  const parts: (Buffer | Uint8Array)[] = [];
  for (const [name, values] of Object.entries(fields)) {
    for (const value of [values].flat()) {
      parts.push(Buffer.from(`--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`));
    }
  }
  for (const file of files) {
    const head = `--${boundary}\r\nContent-Disposition: form-data; name="${file.name ?? 'files'}"; filename="${file.filename}"\r\n`;
    parts.push(
      Buffer.from(`${head}Content-Type: ${file.type ?? 'application/octet-stream'}\r\n\r\n`),
      file.bytes,
      Buffer.from('\r\n'),
    );
  }
  parts.push(Buffer.from(`--${boundary}--\r\n`));
  return { body: Buffer.concat(parts), headers: { 'content-type': `multipart/form-data; boundary=${boundary}` } };
}
