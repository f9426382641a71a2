import http from 'node:http';
import type { AddressInfo } from 'node:net';

/** A site of one page without any protection; all else is empty text. */
export interface PlainSite {
  address: string;
  close: () => Promise<void>;
}

export async function startPlainSite(body: string): Promise<PlainSite> {
  const server = http.createServer((request, response) => {
    response.writeHead(200, { 'Content-Type': request.url === '/' ? 'text/html; charset=utf-8' : 'text/plain' });
    response.end(request.url === '/' ? body : '');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    address: `http://plain.localhost:${(server.address() as AddressInfo).port}/`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
