import http from 'node:http';
import net, { type AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { parseAllowList } from './allow-list.ts';
import { type EgressOptions, type RefusedAddress, startEgressProxy } from './egress-proxy.ts';
import { privateSpellings } from './spellings.fixture.ts';

const closers: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

async function startProxy(allow = '', rest: Partial<EgressOptions> = {}) {
  const refused: RefusedAddress[] = [];
  const proxy = await startEgressProxy({
    allow: parseAllowList(allow),
    onRefused: (one) => refused.push(one),
    ...rest,
  });
  closers.push(proxy.close);
  return { proxy, refused };
}

async function startSite(answer: http.RequestListener) {
  let connections = 0;
  const server = http.createServer(answer);
  server.on('connection', () => connections++);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closers.push(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return { port: (server.address() as AddressInfo).port, connections: () => connections };
}

/** Sends lines as they stand and reads until the proxy closes or `until` has come. */
function raw(port: number, text: string, until = /\r\n\r\n[^]*\n/): Promise<string> {
  return new Promise((resolve, reject) => {
    let answer = '';
    const socket = net.connect(port, '127.0.0.1', () => socket.write(text));
    socket.on('data', (chunk) => {
      answer += chunk.toString('utf8');
      if (until.test(answer)) socket.destroy();
    });
    socket.on('close', () => resolve(answer));
    socket.on('error', reject);
  });
}

const get = (port: number, url: string, headers = '') =>
  raw(port, `GET ${url} HTTP/1.1\r\nHost: x\r\n${headers}Connection: close\r\n\r\n`);
const connect = (port: number, authority: string, headers = '') =>
  raw(port, `CONNECT ${authority} HTTP/1.1\r\nHost: x\r\n${headers}\r\n`, /\r\n\r\n/);

describe('the egress proxy', () => {
  it('refuses every spelling of a private address in both forms and connects nowhere', async () => {
    const { proxy, refused } = await startProxy();
    const site = await startSite((_request, response) => response.end('secret'));
    for (const host of privateSpellings) {
      expect(
        await get(
          proxy.port,
          encodeURI(`http://${host}:${site.port}/`)
            .replaceAll('%5B', '[')
            .replaceAll('%5D', ']')
            .replaceAll('%2525', '%25'),
        ),
        host,
      ).toMatch(/^HTTP\/1\.1 40[03] /);
      expect(await connect(proxy.port, Buffer.from(`${host}:${site.port}`).toString('latin1')), host).toMatch(
        /^HTTP\/1\.1 40[03] /,
      );
    }
    expect(site.connections()).toBe(0);
    expect(refused.length).toBeGreaterThan(privateSpellings.length);
    expect(refused[0]).toEqual({
      host: '127.0.0.1',
      port: site.port,
      run: undefined,
      reason: expect.stringContaining('EGRESS_ALLOW'),
    });
  });

  it('passes a permitted page on, body and headers untouched, without the headers of one hop', async () => {
    const { proxy } = await startProxy('a.localhost');
    const site = await startSite((request, response) => {
      response.setHeader('X-Seen', JSON.stringify(request.headers));
      request.pipe(response);
    });
    const answer = await raw(
      proxy.port,
      `POST http://a.localhost:${site.port}/p?q=1 HTTP/1.1\r\nHost: a.localhost:${site.port}\r\nX-Own: yes\r\nProxy-Connection: keep-alive\r\nContent-Length: 4\r\nConnection: close\r\n\r\nbody\n`,
    );
    expect(answer).toMatch(/^HTTP\/1\.1 200 /);
    expect(answer).toContain('body');
    expect(answer).toContain(`"host":"a.localhost:${site.port}","x-own":"yes"`);
    expect(answer).not.toContain('proxy-connection');
  });

  it('tunnels to a permitted host', async () => {
    const { proxy } = await startProxy('127.0.0.0/8');
    const site = await startSite((_request, response) => response.end('through the tunnel'));
    const answer = await raw(
      proxy.port,
      `CONNECT b.localhost:${site.port} HTTP/1.1\r\nHost: x\r\n\r\nGET / HTTP/1.1\r\nHost: b\r\nConnection: close\r\n\r\n`,
      /tunnel/,
    );
    expect(answer).toMatch(/^HTTP\/1\.1 200 Connection established\r\n\r\nHTTP\/1\.1 200 OK/);
  });

  it('refuses the second hop of a redirect to a private address', async () => {
    const { proxy } = await startProxy('a.localhost');
    const site = await startSite((_request, response) =>
      response.writeHead(302, { Location: 'http://127.0.0.1/' }).end(),
    );
    expect(await get(proxy.port, `http://a.localhost:${site.port}/`)).toContain('Location: http://127.0.0.1/');
    expect(await get(proxy.port, 'http://127.0.0.1/')).toMatch(/^HTTP\/1\.1 403 /);
  });

  it('says in words and headers why there is no answer', async () => {
    const { proxy, refused } = await startProxy('127.0.0.1');
    const dead = await get(proxy.port, 'http://nowhere.invalid/');
    expect(dead).toMatch(/^HTTP\/1\.1 502 /);
    expect(dead).toContain('x-holdfast-egress: not_found');
    expect(dead).toContain('nowhere.invalid could not be found');
    const closed = await startSite(() => undefined);
    await closers.pop()?.();
    expect(await get(proxy.port, `http://127.0.0.1:${closed.port}/`)).toContain('nothing answers at 127.0.0.1 on port');
    expect(await connect(proxy.port, `127.0.0.1:${closed.port}`)).toContain('x-holdfast-egress: unreachable');
    expect(refused).toEqual([]);
  });

  it('never fetches Holdfast itself, also where this machine is permitted', async () => {
    const site = await startSite((_request, response) => response.end('own'));
    const { proxy, refused } = await startProxy('127.0.0.0/8', { ownPorts: () => [site.port] });
    expect(await get(proxy.port, `http://127.0.0.1:${site.port}/`)).toContain('is Holdfast itself');
    expect(refused).toHaveLength(1);
    expect(site.connections()).toBe(0);
  });

  it('refuses everything for work without the network', async () => {
    const { proxy, refused } = await startProxy('127.0.0.0/8', { isOffline: true });
    expect(await get(proxy.port, 'http://example.org/')).toContain('x-holdfast-egress: offline');
    expect(await connect(proxy.port, 'example.org:443')).toMatch(/^HTTP\/1\.1 403 /);
    expect(refused.map(({ host }) => host)).toEqual(['example.org', 'example.org']);
  });

  it('knows the run by its credentials and wants them where it must', async () => {
    const { proxy, refused } = await startProxy('', { needsCredentials: true });
    const { http_proxy: address } = proxy.environment('run-1');
    const { username, password } = new URL(address ?? '');
    const header = (secret: string) =>
      `Proxy-Authorization: Basic ${Buffer.from(`${username}:${secret}`).toString('base64')}\r\n`;
    expect(await get(proxy.port, 'http://127.0.0.1/', header(password))).toMatch(/^HTTP\/1\.1 403 /);
    expect(refused[0]?.run).toBe('run-1');
    const challenge = await connect(proxy.port, '127.0.0.1:80');
    expect(challenge).toMatch(/^HTTP\/1\.1 407 [^]*Connection: close/);
    expect(await connect(proxy.port, '127.0.0.1:80', header('wrong'))).toMatch(/^HTTP\/1\.1 407 /);
    proxy.forget('run-1');
    expect(await get(proxy.port, 'http://127.0.0.1/', header(password))).toMatch(/^HTTP\/1\.1 407 /);
  });

  it('is a proxy and no server', async () => {
    const { proxy } = await startProxy();
    expect(await get(proxy.port, '/')).toMatch(/^HTTP\/1\.1 400 /);
  });
});
