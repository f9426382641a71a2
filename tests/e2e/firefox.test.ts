import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { CaptureView } from '../../extension/messaging/view-model.ts';
import { routes } from '../../shared/protocol/routes.ts';
import { startCompanion, type TestCompanion } from '../helpers/companion.ts';
import { launchFirefoxWithExtension, type FirefoxWithExtension } from '../helpers/extension-firefox.ts';
import { comparePictures, wholePicture } from '../helpers/page-likeness.ts';
import { startSite, type TestSite } from '../helpers/site.ts';

let dataDir: string;
let site: TestSite;
let companion: TestCompanion;
let firefox: FirefoxWithExtension;

beforeAll(async () => {
  dataDir = fs.mkdtempSync(path.join(os.tmpdir(), 'holdfast-firefox-'));
  site = await startSite();
  companion = await startCompanion({ dataDir, args: ['--no-runner'] });
  firefox = await launchFirefoxWithExtension();
}, 240_000);

afterAll(async () => {
  await firefox?.close();
  await companion?.stop();
  await site?.stop();
  fs.rmSync(dataDir, { recursive: true, force: true, maxRetries: 5 });
});

test('the Firefox build pairs with the companion', async () => {
  await firefox.send('setCompanionAddress', { address: `127.0.0.1:${companion.port}` });
  const paired = await firefox.send('pair', { code: companion.pairingCode });
  expect(paired.ok, paired.sentence).toBe(true);
  const { connection } = await firefox.send('getOptionsState', {});
  expect(connection).toMatchObject({ kind: 'connected', libraryUrl: expect.stringContaining(String(companion.port)) });
});

test.each([
  ['/article.html', ['What the night has brought', 'Watched 4', 'End of the page']],
  [
    '/shadow.html',
    ['The closed room is blue.', 'A closed room inside the open one.', 'background: rgb(45, 79, 124)', 'typed by hand'],
  ],
  ['/frames.html', ['The outer frame comes from the other host.', 'The inner frame is back on the first host.']],
])(
  '%s is kept with its text and a picture of the whole page',
  async (address, texts) => {
    const page = await firefox.browser.newPage();
    await page.goto(site.a(address));
    const { captureId } = await firefox.send('keepTab', { tabId: await firefox.tabId(site.a(address)) });
    const kept = await untilKept(captureId ?? '');
    expect(kept.missing).toEqual([]);
    expect(kept.witnesses.map((witness) => witness.kind)).toEqual(['facts', 'dom', 'screenshot']);

    const replay = (await companion.request(routes.replayAddress(kept.id))).json();
    const download = async (file: string): Promise<Buffer> => {
      const output = replay.outputs.find((one: { path: string }) => one.path === file);
      return (await companion.request(output.download_url)).body;
    };
    const html = readable((await download('singlefile.html')).toString());
    for (const text of texts) expect(html).toContain(readable(text));
    const likeness = comparePictures(await wholePicture(page), await download('screenshot.png'));
    expect(likeness.sizes[1]).toEqual(likeness.sizes[0]);
    expect(likeness.differing).toBeLessThan(0.002);
    await page.close();
  },
  240_000,
);

/** Markup may be written with or without spaces and quotes. */
function readable(html: string): string {
  return html
    .replace(/[\s"']|&quot;/g, '')
    .replace(/&amp;/g, '&')
    .replaceAll('#2d4f7c', 'rgb(45,79,124)');
}

async function untilKept(id: string): Promise<CaptureView> {
  const deadline = Date.now() + 180_000;
  for (;;) {
    const { done, waiting } = await firefox.send('getOutboxState', {});
    const kept = done.find((one) => one.id === id);
    if (kept) return kept;
    if (Date.now() > deadline) throw new Error(`not kept: ${JSON.stringify(waiting.map((one) => one.sentence))}`);
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}
