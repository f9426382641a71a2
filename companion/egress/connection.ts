import type { LookupFunction, Socket } from 'node:net';
import type { Refusal, ResolvedAddress } from './resolve-target.ts';

/** A host and the checked addresses it may be reached at. */
export interface CheckedTarget {
  host: string;
  port: number;
  addresses: readonly ResolvedAddress[];
}

const connectTimeoutMs = 20_000;
/** A connection on which nothing moves for this long is given up. */
export const idleTimeoutMs = 120_000;

/** Options for `net.connect` that reach only the checked addresses, trying the next when one does not answer. */
export function connectOptions({ host, port, addresses }: CheckedTarget) {
  const lookup: LookupFunction = (_hostname, options, answer) => {
    const [first] = addresses;
    if (options.all) answer(null, [...addresses]);
    else if (first) answer(null, first.address, first.family);
  };
  return { host, port, lookup, autoSelectFamily: true };
}

/** Gives up a connection that is not made in time. */
export function limitConnecting(socket: Socket): void {
  if (!socket.connecting) return;
  const timer = setTimeout(
    () => socket.destroy(Object.assign(new Error('timed out'), { code: 'ETIMEDOUT' })),
    connectTimeoutMs,
  );
  socket.once('connect', () => clearTimeout(timer));
  socket.once('close', () => clearTimeout(timer));
}

/** What a failed connection means to the reader. */
export function explainConnectError(
  { host, port }: { host: string; port: number },
  error: NodeJS.ErrnoException,
): Refusal {
  // Several addresses were tried: the first failure speaks for all.
  const code =
    error.code ?? (error instanceof AggregateError ? (error.errors[0] as NodeJS.ErrnoException).code : undefined);
  if (code === 'ETIMEDOUT') return { code: 'timed_out', reason: `${host} did not answer in time` };
  if (code === 'ECONNREFUSED') return { code: 'unreachable', reason: `nothing answers at ${host} on port ${port}` };
  return { code: 'unreachable', reason: `the connection to ${host} failed (${code ?? error.message})` };
}
