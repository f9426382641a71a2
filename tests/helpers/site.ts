import fs from 'node:fs';
import http from 'node:http';
import path from 'node:path';
import { PNG } from 'pngjs';

const folder = path.resolve('tests/fixtures/sites');

export interface TestSite {
  port: number;
  /** Address of a page on the first or second host, which are foreign to each other. */
  a: (page: string) => string;
  b: (page: string) => string;
  /** Answers whoever waits for `/held.html` and everybody who asks for it from now on. */
  release: () => void;
  /** Every request so far, `<host> <path>`. */
  requests: string[];
  stop: () => Promise<void>;
}

/**
 * Serves the fixture pages on one port; browsers resolve `a.localhost` and `b.localhost` to it by themselves. `{a}`
 * and `{b}` in a page become the two origins.
 */
export async function startSite(): Promise<TestSite> {
  const requests: string[] = [];
  const held: (() => void)[] = [];
  let released = false;
  const server = http.createServer((request, response) => {
    requests.push(`${request.headers.host?.split(':')[0]} ${request.url}`);
    if (request.url === '/held.html' && !released) held.push(() => sendHeldPage(response));
    else if (request.url === '/held.html') sendHeldPage(response);
    else answer(request, response, port());
  });
  const port = () => (server.address() as { port: number }).port;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const onHost = (host: string) => (page: string) => `http://${host}.localhost:${port()}${page}`;
  return {
    port: port(),
    a: onHost('a'),
    b: onHost('b'),
    requests,
    release: () => {
      released = true;
      for (const go of held.splice(0)) go();
    },
    stop: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function answer(request: http.IncomingMessage, response: http.ServerResponse, port: number): void {
  const url = new URL(request.url ?? '/', `http://localhost:${port}`);
  const picture = /^\/picture\/(\d+)x(\d+)\/([0-9a-f]{6}|noise)(?:-\d+)?\.png$/.exec(url.pathname);
  if (picture) return send(response, 'image/png', findPicture(Number(picture[1]), Number(picture[2]), picture[3]!));
  if (url.pathname === '/login') return login(response);
  if (url.pathname === '/members.html') return send(response, 'text/html; charset=utf-8', membersPage(request));
  if (url.pathname === '/paper.pdf') return send(response, 'application/pdf', makePdf());
  const file = path.join(folder, path.basename(url.pathname));
  if (!fs.existsSync(file)) {
    response.writeHead(404).end('not here');
    return;
  }
  const text = fs.readFileSync(file, 'utf8');
  const filled = text.replaceAll('{a}', `http://a.localhost:${port}`).replaceAll('{b}', `http://b.localhost:${port}`);
  send(response, file.endsWith('.css') ? 'text/css' : 'text/html; charset=utf-8', filled);
}

function send(response: http.ServerResponse, type: string, body: string | Buffer): void {
  response.writeHead(200, { 'content-type': type, 'cache-control': 'max-age=600' }).end(body);
}

function sendHeldPage(response: http.ServerResponse): void {
  const page = '<!doctype html><html lang="en"><title>Held</title><p>The answer came at last.</p></html>';
  send(response, 'text/html; charset=utf-8', page);
}

function login(response: http.ServerResponse): void {
  response.writeHead(303, { 'set-cookie': 'member=ada; Path=/; HttpOnly', location: '/members.html' }).end();
}

/** Enough prose for a page to be an article. */
const tideNotes = Array.from(
  { length: 6 },
  (_, day) =>
    `<p>Day ${day + 1}. The water stood high until noon, and then it fell, slowly, past the iron rings in the wall, ` +
    'past the green line that the winter had left, until the boats lay on the mud and the gulls walked between them.</p>',
).join('');

/** The secret sentence is only for those who logged in. */
function membersPage(request: http.IncomingMessage): string {
  const member = /member=ada/.test(request.headers.cookie ?? '');
  const body = member
    ? `<main><h1>Welcome back, Ada</h1><p>The heron nests behind the third lock gate.</p>${tideNotes}</main>`
    : '<h1>Please log in</h1><p>This page is for members only.</p>';
  return `<!doctype html><html lang="en"><title>Members</title><body>${body}</body></html>`;
}

const pictures = new Map<string, Buffer>();

/** Plain colour, or noise that does not compress. Made once for each address. */
function findPicture(width: number, height: number, color: string): Buffer {
  const key = `${width}x${height} ${color}`;
  const known = pictures.get(key);
  if (known) return known;
  const made = makePicture(width, height, color);
  pictures.set(key, made);
  return made;
}

function makePicture(width: number, height: number, color: string): Buffer {
  const png = new PNG({ width, height });
  const value = color === 'noise' ? undefined : Number.parseInt(color, 16);
  let state = (width * 31 + height) >>> 0 || 1;
  for (let at = 0; at < png.data.length; at += 4) {
    // A small generator of our own: the same address always gives the same picture.
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    const pixel = value ?? state >>> 8;
    png.data[at] = pixel >> 16;
    png.data[at + 1] = (pixel >> 8) & 0xff;
    png.data[at + 2] = pixel & 0xff;
    png.data[at + 3] = 255;
  }
  return PNG.sync.write(png, value === undefined ? { deflateLevel: 0, filterType: 0 } : { deflateLevel: 1 });
}

function makePdf(): Buffer {
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 300 200] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>',
    '<< /Length 47 >>\nstream\nBT /F1 18 Tf 40 100 Td (Tide tables 1889) Tj ET\nendstream',
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
  ];
  let text = '%PDF-1.4\n';
  const offsets = objects.map((object, index) => {
    const offset = text.length;
    text += `${index + 1} 0 obj\n${object}\nendobj\n`;
    return offset;
  });
  const table = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`).join('');
  const start = text.length;
  text += `xref\n0 6\n0000000000 65535 f \n${table}trailer << /Size 6 /Root 1 0 R >>\nstartxref\n${start}\n%%EOF\n`;
  return Buffer.from(text, 'latin1');
}
