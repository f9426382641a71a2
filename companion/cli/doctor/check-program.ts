import { tmpdir } from 'node:os';
import { findChromium } from '../../browser/find-chromium.ts';
import { runProcess } from '../../process/run-process.ts';
import { fine, note, problem, reasonOf, type Finding } from './finding.ts';

const chromiumStartMs = 20_000;

/** The programs Holdfast stands on: Node, its SQLite, Chromium. */
export async function checkProgram(): Promise<Finding[]> {
  return [checkNode(), await checkSqlite(), ...(await checkChromium())];
}

function checkNode(): Finding {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  if (major > 20 || (major === 20 && minor >= 19)) return fine('node', `Node ${process.versions.node} is new enough.`);
  return problem('node', `Node ${process.versions.node} is too old; install Node 20.19 or later.`);
}

async function checkSqlite(): Promise<Finding> {
  try {
    const { sqliteVersion } = await import('../../collection/check-database.ts');
    return fine('sqlite', `SQLite ${sqliteVersion()} works with this Node.`);
  } catch (error) {
    return problem(
      'sqlite',
      `SQLite does not load in this Node (${reasonOf(error)}); run "npm rebuild better-sqlite3" where Holdfast is installed.`,
    );
  }
}

async function checkChromium(): Promise<Finding[]> {
  let path: string;
  try {
    path = findChromium(process.env);
  } catch (error) {
    return [problem('chromium', `${reasonOf(error)}.`)];
  }
  const environment = Object.fromEntries(
    Object.entries(process.env).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
  const command: [string, ...string[]] = [path, '--version'];
  const result = await runProcess(
    { command, env: environment, cwd: tmpdir(), timeoutMs: chromiumStartMs },
    new AbortController().signal,
  );
  if (result.exitCode !== 0) {
    return [
      problem(
        'chromium',
        `${path} does not start (${result.message ?? 'no reason given'}); install it again, or name another with HOLDFAST_CHROMIUM.`,
      ),
    ];
  }
  const findings = [fine('chromium', `${result.stdout.trim()} is there (${path}).`)];
  if (process.getuid?.() === 0) {
    findings.push(
      note('sandbox', 'Holdfast runs as root, where Chromium has no sandbox; run it as an ordinary user if you can.'),
    );
  }
  return findings;
}
