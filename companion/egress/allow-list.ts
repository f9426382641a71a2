import { BlockList, isIP } from 'node:net';
import { HoldfastError } from '../../shared/errors/holdfast-error.ts';
import { normalizeHost } from './normalize-host.ts';

/** The private places the user permits (`EGRESS_ALLOW`). */
export interface AllowList {
  /** Whether this name, or the address it is, may be reached at this port whatever it resolves to. */
  allowsHost(host: string, port: number): boolean;
  /** Whether a resolved address lies in a permitted network. */
  allowsAddress(address: string): boolean;
}

/**
 * Parses entries separated by commas or white space: `nas.local`, `*.localhost`, `192.168.1.20:8080`, `[fd00::1]:80`,
 * `10.0.0.0/8`. A name without a port permits all its ports. Throws `bad_request` naming an entry that is none.
 */
export function parseAllowList(text: string): AllowList {
  const hosts: { host: string; isSuffix: boolean; port: number | undefined }[] = [];
  const networks = new BlockList();
  for (const entry of text.split(/[\s,]+/).filter((word) => word !== '')) {
    if (entry.includes('/')) addNetwork(networks, entry);
    else hosts.push(parseHostEntry(entry));
  }
  return {
    allowsHost: (host, port) =>
      hosts.some(
        (entry) =>
          (entry.port === undefined || entry.port === port) &&
          (entry.isSuffix ? host.endsWith(`.${entry.host}`) : host === entry.host),
      ),
    allowsAddress: (address) => isIP(address) !== 0 && networks.check(address, isIP(address) === 4 ? 'ipv4' : 'ipv6'),
  };
}

function addNetwork(networks: BlockList, entry: string): void {
  const [network = '', prefix = ''] = entry.split('/');
  const bare = network.replace(/^\[|\]$/g, '');
  const family = isIP(bare);
  const bits = Number(prefix);
  if (family === 0 || !/^\d+$/.test(prefix) || bits > (family === 4 ? 32 : 128)) throw wrongEntry(entry);
  networks.addSubnet(bare, bits, family === 4 ? 'ipv4' : 'ipv6');
}

function parseHostEntry(entry: string) {
  const isSuffix = entry.startsWith('*.');
  const rest = isSuffix ? entry.slice(2) : entry;
  const isBareV6 = isIP(rest) === 6;
  const match = isBareV6 ? null : /^(.+?):(\d{1,5})$/.exec(rest);
  const host = normalizeHost(match?.[1] ?? rest);
  if (host === undefined) throw wrongEntry(entry);
  return { host, isSuffix, port: match?.[2] === undefined ? undefined : Number(match[2]) };
}

function wrongEntry(entry: string): HoldfastError {
  return new HoldfastError(
    'bad_request',
    `EGRESS_ALLOW holds "${entry}", which is no host, host:port or network; write for example nas.local:8080 or 192.168.1.0/24.`,
  );
}
