import net, { type Socket } from 'node:net';
import {
  type CheckedTarget,
  connectOptions,
  explainConnectError,
  idleTimeoutMs,
  limitConnecting,
} from './connection.ts';
import { refusalHeaders, refusalStatus } from './forward-request.ts';
import type { Refusal } from './resolve-target.ts';

/** Joins a CONNECT request with its target; what flows is not looked at. */
export function openTunnel(client: Socket, head: Buffer, target: CheckedTarget): void {
  const upstream = net.connect(connectOptions(target));
  let isOpen = false;
  limitConnecting(upstream);
  upstream.setTimeout(idleTimeoutMs, () => upstream.destroy());
  upstream.once('connect', () => {
    isOpen = true;
    client.write('HTTP/1.1 200 Connection established\r\n\r\n');
    if (head.length > 0) upstream.write(head);
    client.pipe(upstream).pipe(client);
  });
  upstream.on('error', (error: NodeJS.ErrnoException) => {
    if (isOpen) client.destroy();
    else refuseTunnel(client, explainConnectError(target, error));
  });
  upstream.once('close', () => {
    if (isOpen) client.end();
  });
  client.once('close', () => upstream.destroy());
}

export function refuseTunnel(client: Socket, refusal: Refusal): void {
  const body = `${refusal.reason}\n`;
  const headers = {
    ...refusalHeaders(refusal),
    'Content-Type': 'text/plain; charset=utf-8',
    'Content-Length': String(Buffer.byteLength(body)),
    Connection: 'close',
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  client.end(`HTTP/1.1 ${refusalStatus(refusal)} Refused\r\n${lines.join('')}\r\n${body}`);
}
