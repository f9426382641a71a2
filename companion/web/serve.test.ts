import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createWebShell } from './serve.ts';

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'holdfast-web-'));
  await mkdir(path.join(folder, 'web/assets'), { recursive: true });
  await writeFile(path.join(folder, 'web/index.html'), '<!doctype html>shell');
  await writeFile(path.join(folder, 'web/assets/index-Ab_1-2.js'), 'script');
  await writeFile(path.join(folder, 'secret.txt'), 'secret');
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const shellOf = (name: string) =>
  createWebShell({
    folder: path.join(folder, name),
    frameSources: ['http://*.localhost:8745', 'http://127.0.0.1:40001'],
    probe: 'http://probe.localhost:8745/probe.svg',
  });
const shell = () => shellOf('web');
const policyOf = async (address: string, scriptsLabel?: string) =>
  (await shell().serve(address, scriptsLabel)).headers['content-security-policy']?.split('; ');
const text = (body: Uint8Array) => new TextDecoder().decode(body);

test.each(['/', '/login', '/snapshot/01890f3e', '/web/https://example.org/a.js', '/anything'])(
  '%s answers the shell, asked for anew each time',
  async (address) => {
    const answer = await shell().serve(address);
    expect(answer.status).toBe(200);
    expect(text(answer.body)).toBe('<!doctype html>shell');
    expect(answer.headers['content-type']).toBe('text/html; charset=utf-8');
    expect(answer.headers['cache-control']).toBe('no-cache');
  },
);

test('a built file is kept by the browser for good', async () => {
  const answer = await shell().serve('/assets/index-Ab_1-2.js');
  expect(text(answer.body)).toBe('script');
  expect(answer.headers['content-type']).toBe('text/javascript; charset=utf-8');
  expect(answer.headers['cache-control']).toContain('immutable');
});

test('a file of an older build is 404, never the shell with a wrong type', async () => {
  const answer = await shell().serve('/assets/index-old.js');
  expect(answer.status).toBe(404);
  expect(answer.headers['content-type']).toBe('text/plain; charset=utf-8');
});

test.each(['/assets/../../secret.txt', '/assets/..%2f..%2fsecret.txt', '/assets//../secret.txt', '/assets/a\0.js'])(
  '%j stays inside the built folder',
  async (address) => {
    expect(text((await shell().serve(address)).body)).not.toContain('secret');
  },
);

test('every answer forbids scripts, styles and frames from elsewhere, and being framed', async () => {
  for (const address of ['/', '/assets/index-Ab_1-2.js', '/assets/none.js']) {
    const { headers } = await shell().serve(address);
    const policy = headers['content-security-policy']?.split('; ') ?? [];
    expect(policy).toEqual(
      expect.arrayContaining([
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self' http://probe.localhost:8745/probe.svg",
        'frame-src http://*.localhost:8745 http://127.0.0.1:40001',
        "frame-ancestors 'none'",
        "base-uri 'none'",
      ]),
    );
    expect(headers['content-security-policy']).not.toMatch(/unsafe|data:|\*(?!\.localhost)/);
    expect(headers).toMatchObject({
      'cross-origin-opener-policy': 'same-origin',
      'x-frame-options': 'DENY',
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
    });
  }
});

test('a document for a copy with its scripts on frames the host of that copy and no other', async () => {
  const label = 'k'.repeat(58);
  expect(await policyOf('/snapshot/0189', label)).toContain(`frame-src http://${label}.localhost:8745`);
  for (const wrong of ['', 'UPPER'.repeat(8), `${label}.example`, `${label} *`, `${label}; script-src *`]) {
    expect(await policyOf('/snapshot/0189', wrong)).toEqual(await policyOf('/snapshot/0189'));
  }
});

test('without a build the answer says what to do', async () => {
  const answer = await shellOf('absent').serve('/');
  expect(answer.status).toBe(503);
  expect(text(answer.body)).toContain('npm run build');
});
