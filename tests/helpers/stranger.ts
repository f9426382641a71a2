import http from 'node:http';

export interface Stranger {
  port: number;
  /** Everything it was told: one text for each request, headers and body included. */
  heard: string[];
  stop: () => Promise<void>;
}

/** A program that is not the companion but sits on its port, answers everything and remembers all it hears. */
export async function startStranger(port: number, answer: (path: string) => object): Promise<Stranger> {
  const heard: string[] = [];
  const server = http.createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      heard.push(
        `${request.method} ${request.url} ${JSON.stringify(request.headers)} ${Buffer.concat(parts).toString()}`,
      );
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer(request.url ?? '')));
    });
  });
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  return {
    port: (server.address() as { port: number }).port,
    heard,
    stop: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
