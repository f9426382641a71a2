import type { AllowList } from './allow-list.ts';
import { normalizeHost } from './normalize-host.ts';
import { refuseByName } from './resolve-target.ts';

export type AddressCheck = { ok: true } | { ok: false; reason: string };

/**
 * Whether an http or https address may be fetched, as far as that can be said without the network: what a name
 * resolves to is checked when it is fetched. The reason is a sentence without its full stop.
 */
export function checkAddress(url: string, allow: AllowList): AddressCheck {
  if (!URL.canParse(url)) return { ok: false, reason: `${url} is no address` };
  const { hostname, port, protocol } = new URL(url);
  if (protocol !== 'http:' && protocol !== 'https:') {
    return { ok: false, reason: `${url} has the scheme ${protocol} but only http: and https: can be fetched` };
  }
  const host = normalizeHost(hostname);
  if (host === undefined) return { ok: false, reason: `${url} names no host` };
  const refused = refuseByName(host, Number(port) || (protocol === 'https:' ? 443 : 80), allow);
  return refused ? { ok: false, reason: refused.reason } : { ok: true };
}
