import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { openCollection, type Collection } from '../../companion/collection/open-collection.ts';
import { recordOutputs } from '../../companion/collection/records/results.ts';
import { ensureSnapshot } from '../../companion/collection/records/snapshots.ts';
import { listenOnFreePort } from '../../companion/http/listen.ts';
import { createReplay, type Replay } from '../../companion/replay/replay.ts';
import { uploadHookName, type Permission } from '../../shared/model/states.ts';

/** A real collection with replay on real sockets, and around it the little of the UI that frames it. */
export interface ReplayBench {
  collection: Collection;
  replay: Replay;
  port: number;
  fallbackPort: number;
  /** Requests to the UI's host, as `GET /path`. */
  uiRequests: string[];
  /** Milliseconds that the replay's clock runs ahead. */
  clock: { ahead: number };
  keep: (page: KeptPage) => Promise<string>;
  /** Address of the first output of this plugin. */
  addressOf: (snapshotId: string, plugin?: string) => string;
  fallbackOf: (snapshotId: string, plugin?: string) => string;
  /** A page of the UI that shows an address in its frame, allowed to frame that host only. */
  frameOf: (address: string) => string;
  /** A page of the UI's fallback address that does the same. */
  fallbackFrameOf: (address: string) => string;
  close: () => Promise<void>;
}

export interface KeptPage {
  url?: string;
  permissions?: Permission;
  outputs: { plugin?: string; path: string; mimetype: string; body: string | Uint8Array }[];
}

const hostOf = (address: string): string => new URL(address).host;

export async function startReplayBench(): Promise<ReplayBench> {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'holdfast-replay-'));
  const collection = await openCollection(folder);
  const clock = { ahead: 0 };
  const ports = { main: 0, fallback: 0 };
  const uiRequests: string[] = [];
  const replay = createReplay({
    collection,
    port: () => ports.main,
    fallbackPort: () => ports.fallback,
    log: {
      error: (facts: unknown) => {
        throw new Error(`replay failed: ${JSON.stringify(facts)}`);
      },
    },
    now: () => Date.now() + clock.ahead,
  });
  const main = await listenOnFreePort((request) => {
    const { hostname } = new URL(request.url);
    if (hostname === 'holdfast.localhost' || hostname === '127.0.0.1') return answerUi(request, uiRequests);
    return replay.handle(hostname.split('.')[0]!, request);
  });
  const fallback = await listenOnFreePort((request) => replay.handleFallback(request));
  ports.main = main.port;
  ports.fallback = fallback.port;
  const outputOf = (id: string, plugin?: string) => {
    const { outputs } = replay.addresses(id);
    const found = plugin === undefined ? outputs[0] : outputs.find((output) => output.plugin === plugin);
    if (!found) throw new Error(`snapshot ${id} has no output of ${plugin ?? 'any plugin'}`);
    return found;
  };
  const framed = (origin: string, address: string) => `${origin}/frame?src=${encodeURIComponent(address)}`;
  return {
    collection,
    replay,
    port: main.port,
    fallbackPort: fallback.port,
    uiRequests,
    clock,
    keep: (page) => keep(collection, page),
    addressOf: (id, plugin) => outputOf(id, plugin).url,
    fallbackOf: (id, plugin) => outputOf(id, plugin).fallback_url!,
    frameOf: (address) => framed(`http://holdfast.localhost:${main.port}`, address),
    fallbackFrameOf: (address) => framed(`http://127.0.0.1:${main.port}`, address),
    close: async () => {
      await Promise.all([main.close(), fallback.close(), replay.close()]);
      collection.close();
      fs.rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

async function keep(collection: Collection, page: KeptPage): Promise<string> {
  const now = Date.now();
  const url = page.url ?? 'https://site.example/article';
  const input = await collection.gate.promoteBytes(Buffer.from(url));
  const { row } = await collection.db.write(() =>
    ensureSnapshot(
      collection.db,
      {
        url,
        ownerId: collection.owner.id,
        depth: 0,
        titleOrigin: 'browser',
        tags: [],
        notes: '',
        source: 'browser',
        expectedCaptures: [],
        bookmarkedAt: now,
        permissions: page.permissions ?? 'private',
        inputDigest: input.digest,
      },
      now,
    ),
  );
  for (const output of page.outputs) {
    const { digest, size } = await collection.gate.promoteBytes(Buffer.from(output.body));
    const plugin = output.plugin ?? 'chrome_extension_singlefile';
    const file = { path: output.path, size, mimetype: output.mimetype, declaredType: output.mimetype, digest };
    await collection.db.write(() =>
      recordOutputs(
        collection.db,
        { snapshotId: row.id, plugin, hookName: uploadHookName },
        [file],
        { status: 'succeeded', origin: 'browser' },
        now,
      ),
    );
  }
  return row.id;
}

/** The UI as far as replay meets it: a page with a frame, pages for addresses, an API with a secret, a cookie. */
function answerUi(request: Request, seen: string[]): Response {
  const url = new URL(request.url);
  seen.push(`${request.method} ${url.pathname}`);
  if (url.pathname === '/api/v1/secret') return Response.json({ secret: 'of the UI' });
  const source = url.searchParams.get('src');
  const body =
    source === null
      ? `<!doctype html><title>The library</title><p id="place">${escape(decodeURIComponent(url.pathname))}</p>`
      : `<!doctype html><title>Frame</title><style>iframe{width:90vw;height:80vh}</style><iframe src="${escape(source)}"></iframe>`;
  return new Response(body, {
    headers: {
      'Content-Type': 'text/html; charset=utf-8',
      'Content-Security-Policy': `default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; frame-src ${source === null ? "'none'" : hostOf(source)}; frame-ancestors 'none'`,
      'Cross-Origin-Opener-Policy': 'same-origin',
      'Set-Cookie': '__Host-holdfast=session; Path=/; Secure; HttpOnly; SameSite=Strict',
    },
  });
}

function escape(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;');
}
