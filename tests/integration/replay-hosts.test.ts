import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { limits } from '../../shared/limits.ts';
import { sendRequest, type RequestOptions, type TestAnswer } from '../helpers/companion.ts';
import { startReplayBench, type ReplayBench } from '../helpers/replay-bench.ts';
import { createReplay } from '../../companion/replay/replay.ts';
import { trashSnapshot } from '../../companion/collection/records/trash.ts';

let bench: ReplayBench;
let id: string;
const digits = '0123456789';

beforeAll(async () => {
  bench = await startReplayBench();
  id = await bench.keep({
    url: 'https://site.example/dir/page',
    outputs: [
      { path: 'singlefile.html', mimetype: 'text/html', body: '<!doctype html><p>kept</p><a href="../up">up</a>' },
      { plugin: 'other', path: 'deep/a b%.txt', mimetype: 'text/plain', body: digits },
      {
        plugin: 'other',
        path: 'drawing.svg',
        mimetype: 'image/svg+xml',
        body: '<svg xmlns="http://www.w3.org/2000/svg"/>',
      },
      { plugin: 'other', path: 'empty.txt', mimetype: 'text/plain', body: '' },
      {
        plugin: 'chrome_extension_mhtml',
        path: 'snapshot.mhtml',
        mimetype: 'multipart/related',
        body: 'From: <Saved>',
      },
      { plugin: 'pdf', path: 'output.pdf', mimetype: 'application/pdf', body: '%PDF-1.4' },
    ],
  });
});
afterAll(() => bench.close());

/** Node does not resolve `*.localhost`: connect to 127.0.0.1 and say the host. */
function get(address: string, options: RequestOptions = {}): Promise<TestAnswer> {
  const url = new URL(address);
  return sendRequest(Number(url.port), url.pathname + url.search, { host: url.host, ...options });
}

const outputAt = (path: string) => bench.replay.addresses(id).outputs.find((output) => output.path === path)!;
const policy = (answer: TestAnswer) => String(answer.headers['content-security-policy']);

describe('every response of a snapshot host', () => {
  const expectProtected = (answer: TestAnswer): void => {
    const ui = `http://holdfast.localhost:${bench.port} http://127.0.0.1:${bench.port}`;
    expect(policy(answer)).toBe(
      "default-src 'none'; img-src 'self' data: blob:; media-src 'self' data: blob:; font-src 'self' data:; " +
        "style-src 'self' 'unsafe-inline' data:; frame-src 'self' data: blob:; form-action 'none'; base-uri 'none'; " +
        `frame-ancestors ${ui} 'self'; worker-src 'none'; ` +
        'sandbox allow-same-origin allow-popups allow-popups-to-escape-sandbox allow-top-navigation-by-user-activation',
    );
    expect(answer.headers['cross-origin-resource-policy']).toBe('same-origin');
    expect(answer.headers['referrer-policy']).toBe('no-referrer');
    expect(answer.headers['x-content-type-options']).toBe('nosniff');
    expect(answer.headers).not.toHaveProperty('set-cookie');
    expect(answer.headers).not.toHaveProperty('access-control-allow-origin');
  };

  test.each(['singlefile.html', 'deep/a b%.txt', 'drawing.svg', 'empty.txt', 'snapshot.mhtml', 'output.pdf'])(
    '%s is protected',
    async (path) => {
      const answer = await get(outputAt(path).url);
      expect(answer.status).toBe(200);
      expectProtected(answer);
      expect((await get(outputAt(path).url, { method: 'HEAD' })).headers['content-type']).toBe(
        answer.headers['content-type'],
      );
    },
  );

  test('refusals, missing files, ranges and unchanged files are protected', async () => {
    const { url } = outputAt('deep/a b%.txt');
    const etag = String((await get(url)).headers.etag);
    const answers = [
      [405, await get(url, { method: 'POST', body: '{}' })],
      [405, await get(url, { method: 'DELETE' })],
      [405, await get(url, { method: 'OPTIONS' })],
      [404, await get(new URL('/other/none', url).href)],
      [404, await get(new URL('/other/%ff', url).href)],
      [404, await get(new URL('/', url).href)],
      [403, await get(url, { headers: { 'sec-fetch-site': 'cross-site', 'sec-fetch-dest': 'image' } })],
      [206, await get(url, { headers: { range: 'bytes=2-4' } })],
      [416, await get(url, { headers: { range: 'bytes=10-' } })],
      [304, await get(url, { headers: { 'if-none-match': etag } })],
    ] as const;
    for (const [status, answer] of answers) {
      expect(answer.status).toBe(status);
      expectProtected(answer);
    }
    expect(answers[0][1].headers.allow).toBe('GET, HEAD');
  });

  test('no path of UI or API exists there', async () => {
    const { origin } = new URL(outputAt('singlefile.html').url);
    for (const path of [
      '/api/v1/hello',
      '/api/v1/core/snapshots',
      '/login',
      '/web/https://x.example/',
      '/index.html',
    ]) {
      const answer = await get(origin + path);
      expect(answer.status).toBe(404);
      expect(answer.body.toString()).not.toContain('<');
    }
  });
});

describe('bytes', () => {
  test('come whole, in parts and not again when unchanged', async () => {
    const { url, digest } = outputAt('deep/a b%.txt');
    const whole = await get(url);
    expect(whole.body.toString()).toBe(digits);
    expect(whole.headers).toMatchObject({
      'content-type': 'text/plain; charset=utf-8',
      'content-length': '10',
      'accept-ranges': 'bytes',
      etag: `"${digest.slice('sha256:'.length)}"`,
      'cache-control': `private, max-age=${limits.replayLabelMs / 1000}, immutable`,
    });
    const part = await get(url, { headers: { range: 'bytes=-3' } });
    expect(part.body.toString()).toBe('789');
    expect(part.headers['content-range']).toBe('bytes 7-9/10');
    const head = await get(url, { method: 'HEAD', headers: { range: 'bytes=0-0' } });
    expect([head.status, head.headers['content-length'], head.body.length]).toEqual([206, '1', 0]);
  });

  test('under an address that does not name them are asked about again', async () => {
    const url = new URL(outputAt('deep/a b%.txt').url);
    url.search = '';
    expect((await get(url.href)).headers['cache-control']).toBe('private, no-cache');
    expect((await get(outputAt('singlefile.html').url)).headers['cache-control']).toBe('private, no-cache');
  });

  test('of a container of documents are a download', async () => {
    const answer = await get(outputAt('snapshot.mhtml').url);
    expect(answer.headers['content-type']).toBe('application/octet-stream');
    expect(answer.headers['content-disposition']).toMatch(/^attachment; filename="snapshot.mhtml"/);
  });

  test('of a drawing come as a page to tabs and frames, and as they are to pictures', async () => {
    const { url } = outputAt('drawing.svg');
    for (const dest of ['document', 'iframe', 'object', 'embed']) {
      const page = await get(url, { headers: { 'sec-fetch-dest': dest, 'sec-fetch-site': 'same-origin' } });
      expect(page.headers['content-type']).toBe('text/html; charset=utf-8');
      expect(page.headers.vary).toBe('Sec-Fetch-Dest');
      expect(page.body.toString()).toMatch(/<img alt="" src="\?v=[0-9a-f]{16}&amp;image=1">/);
    }
    const picture = await get(url, { headers: { 'sec-fetch-dest': 'image' } });
    expect(picture.headers['content-type']).toBe('image/svg+xml');
    expect(picture.body.toString()).toBe('<svg xmlns="http://www.w3.org/2000/svg"/>');
    expect((await get(url)).headers['content-type']).toBe('text/html; charset=utf-8');
    expect((await get(`${url}&image=1`)).headers['content-type']).toBe('image/svg+xml');
  });

  test('of XHTML stay XHTML unless it declares things of its own', async () => {
    const page = (head: string) =>
      `<?xml version="1.0"?>${head}<html xmlns="http://www.w3.org/1999/xhtml"><a href="/x"/></html>`;
    const xhtml = await bench.keep({
      outputs: [
        { plugin: 'plain', path: 'a.xhtml', mimetype: 'application/xhtml+xml', body: page('<!DOCTYPE html>') },
        {
          plugin: 'own',
          path: 'a.xhtml',
          mimetype: 'application/xhtml+xml',
          body: page('<!DOCTYPE html [<!ENTITY e "x">]>'),
        },
      ],
    });
    const plain = await get(bench.addressOf(xhtml, 'plain'));
    expect(plain.headers['content-type']).toBe('application/xhtml+xml; charset=utf-8');
    expect(plain.body.toString()).toContain('target="_top"/>');
    expect((await get(bench.addressOf(xhtml, 'own'))).headers['content-type']).toBe('text/html; charset=utf-8');
  });

  test('of a page lead its links to the library', async () => {
    const answer = await get(outputAt('singlefile.html').url);
    const link = `http://holdfast.localhost:${bench.port}/web/${encodeURIComponent('https://site.example/up')}`;
    expect(answer.body.toString()).toBe(`<!doctype html><p>kept</p><a href="${link}" target="_top">up</a>`);
  });

  test('that are gone from the disk are said to be missing', async () => {
    const other = await bench.keep({
      outputs: [{ path: 'gone.txt', mimetype: 'text/plain', body: `gone ${Math.random()}` }],
    });
    const [output] = bench.replay.addresses(other).outputs;
    await bench.collection.blobs.remove(output!.digest as `sha256:${string}`);
    expect((await get(output!.url)).status).toBe(404);
  });
});

describe('other sites', () => {
  const site = (values: Record<string, string>) =>
    get(outputAt('drawing.svg').url, {
      headers: Object.fromEntries(Object.entries(values).map(([name, value]) => [`sec-fetch-${name}`, value])),
    }).then((answer) => answer.status);

  test('may open and frame a kept page but not use its parts', async () => {
    expect(await site({ site: 'cross-site', mode: 'navigate', dest: 'document' })).toBe(200);
    expect(await site({ site: 'cross-site', mode: 'navigate', dest: 'iframe' })).toBe(200);
    expect(await site({ site: 'same-origin', mode: 'no-cors', dest: 'image' })).toBe(200);
    expect(await site({ site: 'none', mode: 'navigate', dest: 'document' })).toBe(200);
    for (const dest of ['image', 'script', 'style', 'font', 'video', 'empty']) {
      expect(await site({ site: 'cross-site', mode: 'no-cors', dest })).toBe(403);
      expect(await site({ site: 'same-site', mode: 'cors', dest })).toBe(403);
    }
    expect(await site({ site: 'cross-site', mode: 'navigate', dest: 'object' })).toBe(403);
    expect(await site({ site: 'cross-site', mode: 'navigate', dest: 'embed' })).toBe(403);
  });

  test('and kept pages never get a worker', async () => {
    expect(await site({ site: 'same-origin', mode: 'same-origin', dest: 'serviceworker' })).toBe(403);
    expect(await site({ site: 'same-origin', mode: 'same-origin', dest: 'worker' })).toBe(403);
  });
});

describe('labels', () => {
  test('end, and a new one opens the same bytes', async () => {
    const { url } = outputAt('empty.txt');
    expect((await get(url)).status).toBe(200);
    bench.clock.ahead = 2 * limits.replayLabelMs;
    try {
      expect((await get(url)).status).toBe(404);
      expect(outputAt('empty.txt').url).not.toBe(url);
      expect((await get(outputAt('empty.txt').url)).status).toBe(200);
    } finally {
      bench.clock.ahead = 0;
    }
  });

  test('outlive a restart of the companion', () => {
    const again = createReplay({
      collection: bench.collection,
      port: () => bench.port,
      fallbackPort: () => bench.fallbackPort,
      log: { error: () => undefined },
    });
    expect(again.addresses(id).host).toBe(bench.replay.addresses(id).host);
  });

  test('of another snapshot, the id of a private one and invented ones open nothing', async () => {
    const other = await bench.keep({ outputs: [{ path: 'only-here.txt', mimetype: 'text/plain', body: 'x' }] });
    const { pathname } = new URL(bench.addressOf(other));
    const hosts = [
      bench.replay.addresses(id).host,
      `${other.replaceAll('-', '')}.localhost:${bench.port}`,
      `${other}.localhost:${bench.port}`,
      `abc.localhost:${bench.port}`,
      bench.replay.addresses(other).host.replace(/^./, (letter) => (letter === 'a' ? 'b' : 'a')),
    ];
    for (const host of hosts) expect((await get(`http://${host}${pathname}`)).status).toBe(404);
  });

  test('of a public snapshot are its id, which opens nothing once it is private', async () => {
    const open = await bench.keep({
      permissions: 'public',
      outputs: [{ path: 'a.txt', mimetype: 'text/plain', body: 'x' }],
    });
    const url = bench.addressOf(open);
    expect(new URL(url).hostname).toBe(`${open.replaceAll('-', '')}.localhost`);
    expect((await get(url)).status).toBe(200);
    await bench.collection.db.write(() =>
      bench.collection.db.raw(`UPDATE snapshot SET permissions = 'private' WHERE id = :id`, { id: open }),
    );
    expect((await get(url)).status).toBe(404);
  });

  test('of a deleted snapshot open nothing', async () => {
    const trashed = await bench.keep({ outputs: [{ path: 'a.txt', mimetype: 'text/plain', body: 'x' }] });
    const url = bench.addressOf(trashed);
    await bench.collection.db.write(() => trashSnapshot(bench.collection.db, trashed, Date.now()));
    expect((await get(url)).status).toBe(404);
    expect(bench.replay.addresses(trashed).outputs).toEqual([]);
  });
});

describe('the fallback port', () => {
  test('serves without an origin and answers to nobody else', async () => {
    const page = outputAt('singlefile.html').fallback_url!;
    const answer = await get(page, { headers: { cookie: '__Host-holdfast=session', origin: 'null' } });
    expect(answer.status).toBe(200);
    expect(policy(answer)).toContain("worker-src 'none'; sandbox allow-popups allow-popups-to-escape-sandbox");
    expect(policy(answer)).not.toMatch(/allow-same-origin|allow-scripts/);
    expect(answer.headers).toMatchObject({
      'access-control-allow-origin': 'null',
      'cross-origin-resource-policy': 'cross-origin',
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
    });
    expect(answer.headers).not.toHaveProperty('set-cookie');
    expect(answer.body.toString()).toContain(`"http://127.0.0.1:${bench.port}/web/https%3A`);
  });

  test('has no scripts mode and no other host', async () => {
    const page = outputAt('singlefile.html').fallback_url!;
    const scripts = await get(`${page}&scripts=1`, { headers: { 'sec-fetch-dest': 'iframe' } });
    expect(policy(scripts)).not.toContain('allow-scripts');
    for (const host of [`localhost:${bench.fallbackPort}`, `evil.example:${bench.fallbackPort}`, '127.0.0.1']) {
      expect((await get(page, { host })).status).toBe(421);
    }
  });

  test('knows no label of the snapshot hosts, nor they its own', async () => {
    const { url, fallback_url: fallback } = outputAt('empty.txt');
    const label = new URL(url).hostname.split('.')[0]!;
    const token = new URL(fallback!).pathname.split('/')[1]!;
    expect(label).not.toBe(token);
    expect((await get(fallback!)).status).toBe(200);
    expect((await get(fallback!.replace(token, label))).status).toBe(404);
    expect((await get(url.replace(label, token))).status).toBe(404);
  });
});

describe('scripts on request', () => {
  const scripts = (headers: Record<string, string>) => get(`${outputAt('singlefile.html').url}&scripts=1`, { headers });

  test('run only in a frame, and the answer is never kept for a tab', async () => {
    const answer = await scripts({
      'sec-fetch-site': 'cross-site',
      'sec-fetch-mode': 'navigate',
      'sec-fetch-dest': 'iframe',
    });
    expect(answer.status).toBe(200);
    expect(policy(answer)).toContain(
      "script-src 'self' 'unsafe-inline' 'unsafe-eval'; connect-src 'self'; webrtc 'block'; worker-src 'none'; " +
        'sandbox allow-scripts allow-same-origin',
    );
    expect(policy(answer)).toMatch(/sandbox allow-scripts allow-same-origin$/);
    expect(policy(answer)).toContain("form-action 'none'");
    expect(answer.headers['cache-control']).toBe('no-store');
  });

  test('are refused in a tab and where the browser does not say what it loads', async () => {
    expect((await scripts({ 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' })).status).toBe(403);
    expect((await scripts({})).status).toBe(403);
  });
});

test('outputs are listed best first, with words and addresses for each', async () => {
  const { outputs, preferred, host } = bench.replay.addresses(id);
  expect(preferred).toBe(outputs[0]!.url);
  expect(outputs.map(({ kind, label, path }) => [kind, label, path])).toEqual([
    ['page', 'Page, as your browser showed it', 'singlefile.html'],
    ['picture', 'drawing.svg', 'drawing.svg'],
    ['pdf', 'PDF, as your browser showed it', 'output.pdf'],
    ['text', 'deep/a b%.txt', 'deep/a b%.txt'],
    ['text', 'empty.txt', 'empty.txt'],
    ['file', 'snapshot.mhtml', 'snapshot.mhtml'],
  ]);
  expect(outputs.every((output) => output.url.startsWith(`http://${host}/`))).toBe(true);
  const none = await bench.keep({ outputs: [{ path: 'a.bin', mimetype: 'application/zip', body: 'x' }] });
  expect(bench.replay.addresses(none).preferred).toBeNull();
});
