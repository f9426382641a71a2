#!/usr/bin/env node
/**
 * The one entry of a checkout: `npm start`, `npm test`, `npm run holdfast`, `npm run build`, `npm run bench`. It needs
 * only Node and npm: it installs, rebuilds and builds what is missing or stale, and then starts the real programs.
 * Nothing is imported before the version of Node is known to understand it.
 */
function checkNode() {
  const [major, minor] = process.versions.node.split('.').map(Number);
  if (major > 20 || (major === 20 && minor >= 19)) return;
  process.stderr.write(
    `Holdfast needs Node 20.19 or later, this is Node ${process.versions.node}: install a newer Node and try again.\n`,
  );
  process.exit(1);
}

const commands = {
  start: async (args) => (await import('./tests/checkout/start.mjs')).start(args),
  test: async (args) => (await import('./tests/checkout/run-tests.mjs')).runTests(args),
  build: async (args) => (await import('./tests/checkout/build.mjs')).build(args),
  holdfast: async (args) => (await import('./tests/checkout/start.mjs')).runCli(args),
  bench: async (args) => (await import('./tests/checkout/run-tests.mjs')).runSuite('bench', args),
  torture: async (args) => (await import('./tests/checkout/run-tests.mjs')).runSuite('torture', args),
};

async function main([name, ...args]) {
  const { ensureInstalled } = await import('./tests/checkout/install.mjs');
  const { say, Stop } = await import('./tests/checkout/tools.mjs');
  try {
    const command = commands[name];
    if (!command) throw new Stop(`Usage: node bootstrap.mjs ${Object.keys(commands).join('|')} [arguments]`);
    await ensureInstalled();
    process.exitCode = await command(args);
  } catch (error) {
    say(error instanceof Stop ? error.message : error.stack);
    process.exitCode = 1;
  }
}

checkNode();
await main(process.argv.slice(2));
