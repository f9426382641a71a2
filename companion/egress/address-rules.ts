import { BlockList, isIP } from 'node:net';

/**
 * Addresses that are not the public internet. One list per family: `BlockList` compares an IPv4 address as a mapped
 * IPv6 one, so that a rule for ::ffff:0:0/96 in a common list would refuse every IPv4 address.
 */
const refusedV4: readonly [string, number, string][] = [
  ['0.0.0.0', 8, 'this machine'],
  ['10.0.0.0', 8, 'a private network'],
  ['100.64.0.0', 10, "a provider's private network"],
  ['127.0.0.0', 8, 'this machine'],
  ['169.254.0.0', 16, 'the local link'],
  ['172.16.0.0', 12, 'a private network'],
  ['192.0.0.0', 24, 'a reserved range'],
  ['192.0.2.0', 24, 'a range for documentation'],
  ['192.88.99.0', 24, 'a reserved range'],
  ['192.168.0.0', 16, 'a private network'],
  ['198.18.0.0', 15, 'a range for measurements'],
  ['198.51.100.0', 24, 'a range for documentation'],
  ['203.0.113.0', 24, 'a range for documentation'],
  ['224.0.0.0', 4, 'a multicast range'],
  ['240.0.0.0', 4, 'a reserved range'],
];

const refusedV6: readonly [string, number, string][] = [
  ['::', 96, 'this machine'],
  ['::ffff:0:0', 96, 'an IPv4 address in disguise'],
  ['64:ff9b::', 96, 'an IPv4 address in disguise'],
  ['64:ff9b:1::', 48, 'an IPv4 address in disguise'],
  ['100::', 64, 'a reserved range'],
  ['2001::', 23, 'a reserved range'],
  ['2001:db8::', 32, 'a range for documentation'],
  ['2002::', 16, 'an IPv4 address in disguise'],
  ['3fff::', 20, 'a range for documentation'],
  ['5f00::', 16, 'a reserved range'],
  ['fc00::', 7, 'a private network'],
  ['fe80::', 10, 'the local link'],
  ['fec0::', 10, 'a private network'],
  ['ff00::', 8, 'a multicast range'],
];

function toRules(ranges: readonly [string, number, string][], family: 'ipv4' | 'ipv6') {
  return ranges.map(([network, prefix, words]) => {
    const list = new BlockList();
    list.addSubnet(network, prefix, family);
    return { list, words };
  });
}

const rules = { 4: toRules(refusedV4, 'ipv4'), 6: toRules(refusedV6, 'ipv6') } as const;

/** What a refused address belongs to, in words, or undefined for a public one. The address is a literal without []. */
export function refusedRange(address: string): string | undefined {
  const family = isIP(address);
  if (family === 0) return 'no address';
  if (address.includes('%')) return 'the local link';
  const words = (family === 4 ? rules[4] : rules[6]).find(({ list }) =>
    list.check(address, family === 4 ? 'ipv4' : 'ipv6'),
  );
  return words?.words;
}
