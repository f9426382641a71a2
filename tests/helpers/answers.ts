import http from 'node:http';
import type { AddressInfo } from 'node:net';

type Answer = (request: http.IncomingMessage, response: http.ServerResponse) => void;

export interface Answers {
  port: number;
  /** Address on `c.localhost`. */
  url: (path: string) => string;
  set: (path: string, answer: Answer) => void;
  html: (response: http.ServerResponse, body: string) => void;
  /** Paths that were asked for. */
  requests: string[];
  stop: () => Promise<void>;
}

/** A site whose pages a test writes itself; what was not written is a 404. */
export async function startAnswers(): Promise<Answers> {
  const answers = new Map<string, Answer>();
  const requests: string[] = [];
  const server = http.createServer((request, response) => {
    const path = request.url ?? '/';
    requests.push(path);
    const answer = answers.get(path);
    if (answer) answer(request, response);
    else response.writeHead(404, { 'Content-Type': 'text/html' }).end('<title>Nothing here</title>');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    port,
    url: (path) => `http://c.localhost:${port}${path}`,
    set: (path, answer) => answers.set(path, answer),
    html: (response, body) =>
      response.writeHead(200, { 'Content-Type': 'text/html; charset=utf-8' }).end(`<!doctype html>${body}`),
    requests,
    stop: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
