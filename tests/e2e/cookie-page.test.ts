import fs from 'node:fs';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { routes } from '../../shared/protocol/routes.ts';
import type { SnapshotRecord } from '../../shared/model/api-records.ts';
import { startCompanion } from '../helpers/companion.ts';
import { launchWithExtension } from '../helpers/extension-browser.ts';
import { readPdf } from '../helpers/pdf.ts';
import { startSite } from '../helpers/site.ts';
import { temporaryFolder } from '../helpers/temporary-folder.ts';
import { waitUntil } from '../helpers/wait-until.ts';

const secret = 'The heron nests behind the third lock gate.';

test('what only the logged-in person saw is in every derived output, and nobody asks the site again', async () => {
  const site = await startSite();
  onTestFinished(() => site.stop());
  // The companion may reach the site if it wanted to: that it does not is the point.
  const companion = await startCompanion({ dataDir: temporaryFolder(), env: { EGRESS_ALLOW: '*.localhost' } });
  onTestFinished(() => companion.stop());
  const chromium = await launchWithExtension();
  onTestFinished(() => chromium.close());
  await chromium.pair(companion);

  const page = await chromium.browser.newPage();
  await page.goto(site.a('/login'));
  expect(await page.evaluate(() => document.body.innerText)).toContain(secret);
  const before = site.requests.length;
  await chromium.clickToolbar(page);
  await chromium.waitForCapture((record) => record.stage === 'sent');
  const duringCapture = site.requests.slice(before);
  const after = site.requests.length;

  const snapshot = await waitUntil('the snapshot is sealed', async () => {
    const list = (await companion.request(`${routes.snapshots}?with_archiveresults=true`)).json() as {
      items: SnapshotRecord[];
    };
    return list.items.find((item) => item.status === 'sealed');
  });
  expect(snapshot.url).toBe(site.a('/members.html'));
  const folder = path.join(companion.dataDir, snapshot.archive_path);
  const read = (file: string) => fs.readFileSync(path.join(folder, file), 'utf8');
  expect(read('title/title.txt')).toContain('Members');
  expect(read('htmltotext/htmltotext.txt')).toContain(secret);
  expect(read('readability/content.txt')).toContain(secret);
  expect(read('search_backend_sqlite/content.txt')).toContain(secret);
  expect(readPdf(fs.readFileSync(path.join(folder, 'pdf/output.pdf'))).holds(secret)).toBe(true);
  await waitUntil('it is found by its words', async () => {
    const found = (await companion.request(`${routes.snapshots}?search=heron+lock`)).json() as {
      items: SnapshotRecord[];
    };
    return found.items.some((item) => item.id === snapshot.id) || undefined;
  });
  expect(site.requests.slice(after), 'no request may follow the capture').toEqual([]);
  // The capture itself may read what the page shows from the browser's own cache, never the page again.
  expect(duringCapture.filter((request) => request.includes('/members.html') || request.includes('/login'))).toEqual(
    [],
  );
  for (const result of snapshot.archiveresults) expect(result.origin, result.plugin).not.toBe('fetched');
});
