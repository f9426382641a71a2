import { normalizeId } from '../../shared/model/ids.ts';
import { probeLabel, uiOrigins } from '../../shared/protocol/hosts.ts';
import type { Collection } from '../collection/open-collection.ts';
import type { SnapshotRow } from '../collection/records/tables.ts';
import type { Logger } from '../log/logger.ts';
import { toAddresses, type ReplayAddresses } from './addresses.ts';
import { securityHeaders, type ReplayMode } from './headers.ts';
import { loadLabelSecret } from './label-secret.ts';
import { Labels } from './labels.ts';
import { findReplayable, findScreenshot, findServed, listReplayable, needsLabel } from './outputs.ts';
import { answerProbe } from './probe.ts';
import { refusalOf } from './request-rules.ts';
import { sentence } from './sentence.ts';
import { RewriteThread } from './rewrite/rewrite-thread.ts';
import { serveOutput } from './serve-output.ts';
import { Thumbnails, type Thumbnail } from './thumbnail/thumbnails.ts';

export interface ReplayOptions {
  collection: Pick<Collection, 'db' | 'blobs' | 'layout'>;
  /** Port of the UI and of the snapshot hosts. */
  port: () => number;
  /** Port of the fallback listener, while there is one. */
  fallbackPort: () => number | undefined;
  log: Pick<Logger, 'error'>;
  now?: () => number;
}

/**
 * Replay of kept pages on hosts of their own (DESIGN section 8): only recorded outputs, only GET and HEAD, never a
 * cookie, the same protection on every response. Labels carry their own proof, so nothing is remembered per visit.
 */
export interface Replay {
  /** Answers for `http://<label>.localhost:<port>/<plugin>/<path>`; never throws. */
  handle(label: string, request: Request): Promise<Response>;
  /** Answers for `http://127.0.0.1:<fallback port>/<label>/<plugin>/<path>`; never throws. */
  handleFallback(request: Request): Promise<Response>;
  /** Where the outputs of a snapshot can be looked at. Throws nothing; an unknown snapshot has no outputs. */
  addresses(snapshotId: string): ReplayAddresses;
  /** A small picture of the top of the page for lists; undefined when there is no picture of it. */
  thumbnail(snapshotId: string): Promise<Thumbnail | undefined>;
  /** Ends the threads that make thumbnails and rewrite pages. */
  close(): Promise<void>;
}

export function createReplay(options: ReplayOptions): Replay {
  return new SnapshotReplay(options);
}

/** Which snapshot a request may see, and the rest of its path: plugin and output path, still percent-encoded. */
interface Place {
  snapshot: SnapshotRow | undefined;
  path: string;
}

class SnapshotReplay implements Replay {
  private readonly options: ReplayOptions;
  private readonly db: ReplayOptions['collection']['db'];
  private readonly labels: Labels;
  private readonly thumbnails: Thumbnails;
  private readonly pages = new RewriteThread();

  constructor(options: ReplayOptions) {
    this.options = options;
    this.db = options.collection.db;
    this.labels = new Labels(loadLabelSecret(options.collection.layout.runtime()), options.now ?? Date.now);
    this.thumbnails = new Thumbnails(options.collection);
  }

  async handle(label: string, request: Request): Promise<Response> {
    const url = new URL(request.url);
    if (label === probeLabel) return answerProbe(request, this.options.port());
    const mode = url.searchParams.get('scripts') === '1' ? 'scripts' : 'static';
    return this.guarded(request, mode, () => ({
      snapshot: this.snapshotOfHost(label),
      path: url.pathname.slice(1),
    }));
  }

  async handleFallback(request: Request): Promise<Response> {
    const url = new URL(request.url);
    if (url.host !== `127.0.0.1:${this.options.fallbackPort() ?? ''}`) {
      const headers = securityHeaders('opaque', this.options.port());
      return sentence(421, 'This port answers only to its own address.', headers);
    }
    return this.guarded(request, 'opaque', () => {
      const [label = '', ...rest] = url.pathname.slice(1).split('/');
      const id = this.labels.read(label, 'path');
      return { snapshot: id === undefined ? undefined : findReplayable(this.db, id), path: rest.join('/') };
    });
  }

  addresses(snapshotId: string): ReplayAddresses {
    const snapshot = findReplayable(this.db, snapshotId);
    const isOpen = snapshot !== undefined && !needsLabel(snapshot.permissions);
    const label = isOpen ? snapshotId.replaceAll('-', '') : this.labels.make(snapshotId, 'host');
    const { port, fallbackPort } = this.options;
    const fallback = fallbackPort();
    return toAddresses(snapshot ? listReplayable(this.db, snapshotId) : [], {
      host: `${label}.localhost${port() === 80 ? '' : `:${port()}`}`,
      fallbackBase:
        fallback === undefined ? undefined : `http://127.0.0.1:${fallback}/${this.labels.make(snapshotId, 'path')}`,
    });
  }

  async thumbnail(snapshotId: string): Promise<Thumbnail | undefined> {
    const screenshot = findReplayable(this.db, snapshotId) && findScreenshot(this.db, snapshotId);
    return screenshot && this.thumbnails.of(screenshot.digest);
  }

  async close(): Promise<void> {
    await Promise.all([this.thumbnails.close(), this.pages.close()]);
  }

  /** An id names the host of a snapshot everyone may see; all others need a label that was made here. */
  private snapshotOfHost(label: string): SnapshotRow | undefined {
    const openId = normalizeId(label);
    const open = openId === undefined ? undefined : findReplayable(this.db, openId);
    if (open && !needsLabel(open.permissions)) return open;
    const id = this.labels.read(label, 'host');
    return id === undefined ? undefined : findReplayable(this.db, id);
  }

  private async guarded(request: Request, mode: ReplayMode, place: () => Place): Promise<Response> {
    const { log, port } = this.options;
    try {
      return await this.answer(request, mode, place());
    } catch (error) {
      log.error({ err: error, path: new URL(request.url).pathname }, 'replay failed');
      const headers = securityHeaders(mode, port());
      return sentence(500, 'Holdfast could not show this; its log names the reason.', headers);
    }
  }

  private async answer(request: Request, mode: ReplayMode, { snapshot, path }: Place): Promise<Response> {
    const { collection, port } = this.options;
    const headers = securityHeaders(mode, port());
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      headers.set('Allow', 'GET, HEAD');
      return sentence(405, 'Kept pages can only be read.', headers);
    }
    const refusal = refusalOf(request, mode);
    if (refusal !== undefined) return sentence(403, refusal, headers);
    if (!snapshot) {
      return sentence(404, 'This address is not valid any more; open the page from your library.', headers);
    }
    const [plugin, ...parts] = decodePath(path);
    const output = plugin === undefined ? undefined : findServed(this.db, snapshot.id, plugin, parts.join('/'));
    const response = await (output &&
      serveOutput(request, output, {
        blobs: collection.blobs,
        pages: this.pages,
        documentUrl: snapshot.url,
        linkPrefix: `${uiOrigins(port())[mode === 'opaque' ? 1 : 0]!}/web/`,
        headers,
        // A browser must not take a page with scripts from its cache for a tab, where the server would refuse it.
        mayCache: mode !== 'scripts',
      }));
    return response ?? sentence(404, 'This snapshot holds no such file.', headers);
  }
}

/** Decoded parts of a path; none when an escape is broken, which no recorded output can match. */
function decodePath(path: string): string[] {
  try {
    return path.split('/').map(decodeURIComponent);
  } catch {
    return [];
  }
}
