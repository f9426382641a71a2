import { spawn } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openCollection } from '../../companion/collection/open-collection.ts';
import { cliFile } from '../helpers/companion.ts';
import { keepPage } from '../helpers/kept-pages.ts';
import { runCli } from '../helpers/run-cli.ts';

let folder: string;
const ids: Record<'old' | 'tagged' | 'latest', string> = { old: '', tagged: '', latest: '' };

beforeAll(async () => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'holdfast-cli-'));
  const collection = await openCollection(folder);
  ids.old = await keepPage(collection, {
    url: 'https://a.example/old',
    title: 'Old "news", =SUM(A1)',
    text: 'tide tables',
    bookmarkedAt: 1_600_000_000_000,
  });
  ids.tagged = await keepPage(collection, {
    url: 'https://b.example/tagged',
    title: 'Boats\u001b[31m red\u202e',
    tags: ['Sea', 'two words'],
    text: 'the tide turns',
    bookmarkedAt: 1_700_000_000_000,
  });
  ids.latest = await keepPage(collection, {
    url: 'https://c.example/latest',
    title: '東京',
    text: 'no water',
    bookmarkedAt: 1_750_000_000_000,
  });
  collection.close();
});
afterAll(() => fs.rmSync(folder, { recursive: true, force: true }));

const jsonIds = (lines: readonly string[]): string[] => lines.map((line) => (JSON.parse(line) as { id: string }).id);

test('list prints the latest first, as text, JSON lines or CSV', async () => {
  const text = await runCli(folder, ['list']);
  expect(text).toMatchObject({ code: 0, stderr: '' });
  expect(text.lines.map((line) => line.split('\t')[2])).toEqual([
    'https://c.example/latest',
    'https://b.example/tagged',
    'https://a.example/old',
  ]);
  expect(jsonIds((await runCli(folder, ['list', '--json'])).lines)).toEqual([ids.latest, ids.tagged, ids.old]);
  const csv = await runCli(folder, ['list', '--csv', 'title,tags,url', '--url', '/OLD']);
  expect(csv.stdout).toBe('title,tags,url\n"Old ""news"", =SUM(A1)",,https://a.example/old\n');
});

test('list is narrowed by tag, status, address and limit, and says when there is more', async () => {
  expect(jsonIds((await runCli(folder, ['list', '--json', '--tag', 'sea'])).lines)).toEqual([ids.tagged]);
  expect((await runCli(folder, ['list', '--json', '--status', 'sealed'])).lines).toEqual([]);
  const cut = await runCli(folder, ['list', '--limit', '1']);
  expect(cut.lines).toHaveLength(1);
  expect(cut.stderr).toContain('--limit 0');
  expect((await runCli(folder, ['list', '--url', 'nowhere'])).stderr).toBe('No page matches.\n');
});

test('what a page calls itself cannot steer the terminal', async () => {
  const { stdout } = await runCli(folder, ['list', '--url', 'tagged'], { FORCE_COLOR: '1' });
  expect(stdout).toContain('Boats [31m red');
  // eslint-disable-next-line no-control-regex
  expect(stdout).not.toMatch(/\u001b\[31m|\u202e/);
});

test('colours appear when forced and never against NO_COLOR', async () => {
  const escape = '\u001b[';
  expect((await runCli(folder, ['status'], { FORCE_COLOR: '1' })).stdout).toContain(escape);
  expect((await runCli(folder, ['status'], { FORCE_COLOR: '1', NO_COLOR: '1' })).stdout).not.toContain(escape);
});

test('search finds what was recorded while nothing ran, best first, with snippets', async () => {
  const found = await runCli(folder, ['search', 'tide']);
  expect(found.code).toBe(0);
  expect(found.stdout).toContain('https://b.example/tagged');
  expect(found.stdout).toContain('    the tide turns');
  const json = await runCli(folder, ['search', 'tide', 'tag:two words', '--json']);
  expect(jsonIds(json.lines)).toEqual([ids.tagged]);
  expect((JSON.parse(json.lines[0]!) as { snippet: unknown }).snippet).toContainEqual({ text: 'tide', hit: true });
  expect((await runCli(folder, ['search', 'tide turns', '--csv', 'id'])).lines).toEqual(['id', ids.tagged]);
  expect((await runCli(folder, ['search', '京', '--csv', 'id'])).lines).toEqual(['id', ids.latest]);
  expect(await runCli(folder, ['search', '"', '-', 'nothing-like-it'])).toMatchObject({
    code: 0,
    stdout: '',
    stderr: expect.stringContaining('No page holds this.') as string,
  });
});

test.each([
  [['list', '--status', 'done'], 2, 'no status'],
  [['list', '--csv', 'url,colour'], 2, '"colour"'],
  [['list', '--limit', 'ten'], 2, 'whole number'],
  [['list', '--json', '--csv', 'url'], 2, 'not both'],
  [['search'], 2, 'missing required argument'],
  [['frobnicate'], 2, 'unknown command'],
  [['token', 'revoke', 'x'], 1, 'token list'],
])('%j ends with %d and one sentence', async (args, code, sentence) => {
  const outcome = await runCli(folder, args);
  expect(outcome).toMatchObject({ code, stdout: '' });
  expect(outcome.stderr).toContain(sentence);
  expect(outcome.stderr.trim().split('\n')).toHaveLength(1);
});

test('a folder without a collection is told, and none is made there', async () => {
  const empty = path.join(folder, 'elsewhere');
  const outcome = await runCli(empty, ['list']);
  expect(outcome).toMatchObject({ code: 2, stdout: '' });
  expect(outcome.stderr).toContain(`There is no collection in ${empty}`);
  expect(fs.existsSync(empty)).toBe(false);
});

test('a reader that goes away ends the program quietly', async () => {
  const child = spawn(process.execPath, [cliFile, '--data', folder, 'list', '--json'], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  child.stdout.destroy();
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  const code = await new Promise((resolve) => child.once('close', resolve));
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
});

test('the version comes without opening anything', async () => {
  const outcome = await runCli('/nonexistent/nowhere', ['version', '--quiet']);
  const { version } = JSON.parse(fs.readFileSync('package.json', 'utf8')) as { version: string };
  expect(outcome).toMatchObject({ code: 0, stdout: `${version}\n`, stderr: '' });
});
