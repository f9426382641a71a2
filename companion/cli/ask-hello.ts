import { randomBytes } from 'node:crypto';
import http from 'node:http';
import { helloResponseSchema, type HelloResponse } from '../../shared/protocol/hello.ts';
import { routes } from '../../shared/protocol/routes.ts';

const helloDeadlineMs = 3_000;
const helloBytesMax = 16 * 1024;

/**
 * Asks whoever listens on a port of this machine for its name; undefined when it is not Holdfast or says nothing in
 * time. Not with `fetch`, whose promise never settles when a program hangs up at once.
 */
export function askHello(port: number): Promise<HelloResponse | undefined> {
  return new Promise((resolve) => {
    const options = {
      host: '127.0.0.1',
      port,
      path: routes.hello,
      method: 'POST',
      agent: false,
      timeout: helloDeadlineMs,
    };
    const request = http.request({ ...options, headers: { 'content-type': 'application/json' } }, (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (part: string) => {
        text += part;
        if (text.length > helloBytesMax) request.destroy();
      });
      response.on('close', () => resolve(parseHello(text)));
    });
    // A program that sends a byte now and then would never run into the timeout of the socket.
    const deadline = setTimeout(() => request.destroy(), helloDeadlineMs);
    request.on('error', () => resolve(undefined));
    request.on('timeout', () => request.destroy());
    request.on('close', () => {
      clearTimeout(deadline);
      resolve(undefined);
    });
    request.end(JSON.stringify({ nonce: randomBytes(16).toString('hex') }));
  });
}

function parseHello(text: string): HelloResponse | undefined {
  try {
    return helloResponseSchema.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined; // Another program's answer.
  }
}
