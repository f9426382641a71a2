import fs from 'node:fs';
import { countPhrase } from '../../../shared/words/amounts.ts';
import { Layout } from '../../collection/layout.ts';
import { fine, note, problem, type Finding } from './finding.ts';

/** Whether what is kept would survive the disk. Only called for a collection whose database is sound. */
export async function checkSafety(root: string): Promise<Finding[]> {
  if (!fs.existsSync(new Layout(root).database())) return [];
  const { openCollection } = await import('../../collection/open-collection.ts');
  const { backupReminder, lastBackup } = await import('../../collection/records/backups.ts');
  const { countDamaged } = await import('../../collection/records/fixity.ts');
  const collection = await openCollection(root);
  try {
    const reminder = backupReminder(collection.db, Date.now());
    const hasBackup = lastBackup(collection.db) !== undefined;
    const damaged = countDamaged(collection.db);
    const backup =
      reminder === undefined
        ? fine(
            'backup',
            hasBackup ? 'There is a backup of the last 30 days.' : 'The collection is too young to need one.',
          )
        : note('backup', reminder);
    if (damaged === 0) return [backup];
    const sentence = `${countPhrase(damaged, 'kept file')} no longer as recorded; "holdfast verify" names them, "holdfast restore" brings a backup back.`;
    return [backup, problem('bytes', sentence)];
  } finally {
    collection.close();
  }
}
