import type { Db } from './database.ts';
import { migrations } from './records/migrations.ts';

/**
 * Makes a new database, one transaction per step; several programs may do so at the same moment. An older one was
 * brought here by `upgradeCollection`.
 */
export async function migrate(db: Db): Promise<void> {
  const versionNow = (): number => db.connection.pragma('user_version', { simple: true }) as number;
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
