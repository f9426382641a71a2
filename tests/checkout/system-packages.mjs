import { existsSync } from 'node:fs';
import { findOnPath, isRoot, run, say } from './tools.mjs';

/** Installs Debian packages as root, saying so. Returns false where that is not possible. */
export async function installSystemPackages(packages, why) {
  if (!isRoot || !existsSync('/etc/debian_version') || !findOnPath(['apt-get'])) return false;
  say(`Installing ${packages} with apt-get: ${why}.`);
  const env = { DEBIAN_FRONTEND: 'noninteractive' };
  await run('apt-get', ['update', '-q'], { env });
  return (
    (await run('apt-get', ['install', '-y', '-q', '--no-install-recommends', ...packages.split(' ')], { env })) === 0
  );
}

export function installHint(packages) {
  const prefix = isRoot ? '' : 'sudo ';
  return existsSync('/etc/debian_version')
    ? `run: ${prefix}apt-get install ${packages}`
    : `install it with the system's package manager (Debian and Ubuntu: ${prefix}apt-get install ${packages})`;
}
