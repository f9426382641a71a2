import { readFile } from 'node:fs/promises';
import path from 'node:path';

/** A finished answer, for `http` to send as it is. */
export interface WebAnswer {
  status: number;
  headers: Record<string, string>;
  body: Uint8Array;
}

export interface WebShell {
  /**
   * Answers a path of the UI's host (without query): a built file, or the shell for every page address. The shell
   * holds no data, so it may be given to anybody; data comes from the API with the reader's cookie. `scriptsLabel` is
   * the host label of a copy that shall run its scripts: that document may frame this one host and no other.
   */
  serve(pathname: string, scriptsLabel?: string): Promise<WebAnswer>;
}

const types: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
};

export interface WebShellOptions {
  /** Where the build wrote the UI (`dist/web`). */
  folder: string;
  /** Hosts kept pages may be framed from: every snapshot's own (with `*` for the label), then the fallback port. */
  frameSources: readonly [ownHosts: string, fallback: string];
  /** The one picture that may come from elsewhere, to learn whether names below `localhost` resolve. */
  probe: string;
}

/** Headers of every answer of the UI's host; nothing but what `frames` and `probe` name is ever loaded from elsewhere. */
function shellHeaders(frames: readonly string[], probe: string): Record<string, string> {
  const policy = [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    `img-src 'self' ${probe}`,
    "connect-src 'self'",
    `frame-src ${frames.join(' ')}`,
    "form-action 'none'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ];
  return {
    'content-security-policy': policy.join('; '),
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
    'permissions-policy': 'camera=(), geolocation=(), microphone=(), payment=(), usb=()',
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
  };
}

/** What the label of a snapshot's host looks like; anything else in the address asks for nothing. */
const LABEL = /^[a-z0-9]{32,63}$/;

/** Serves the UI that the build wrote. */
export function createWebShell(options: WebShellOptions): WebShell {
  const { frameSources, probe } = options;
  return {
    async serve(pathname, scriptsLabel) {
      const oneHost = scriptsLabel !== undefined && LABEL.test(scriptsLabel);
      const headers = shellHeaders(oneHost ? [frameSources[0].replace('*', scriptsLabel)] : frameSources, probe);
      const name = fileNameOf(pathname);
      const file = await readBuilt(options.folder, name ?? 'index.html');
      if (name !== undefined && file) return answer(200, file, { ...headers, ...fileHeaders(name) });
      if (name !== undefined)
        return textAnswer(404, headers, 'There is no such file. Load the library again; it was updated.');
      if (file) return answer(200, file, { ...headers, ...fileHeaders('index.html') });
      return textAnswer(503, headers, 'The library is not built. Run "npm run build", then start Holdfast again.');
    },
  };
}

/** Name of a built file, or undefined where the address is one of the UI's pages. */
function fileNameOf(pathname: string): string | undefined {
  return /^\/(assets\/[A-Za-z0-9_-]+\.[A-Za-z0-9_.-]+)$/.exec(pathname)?.[1];
}

/** Names with a digest never change their bytes; the shell is asked for anew, so that an update is seen at once. */
function fileHeaders(name: string): Record<string, string> {
  return {
    'content-type': types[path.extname(name)] ?? 'application/octet-stream',
    'cache-control': name === 'index.html' ? 'no-cache' : 'public, max-age=31536000, immutable',
  };
}

async function readBuilt(folder: string, name: string): Promise<Uint8Array | undefined> {
  try {
    return await readFile(path.join(folder, name));
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}

function answer(status: number, body: Uint8Array, headers: Record<string, string>): WebAnswer {
  return { status, headers, body };
}

function textAnswer(status: number, headers: Record<string, string>, text: string): WebAnswer {
  const plain = { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store' };
  return answer(status, new TextEncoder().encode(text), { ...headers, ...plain });
}
