import fs from 'node:fs';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { createHmac } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { helloMessage } from '../../shared/protocol/hello.ts';
import { routes } from '../../shared/protocol/routes.ts';
import { sendRequest, startCompanion, type TestCompanion } from '../helpers/companion.ts';

const extensionOrigin = 'chrome-extension://abcdefghijklmnopabcdefghijklmnop';
let companion: TestCompanion;
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'holdfast-guard-'));

beforeAll(async () => {
  companion = await startCompanion({ dataDir: folder, args: ['--no-runner'] });
});
afterAll(async () => {
  await companion.stop();
  fs.rmSync(folder, { recursive: true, force: true });
});

const post = (target: string, body: unknown, headers: Record<string, string> = {}, host?: string) =>
  sendRequest(companion.port, target, { method: 'POST', body: JSON.stringify(body), headers, host });

describe('hosts', () => {
  test.each([
    'evil.example',
    'evil.example:PORT',
    '127.0.0.1:1',
    'localhost.evil.example:PORT',
    '0.0.0.0:PORT',
    'a.b.localhost:PORT',
  ])('a request for %s is refused on every method', async (name) => {
    const host = name.replace('PORT', String(companion.port));
    for (const method of ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']) {
      const answer = await companion.request(routes.snapshots, { host, method });
      expect(answer.status).toBe(421);
    }
  });

  test('the API answers on both loopback addresses', async () => {
    const viaIpv6 = net.connect(companion.port, '::1');
    await new Promise((resolve, reject) => viaIpv6.once('connect', resolve).once('error', reject));
    viaIpv6.destroy();
    expect((await companion.request(routes.snapshots)).status).toBe(200);
    expect((await companion.request(routes.snapshots, { host: `[::1]:${companion.port}` })).status).toBe(200);
  });

  test('a replay host knows neither API nor UI', async () => {
    const host = `abcdef.localhost:${companion.port}`;
    for (const target of [routes.snapshots, routes.hello, '/', '/login']) {
      const answer = await companion.request(target, { host });
      expect(answer.status).toBe(404);
      expect(answer.headers['content-security-policy']).toContain("default-src 'none'");
    }
  });
});

describe('who may ask', () => {
  test('no token, no answer', async () => {
    for (const target of [routes.snapshots, routes.results, routes.status, `${routes.base}/pairings`, routes.events]) {
      const answer = await sendRequest(companion.port, target);
      expect([answer.status, answer.json().code]).toEqual([401, 'unauthenticated']);
    }
  });

  test('a token in the address is no token', async () => {
    const answer = await sendRequest(
      companion.port,
      `${routes.snapshots}?api_key=${companion.token}&token=${companion.token}`,
    );
    expect(answer.status).toBe(401);
  });

  test('a web page is refused even with a good token', async () => {
    for (const origin of [
      'https://evil.example',
      'null',
      'http://localhost:1',
      `http://127.0.0.1:${companion.port + 1}`,
      'http://a.localhost',
    ]) {
      const answer = await companion.request(routes.snapshots, { headers: { origin } });
      expect([answer.status, answer.json().code]).toEqual([403, 'forbidden_origin']);
      expect(answer.headers['access-control-allow-origin']).toBeUndefined();
    }
  });

  test('a subresource request of another site is refused although it names no origin', async () => {
    const answer = await companion.request(routes.snapshots, {
      headers: { 'sec-fetch-site': 'cross-site', 'sec-fetch-dest': 'image' },
    });
    expect(answer.status).toBe(403);
  });

  test('CORS headers exist only for the origin of a paired extension', async () => {
    const before = await companion.request(routes.snapshots, { headers: { origin: extensionOrigin } });
    expect([before.status, before.headers['access-control-allow-origin']]).toEqual([200, undefined]);
    await pairWith(extensionOrigin);
    const after = await companion.request(routes.snapshots, { headers: { origin: extensionOrigin } });
    expect(after.headers['access-control-allow-origin']).toBe(extensionOrigin);
    const other = await companion.request(routes.snapshots, { headers: { origin: 'chrome-extension://other' } });
    expect(other.headers['access-control-allow-origin']).toBeUndefined();
  });
});

async function pairWith(origin: string) {
  const code = await companion.access.newPairingCode();
  const answer = await post(routes.pair, { code: ` ${code.toLowerCase()} `, name: 'Test' }, { origin });
  expect(answer.status).toBe(200);
  return answer.json() as { pairing_id: string; secret: string; token: string };
}

describe('pairing', () => {
  test('the companion proves itself with the secret, for its own port and this nonce only', async () => {
    const paired = await pairWith(extensionOrigin);
    const nonce = 'ab'.repeat(16);
    const hello = (await post(routes.hello, { nonce, pairing_id: paired.pairing_id })).json();
    const proof = (port: number) =>
      createHmac('sha256', Buffer.from(paired.secret, 'hex')).update(helloMessage(nonce, port)).digest('hex');
    expect(hello).toMatchObject({
      name: 'holdfast',
      port: companion.port,
      proof: proof(companion.port),
      unknown_pairing: false,
    });
    expect(hello.proof).not.toBe(proof(companion.port + 1));
  });

  test('a code pairs once, and five wrong ones wear it out', async () => {
    const code = await companion.access.newPairingCode();
    expect((await post(routes.pair, { code, name: 'x' })).status).toBe(200);
    expect((await post(routes.pair, { code, name: 'x' })).json().code).not.toBe(undefined);
    const worn = await companion.access.newPairingCode();
    for (let attempt = 0; attempt < 5; attempt += 1) {
      expect((await post(routes.pair, { code: 'AAAA-AAAA', name: 'x' })).json().code).toBe('wrong_code');
    }
    expect((await post(routes.pair, { code: worn, name: 'x' })).json().code).toBe('code_expired');
  });

  test('an unpaired browser is told so and its token is dead', async () => {
    const paired = await pairWith(extensionOrigin);
    const headers = { authorization: `Bearer ${paired.token}` };
    expect((await sendRequest(companion.port, routes.snapshots, { headers })).status).toBe(200);
    await companion.request(`${routes.base}/pairings/${paired.pairing_id}`, { method: 'DELETE' });
    expect((await sendRequest(companion.port, routes.snapshots, { headers })).json()).toMatchObject({
      code: 'revoked',
    });
    const hello = (await post(routes.hello, { nonce: '00'.repeat(16), pairing_id: paired.pairing_id })).json();
    expect(hello).toMatchObject({ proof: null, unknown_pairing: true });
  });

  test('neither codes nor tokens lie in the database in clear', async () => {
    const code = await companion.access.newPairingCode();
    const { token } = await companion.access.newToken('secret');
    companion.collection.db.connection.pragma('wal_checkpoint(FULL)');
    const bytes = fs.readFileSync(path.join(folder, 'collection.sqlite3'), 'latin1');
    expect(bytes).not.toContain(token);
    expect(bytes).not.toContain(code.replace('-', ''));
  });
});

describe('sessions', () => {
  const ui = () => `holdfast.localhost:${companion.port}`;
  const uiOrigin = () => `http://${ui()}`;

  async function login(): Promise<string> {
    const code = await companion.access.newLoginCode();
    const answer = await post(routes.session, { code }, { origin: uiOrigin(), 'sec-fetch-site': 'same-origin' }, ui());
    expect(answer.status).toBe(200);
    const cookie = answer.headers['set-cookie']![0]!;
    expect(cookie).toMatch(/^__Host-holdfast=\S+; .*HttpOnly/);
    expect(cookie).toMatch(/Secure/);
    expect(cookie).toMatch(/SameSite=Strict/);
    expect(cookie).not.toMatch(/Domain/i);
    return cookie.split(';')[0]!;
  }

  test('the login link opens one session, once', async () => {
    const code = await companion.access.newLoginCode();
    const first = await post(routes.session, { code }, { origin: uiOrigin() }, ui());
    const second = await post(routes.session, { code }, { origin: uiOrigin() }, ui());
    expect([first.status, second.status]).toEqual([200, 401]);
  });

  test("the cookie works only from the library's own pages", async () => {
    const cookie = await login();
    const ask = (headers: Record<string, string>, method = 'GET') =>
      sendRequest(companion.port, routes.snapshots, { host: ui(), headers: { cookie, ...headers }, method });
    expect((await ask({ 'sec-fetch-site': 'same-origin' })).status).toBe(200);
    expect((await ask({})).status).toBe(401);
    expect((await ask({ 'sec-fetch-site': 'none' })).status).toBe(401);
    expect((await ask({ 'sec-fetch-site': 'cross-site' })).status).toBe(403);
    expect((await ask({ 'sec-fetch-site': 'same-site', origin: `http://x.localhost:${companion.port}` })).status).toBe(
      403,
    );
    expect((await ask({ 'sec-fetch-site': 'same-origin' }, 'POST')).status).toBe(401);
  });
});

describe('what the library serves', () => {
  test('the shell carries no data and cannot be framed', async () => {
    const answer = await sendRequest(companion.port, '/snapshot/x', { host: `holdfast.localhost:${companion.port}` });
    expect(answer.status).toBe(200);
    expect(answer.headers['content-security-policy']).toContain("frame-ancestors 'none'");
    expect(answer.headers['x-frame-options']).toBe('DENY');
    expect(answer.headers['cross-origin-opener-policy']).toBe('same-origin');
    expect(answer.headers['x-content-type-options']).toBe('nosniff');
  });

  test('a page of another site may link to it but not load it', async () => {
    const host = `holdfast.localhost:${companion.port}`;
    const foreign = { 'sec-fetch-site': 'cross-site' };
    const link = { ...foreign, 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' };
    expect((await sendRequest(companion.port, '/', { host, headers: link })).status).toBe(200);
    for (const dest of ['iframe', 'image', 'script', 'empty']) {
      const headers = { ...foreign, 'sec-fetch-mode': 'no-cors', 'sec-fetch-dest': dest };
      expect((await sendRequest(companion.port, '/', { host, headers })).status).toBe(403);
    }
  });
});

describe('bad input', () => {
  test('every refusal is one sentence with a code and a request id', async () => {
    const bad = [
      await companion.request(routes.snapshots, { method: 'POST', body: '{' }),
      await companion.request(routes.snapshots, { method: 'POST', body: '[]' }),
      await companion.request(routes.snapshots, { method: 'POST', body: '{"url": 7}' }),
      await companion.request(routes.snapshots, { method: 'POST', body: '{"url": "file:///etc/passwd"}' }),
      await companion.request(routes.snapshots, {
        method: 'POST',
        body: `{"url": "http://127.0.0.1:${companion.port}/"}`,
      }),
      await companion.request(routes.snapshot('nonsense')),
      await companion.request(`${routes.snapshots}?cursor=x`),
      await companion.request(`${routes.snapshots}?limit=-1`),
      await companion.request('/api/v1/nothing-here'),
    ];
    expect(bad.map((answer) => answer.status)).toEqual([400, 422, 422, 400, 400, 404, 400, 422, 404]);
    for (const answer of bad) {
      expect(answer.json()).toMatchObject({
        detail: expect.stringMatching(/^\S.*[.]$/),
        code: expect.any(String),
        request_id: expect.any(String),
      });
    }
  });

  test('a second server for the same folder is refused and names the first', async () => {
    await expect(startCompanion({ dataDir: folder })).rejects.toThrow(new RegExp(`process ${companion.child.pid}`));
  });
});
