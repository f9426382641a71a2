import fs from 'node:fs';
import { countPhrase } from '../../../shared/words/amounts.ts';
import { Layout } from '../../collection/layout.ts';
import { fine, problem, type Finding } from './finding.ts';

const unpaired = 'No browser is paired; install the extension, run "holdfast pair" and type the code into its options.';

/** Whether a browser may send pages. Only called for a collection whose database is sound. */
export async function checkPairing(root: string): Promise<Finding> {
  if (!fs.existsSync(new Layout(root).database())) return problem('pairing', unpaired);
  const { openCollection } = await import('../../collection/open-collection.ts');
  const { Access } = await import('../../auth/access.ts');
  const collection = await openCollection(root);
  try {
    const { length } = new Access(collection).pairings();
    return length === 0 ? problem('pairing', unpaired) : fine('pairing', `${countPhrase(length, 'browser')} paired.`);
  } finally {
    collection.close();
  }
}
