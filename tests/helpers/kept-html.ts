import { recordOutputs } from '../../companion/collection/records/results.ts';
import type { Collection } from '../../companion/collection/open-collection.ts';
import { uploadHookName } from '../../shared/model/states.ts';

/** Records what the extension would have sent as the page itself. */
export async function keepHtml(collection: Collection, snapshotId: string, html: string): Promise<void> {
  const { digest, size } = await collection.gate.promoteBytes(Buffer.from(html));
  const file = { path: 'singlefile.html', size, mimetype: 'text/html', declaredType: 'text/html', digest };
  const key = { snapshotId, plugin: 'chrome_extension_singlefile', hookName: uploadHookName };
  await collection.db.write(() =>
    recordOutputs(collection.db, key, [file], { status: 'succeeded', origin: 'browser' }, Date.now()),
  );
}
