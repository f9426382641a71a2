import dns from 'node:dns/promises';
import net from 'node:net';
import os from 'node:os';
import { Layout } from '../../collection/layout.ts';
import { loadSettings } from '../../config/settings.ts';
import { holdfastVersion } from '../../config/version.ts';
import { findPortHolder } from '../../process/port-holder.ts';
import { findRunningServer, type ServerFacts } from '../../server-file.ts';
import { askHello } from '../ask-hello.ts';
import { fine, note, problem, type Finding } from './finding.ts';

/** The way from browser to companion: names, IPv6, the port and who answers there. */
export async function checkNetwork(root: string): Promise<Finding[]> {
  const layout = new Layout(root);
  const server = findRunningServer(layout);
  const names = await Promise.all(['localhost', 'holdfast.localhost'].map(checkName));
  const findings = [...names, checkIpv6()];
  if (server) return [...findings, await checkServer(server)];
  return [...findings, await checkPort(portOf(layout))];
}

/** The settings are another check's business; here the port alone counts. */
function portOf(layout: Layout): number {
  try {
    return loadSettings(layout.settings()).settings.HOLDFAST_PORT;
  } catch {
    return loadSettings('').settings.HOLDFAST_PORT;
  }
}

async function checkName(name: string): Promise<Finding> {
  const [answer] = await Promise.allSettled([dns.lookup(name, { all: true })]);
  if (answer.status === 'rejected') {
    if (name === 'localhost')
      return problem('names', 'The name localhost leads nowhere; add the line "127.0.0.1 localhost" to /etc/hosts.');
    return fine('names', `${name} is left to the browser, as it should be.`);
  }
  const strangers = answer.value.map(({ address }) => address).filter((address) => !isLoopback(address));
  if (strangers.length === 0) return fine('names', `${name} leads to this computer.`);
  return problem(
    'names',
    `The name ${name} leads to ${strangers.join(', ')} instead of this computer; correct /etc/hosts or your DNS.`,
  );
}

function isLoopback(address: string): boolean {
  return address === '::1' || /^(::ffff:)?127\./.test(address);
}

function checkIpv6(): Finding {
  const hasLoopback = Object.values(os.networkInterfaces()).some((list) =>
    list?.some(({ address }) => address === '::1'),
  );
  if (hasLoopback) return fine('ipv6', '[::1] is there, Holdfast listens on it too.');
  return note('ipv6', 'This computer has no IPv6; Holdfast listens on 127.0.0.1 only.');
}

async function checkServer(server: ServerFacts): Promise<Finding> {
  const hello = await askHello(server.port);
  if (!hello) {
    return problem(
      'server',
      `Process ${server.pid} should serve on port ${server.port} but does not answer; end it (kill ${server.pid}) and run "holdfast serve".`,
    );
  }
  if (hello.version !== holdfastVersion) {
    return problem(
      'server',
      `Holdfast ${hello.version} is running but ${holdfastVersion} is installed; stop it and run "holdfast serve" again.`,
    );
  }
  return fine('server', `Holdfast ${hello.version} is running on port ${server.port}.`);
}

async function checkPort(port: number): Promise<Finding> {
  if (port === 0 || ((await isFree(port, '127.0.0.1')) && (await isFree(port, '::1')))) {
    return note('server', `Holdfast is not running; port ${port} is free for "holdfast serve".`);
  }
  const holder = findPortHolder(port);
  const hello = await askHello(port);
  const by = holder ? `${holder.name} (process ${holder.pid})` : "another user's program";
  if (hello) {
    return problem(
      'port',
      `Port ${port} belongs to a Holdfast of another collection, ${by}; stop it, or choose another port with --port or HOLDFAST_PORT.`,
    );
  }
  return problem(
    'port',
    `Port ${port} is in use by ${by}; stop it, or choose another port with --port or HOLDFAST_PORT.`,
  );
}

/** Whether we could listen there; an address family that is missing is in nobody's way. */
function isFree(port: number, host: string): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = net.createServer();
    probe.once('error', (error: NodeJS.ErrnoException) =>
      resolve(error.code === 'EADDRNOTAVAIL' || error.code === 'EAFNOSUPPORT'),
    );
    probe.listen(port, host, () => probe.close(() => resolve(true)));
  });
}
