import { HoldfastError } from '../../shared/errors/holdfast-error.ts';
import type { Db } from './database.ts';
import { migrations, schemaVersion } from './records/migrations.ts';

/**
 * Brings the database to this program's schema, one transaction per step. A database of a newer program is refused
 * before anything is read from it.
 */
export async function migrate(db: Db): Promise<void> {
  const versionNow = (): number => db.connection.pragma('user_version', { simple: true }) as number;
  if (versionNow() > schemaVersion) {
    throw new HoldfastError(
      'version_mismatch',
      `This collection was written by a newer Holdfast (schema ${versionNow()}, this program knows ${schemaVersion}); update Holdfast to open it.`,
    );
  }
  for (const step of migrations) {
    if (step.version <= versionNow()) continue;
    await db.write(() => {
      // Another process may have taken the step while this one waited for the lock.
      if (step.version <= versionNow()) return;
      db.connection.exec(step.sql);
      db.connection.pragma(`user_version = ${step.version}`);
    });
  }
}
