import { execFileSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { runProcess } from '../../companion/process/run-process.ts';
import { bundleProgram } from '../helpers/bundle-program.ts';
import { temporaryFolder } from '../helpers/temporary-folder.ts';

/** How a program gets a network of its own here, or undefined where that is not allowed. */
function ownNetwork(): [string, ...string[]] | undefined {
  const ways: [string, ...string[]][] = [
    ['unshare', '-n', '-m'],
    ['unshare', '-r', '-n', '-m'],
  ];
  return ways.find(([program, ...args]) => {
    try {
      execFileSync(program, [...args, 'ip', 'link', 'add', 'veth0', 'type', 'veth', 'peer', 'name', 'veth1'], {
        stdio: 'ignore',
      });
      return true;
    } catch {
      return false;
    }
  });
}

const way = ownNetwork();
const title = 'nothing leaves past the proxy: no DNS query, no datagram, no connection of its own';

it.skipIf(!way)(
  way ? title : `${title} (skipped: network namespaces are not allowed here)`,
  { timeout: 180_000 },
  async () => {
    const folder = temporaryFolder('holdfast-egress');
    const program = await bundleProgram('tests/fixtures/egress-bench.ts', folder);
    const command: [string, ...string[]] = [...way!, process.execPath, program];
    const env = { PATH: process.env.PATH ?? '', HOLDFAST_CHROMIUM: process.env.HOLDFAST_CHROMIUM ?? '' };
    const { stdout, stderr } = await runProcess(
      { command, env, cwd: folder, timeoutMs: 160_000 },
      new AbortController().signal,
    );
    expect(stdout, stderr).toMatch(/^\{/);
    const { title: pageTitle, tools, quiet, noisy } = JSON.parse(stdout);

    expect(pageTitle).toBe('done');
    expect(quiet.datagrams).toEqual([]);
    expect(quiet.bypasses).toEqual([]);
    expect(quiet.secrets).toBe(0);
    // The proxy itself asks for what it is asked for; names that only the browser could want are never asked for.
    expect(quiet.queries).not.toContain('stun.example.com');
    expect(quiet.queries).not.toContain('prefetch.example.com');
    expect(quiet.served).toContain('other.example.com/picture');
    expect(quiet.served).toContain('mixed.example.com/picture');
    for (const place of [
      '127.0.0.1:80',
      'localhost:80',
      'a.localhost:80',
      '::1:80',
      '169.254.169.254:80',
      'private.example.com:80',
    ]) {
      expect(quiet.refused).toContain(place);
    }

    expect(tools['curl -sfL http://site.example.com/fine']).toBe(0);
    for (const [command, exitCode] of Object.entries(tools)) {
      if (!command.endsWith('/fine')) expect(exitCode, command).not.toBe(0);
    }

    // And the bench would have noticed.
    expect(noisy.bypasses.length).toBeGreaterThan(0);
    expect(noisy.datagrams).toContain('3478');
    expect(noisy.queries).toContain('prefetch.example.com');
  },
);
