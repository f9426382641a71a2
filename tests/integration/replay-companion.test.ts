import { afterAll, beforeAll, expect, test } from 'vitest';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { routes } from '../../shared/protocol/routes.ts';
import { sendRequest, startCompanion, type TestCompanion } from '../helpers/companion.ts';
import { keepPage, keepText } from '../helpers/kept-pages.ts';

let folder: string;
let companion: TestCompanion;
let id: string;
beforeAll(async () => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'holdfast-replay-'));
  companion = await startCompanion({ dataDir: folder });
  id = await keepPage(companion.collection, { url: 'https://site.example/' });
  await keepText(companion.collection, id, 'kept', { plugin: 'notes', path: 'a.txt' });
});
afterAll(async () => {
  await companion.stop();
  fs.rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
});

test('the API says where a page can be looked at, on its host and on the fallback port', async () => {
  const answer = await companion.request(routes.replayAddress(id));
  expect(answer.status).toBe(200);
  const { host, preferred, outputs } = answer.json();
  expect(outputs).toHaveLength(1);
  expect(outputs[0]).toMatchObject({ plugin: 'notes', path: 'a.txt', kind: 'text', url: preferred });
  for (const address of [preferred, outputs[0].fallback_url].map((text: string) => new URL(text))) {
    const kept = await sendRequest(Number(address.port), address.pathname, { host: address.host });
    expect([kept.status, kept.body.toString()]).toEqual([200, 'kept']);
    expect(kept.headers['content-security-policy']).toContain("default-src 'none'");
  }
  expect(new URL(preferred).host).toBe(host);
});

test('a snapshot host knows no token, no session and no route of the API, whatever the method', async () => {
  const { host } = (await companion.request(routes.replayAddress(id))).json();
  for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']) {
    const answer = await companion.request(routes.snapshot(id), { method, host });
    expect(answer.status).toBe(method === 'GET' ? 404 : 405);
    expect(answer.headers['content-security-policy']).toContain("default-src 'none'");
    expect(answer.headers).not.toHaveProperty('access-control-allow-origin');
    expect(answer.headers).not.toHaveProperty('set-cookie');
  }
  expect((await companion.request(routes.snapshot(id))).status).toBe(200);
});

test('the address of a private page is told to nobody without a token', async () => {
  expect((await sendRequest(companion.port, routes.replayAddress(id))).status).toBe(401);
});
