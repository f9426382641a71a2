import type { AddressVerdict } from '../../shared/url/address-verdict.ts';

/** Names that mean this computer to the companion's server, whatever they resolve to. */
const LOOPBACK =
  /^(127(?:\.\d{1,3}){3}|0\.0\.0\.0|\[::1\]|\[::\]|\[::ffff:7f[0-9a-f]{2}:[0-9a-f]{1,4}\]|localhost|(?:[a-z0-9-]+\.)+localhost)\.?$/i;

/** The companion never archives itself: its own pages, its API and its replay hosts are refused (DESIGN section 8). */
export function checkOwnAddress(url: string, ports: readonly number[]): AddressVerdict {
  const parsed = new URL(url);
  const port = parsed.port === '' ? (parsed.protocol === 'https:' ? 443 : 80) : Number(parsed.port);
  if (!ports.includes(port) || !LOOPBACK.test(parsed.hostname)) return { ok: true };
  return { ok: false, reason: `${url} is an address of Holdfast itself, which it does not keep` };
}
