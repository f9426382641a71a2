/** Labels of a host from the right, each followed by a dot: all hosts of a domain lie side by side in an index. */
export function hostKey(urlOrHost: string): string {
  const address = urlOrHost.includes('://') ? urlOrHost : `http://${urlOrHost}`;
  const host = URL.canParse(address) ? new URL(address).hostname : '';
  const isName = host !== '' && !host.startsWith('[') && !/^[\d.]+$/.test(host);
  return isName ? `${host.split('.').reverse().join('.')}.` : `${host}.`;
}

/** Keys at and below a domain: from the key (inclusive) to the returned one (exclusive). */
export function hostKeyEnd(key: string): string {
  // "/" is the letter behind ".", and no host holds either beside the dots between its labels.
  return `${key.slice(0, -1)}/`;
}
