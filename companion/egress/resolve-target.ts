import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { refusedRange } from './address-rules.ts';
import type { AllowList } from './allow-list.ts';
import { isVendorHost } from './vendor-hosts.ts';

export interface ResolvedAddress {
  address: string;
  family: 4 | 6;
}

/** One word for programs, one sentence for people. */
export interface Refusal {
  code: 'refused' | 'not_found' | 'unreachable' | 'timed_out' | 'bad_request' | 'offline';
  reason: string;
}

export type Target = { addresses: ResolvedAddress[] } | Refusal;

const loopback: ResolvedAddress = { address: '127.0.0.1', family: 4 };

/**
 * Decides without asking anybody: refuses literal addresses that are not public and names that can only be local.
 * Undefined means: a name to resolve, or a public address. `host` is normalised.
 */
export function refuseByName(host: string, port: number, allow: AllowList): Refusal | undefined {
  if (allow.allowsHost(host, port)) return undefined;
  if (isIP(host) !== 0) {
    const range = refusedRange(host);
    return range === undefined || allow.allowsAddress(host) ? undefined : refusal(host, `belongs to ${range}`);
  }
  if (isLocalhost(host)) return allow.allowsAddress(loopback.address) ? undefined : refusal(host, 'is this machine');
  if (/\.(local|internal)$/.test(host) || !host.includes('.')) return refusal(host, 'is a name of the local network');
  if (isVendorHost(host)) return { code: 'refused', reason: `${host} is only used by the browser for itself` };
  return undefined;
}

function refusal(host: string, what: string): Refusal {
  return {
    code: 'refused',
    reason: `${host} ${what}, and private addresses are not fetched; the setting EGRESS_ALLOW = "${host}" in holdfast.toml permits it, from the next start of Holdfast on`,
  };
}

function isLocalhost(host: string): boolean {
  return host === 'localhost' || host.endsWith('.localhost');
}

/**
 * Addresses of a host that may be connected to; addresses that are not public are dropped unless permitted. The
 * connection must be made to one of them, never to the name, which could resolve differently a moment later.
 */
export async function resolveTarget(host: string, port: number, allow: AllowList): Promise<Target> {
  const refused = refuseByName(host, port, allow);
  if (refused) return refused;
  const family = isIP(host);
  if (family === 4 || family === 6) return { addresses: [{ address: host, family }] };
  if (isLocalhost(host)) return { addresses: [loopback] }; // Resolvers need not know these names (RFC 6761).

  const found = await resolveName(host);
  if ('reason' in found) return found;
  const isHostAllowed = allow.allowsHost(host, port);
  const usable = found.addresses.filter(
    ({ address }) => isHostAllowed || refusedRange(address) === undefined || allow.allowsAddress(address),
  );
  const [first] = found.addresses;
  if (usable.length > 0 || first === undefined) return { addresses: usable };
  return refusal(host, `leads to ${first.address}, which belongs to ${refusedRange(first.address) ?? 'no network'}`);
}

async function resolveName(host: string): Promise<Target> {
  if (host === 'invalid' || host.endsWith('.invalid')) return notFound(host); // Never exists (RFC 6761).
  try {
    const entries = await lookup(host, { all: true, verbatim: true });
    return { addresses: entries.map(({ address, family }) => ({ address, family: family === 6 ? 6 : 4 })) };
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOTFOUND') return notFound(host);
    return {
      code: 'not_found',
      reason: `${host} could not be looked up (${code ?? 'unknown error'}); is the network up?`,
    };
  }
}

function notFound(host: string): Refusal {
  return { code: 'not_found', reason: `${host} could not be found; is the address spelled right?` };
}
