import fs from 'node:fs';
import path from 'node:path';
import { PNG } from 'pngjs';
import { expect, it, onTestFinished } from 'vitest';
import { findChromium } from '../../companion/browser/find-chromium.ts';
import { openCollection } from '../../companion/collection/open-collection.ts';
import { findResultByKey, recordOutputs, resultsOfSnapshots } from '../../companion/collection/records/results.ts';
import { ensureSnapshot, findSnapshot } from '../../companion/collection/records/snapshots.ts';
import { loadSettings } from '../../companion/config/settings.ts';
import { createLogger } from '../../companion/log/logger.ts';
import { createRunnerContext } from '../../companion/runner/runner-context.ts';
import { workUntilDone } from '../../companion/runner/start-runner.ts';
import { uploadHookName } from '../../shared/model/states.ts';
import { temporaryFolder } from '../helpers/temporary-folder.ts';

const icon = 'data:image/gif;base64,R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7';
const page = `<!doctype html><html><head><title>Kept</title><link rel="icon" href="${icon}"></head>
  <body><article><h1>Kept</h1><p>${'A sentence that the reader saw. '.repeat(40)}</p></article></body></html>`;

/** A program that notes that it was started and then is the real Chromium. */
function watchedChromium(folder: string): { program: string; starts: () => number } {
  const program = path.join(folder, 'chromium');
  const note = path.join(folder, 'starts');
  fs.writeFileSync(program, `#!/bin/sh\necho started >> '${note}'\nexec '${findChromium(process.env)}' "$@"\n`, {
    mode: 0o755,
  });
  return { program, starts: () => (fs.existsSync(note) ? fs.readFileSync(note, 'utf8').split('\n').length - 1 : 0) };
}

/** A page that a browser delivered, worked on by the real plugins until it is sealed. */
async function sealFromBrowser(environment: Record<string, string>) {
  const collection = await openCollection(temporaryFolder('derived'));
  onTestFinished(() => collection.close());
  const { db } = collection;
  const chromium = watchedChromium(temporaryFolder('chromium'));
  const copy = await collection.gate.promoteBytes(Buffer.from(page));
  const picture = await collection.gate.promoteBytes(PNG.sync.write(new PNG({ width: 8, height: 8 })));
  const snapshot = await db.write(() => {
    const now = Date.now();
    const { row } = ensureSnapshot(
      db,
      {
        url: 'https://example.org/kept',
        ownerId: collection.owner.id,
        depth: 0,
        titleOrigin: 'browser',
        tags: [],
        notes: '',
        source: 'browser',
        expectedCaptures: [],
        bookmarkedAt: now,
        permissions: 'private',
        inputDigest: copy.digest,
      },
      now,
    );
    for (const [plugin, name, mimetype, bytes] of [
      ['chrome_extension_singlefile', 'singlefile.html', 'text/html', copy],
      ['chrome_extension_screenshot', 'screenshot.png', 'image/png', picture],
    ] as const) {
      const file = { path: name, ...bytes, mimetype, declaredType: mimetype };
      const key = { snapshotId: row.id, plugin, hookName: uploadHookName };
      recordOutputs(db, key, [file], { status: 'succeeded', origin: 'browser' }, now);
    }
    return row;
  });
  const loaded = loadSettings(collection.layout.settings(), { HOLDFAST_CHROMIUM: chromium.program, ...environment });
  const log = createLogger('silent', 'test');
  const context = await createRunnerContext({ collection, loaded, log });
  const options = { collection, createContext: async () => context, scope: {}, daemon: false, takeOver: false };
  await workUntilDone({ ...options, concurrencyMax: () => 1 }, new AbortController().signal);
  expect(findSnapshot(db, snapshot.id)!.status).toBe('sealed');
  const results = resultsOfSnapshots(db, [snapshot.id]);
  const statuses = Object.fromEntries(results.map((result) => [result.plugin, result.status]));
  const pdf = findResultByKey(db, { snapshotId: snapshot.id, plugin: 'pdf', hookName: 'on_Snapshot__52_pdf' });
  return { statuses, starts: chromium.starts(), pdf };
}

it('what is derived from the copy without a browser starts none', async () => {
  const { statuses, starts } = await sealFromBrowser({ PDF_ENABLED: 'false' });
  expect(statuses).toMatchObject({
    title: 'succeeded',
    favicon: 'succeeded',
    htmltotext: 'succeeded',
    readability: 'succeeded',
    pdf: 'skipped',
  });
  expect(starts).toBe(0);
});

it('the PDF of the copy is printed by a browser', async () => {
  const { starts, pdf } = await sealFromBrowser({ PDF_ENABLED: 'true' });
  expect(pdf).toMatchObject({ status: 'succeeded', origin: 'derived', error: null });
  expect(starts).toBe(1);
});
