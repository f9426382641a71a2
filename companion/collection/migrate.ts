import type { Db } from './database.ts';
import { migrations, schemaVersion } from './records/migrations.ts';

/**
 * Makes a new database, whole in one transaction: several programs may do so at the same moment, and none of them ever
 * sees an older schema. An older one was brought here by `upgradeCollection`.
 */
export async function migrate(db: Db): Promise<void> {
  const versionNow = (): number => db.connection.pragma('user_version', { simple: true }) as number;
  if (versionNow() === schemaVersion) return;
  await db.write(() => {
    // Another process may have made it while this one waited for the lock.
    if (versionNow() === schemaVersion) return;
    for (const step of migrations) db.connection.exec(step.sql);
    db.connection.pragma(`user_version = ${schemaVersion}`);
  });
}
