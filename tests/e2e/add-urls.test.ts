import fs from 'node:fs';
import path from 'node:path';
import { beforeAll, afterAll, expect, test } from 'vitest';
import { parseDigest } from '../../shared/digest/digest.ts';
import { openCollection } from '../../companion/collection/open-collection.ts';
import { presentSnapshots } from '../../companion/collection/records/present.ts';
import { listSnapshots } from '../../companion/collection/records/snapshots.ts';
import { runCli } from '../helpers/run-cli.ts';
import { startSite, type TestSite } from '../helpers/site.ts';
import { temporaryFolder } from '../helpers/temporary-folder.ts';

let site: TestSite;
beforeAll(async () => {
  site = await startSite();
});
afterAll(() => site.stop());

const allowed = () => ({ EGRESS_ALLOW: `*.localhost:${site.port}` });

/** What every kept page must have: plugin and file. */
const outputs: [plugin: string, file: string][] = [
  ['headers', 'headers.json'],
  ['title', 'title.txt'],
  ['dom', 'output.html'],
  ['screenshot', 'screenshot.png'],
  ['pdf', 'output.pdf'],
  ['singlefile', 'singlefile.html'],
  ['readability', 'content.txt'],
  ['htmltotext', 'htmltotext.txt'],
  ['parse_dom_outlinks', 'urls.jsonl'],
  ['search_backend_sqlite', 'content.txt'],
  ['hashes', 'hashes.json'],
];

test('three addresses give three copies with all outputs, and the command says where they are', async () => {
  const dataDir = temporaryFolder();
  const urls = [site.a('/article.html'), site.b('/article.html'), site.a('/article.html?second=1')];
  const added = await runCli(dataDir, ['add', ...urls], allowed());
  expect(added.code, added.stderr).toBe(0);
  const collection = await openCollection(dataDir);
  try {
    const snapshots = presentSnapshots(collection, listSnapshots(collection.db, {}, 10), { withResults: true });
    expect(snapshots.map((snapshot) => snapshot.url).sort()).toEqual([...urls].sort());
    for (const snapshot of snapshots) {
      expect(snapshot.status).toBe('sealed');
      const folder = path.join(dataDir, snapshot.archive_path);
      expect(added.stdout).toContain(folder);
      for (const [plugin, file] of outputs) {
        const result = snapshot.archiveresults.find((one) => one.plugin === plugin && one.output_files[file]);
        expect(result?.status, `${plugin} of ${snapshot.url}: ${added.stderr}`).toBe('succeeded');
        // The folder shows a self-contained page as skeleton and parts; the collection has it whole.
        expect(fs.existsSync(path.join(folder, plugin, file)), `${plugin}/${file}`).toBe(true);
        const { size, digest } = result!.output_files[file]!;
        expect(await collection.blobs.size(parseDigest(digest ?? '')!)).toBe(size);
        if (plugin !== 'parse_dom_outlinks') expect(size).toBeGreaterThan(0);
      }
    }
  } finally {
    collection.close();
  }
}, 300_000);

const refusals: [what: string, urls: () => string[], words: RegExp][] = [
  ['a file', () => ['file:///etc/passwd'], /file:.*only http: and https:/],
  ['a private address', () => ['http://192.168.7.7/'], /192\.168\.7\.7.*EGRESS_ALLOW/],
  ['this machine in disguise', () => ['http://2130706433/'], /127\.0\.0\.1.*EGRESS_ALLOW/],
  ['two addresses in one argument', () => ['http://example.org/ http://example.com/'], /one address at a time/],
  ['no host', () => ['http://'], /no address.*name a host/],
  ['one good and one bad', () => [site.a('/article.html'), 'nonsense'], /Nothing was added.*nonsense/],
];

test.each(refusals)('%s is refused with what to do, and nothing is stored', async (_what, urls, words) => {
  const dataDir = temporaryFolder();
  const added = await runCli(dataDir, ['add', ...urls()], allowed());
  expect([added.code, added.stdout]).toEqual([2, '']);
  expect(added.stderr).toMatch(words);
  const listed = await runCli(dataDir, ['list', '--json']);
  expect(listed.stdout).toBe('');
});

test('the address of Holdfast itself is refused even where private addresses are allowed', async () => {
  const dataDir = temporaryFolder();
  for (const url of ['http://127.0.0.1:8745/', 'http://holdfast.localhost:8745/']) {
    const added = await runCli(dataDir, ['add', url], { EGRESS_ALLOW: '*.localhost 127.0.0.1', HOLDFAST_PORT: '8745' });
    expect([added.code, added.stderr]).toEqual([2, expect.stringMatching(/Holdfast itself/)]);
  }
});

test('a host that is not there fails with its name, and the attempt stays to be seen', async () => {
  const dataDir = temporaryFolder();
  const added = await runCli(dataDir, ['add', 'http://no-such-host.invalid/page']);
  expect(added.code).toBe(1);
  expect(added.stderr).toMatch(/no-such-host\.invalid/);
  const [snapshot] = (await runCli(dataDir, ['list', '--json'])).lines.map(
    (line) => JSON.parse(line) as { url: string; status: string },
  );
  expect(snapshot).toMatchObject({ url: 'http://no-such-host.invalid/page', status: 'sealed' });
});

test('an error page of the site is kept as it is, and the command says what it is', async () => {
  const dataDir = temporaryFolder();
  const added = await runCli(dataDir, ['add', site.a('/nowhere.html')], allowed());
  expect(added.code, added.stderr).toBe(0);
  expect(added.stdout).toContain(`${site.a('/nowhere.html')}\t`);
  expect(added.stderr).toContain('nowhere.html: the site answered 404; its page was kept as it is.');
});
