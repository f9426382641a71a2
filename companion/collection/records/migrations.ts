import { schemaOne } from './schema-1.ts';
import { schemaTwo } from './schema-2.ts';

export interface Migration {
  version: number;
  name: string;
  sql: string;
}

/** The one list of schema steps. Each runs in one transaction; a step that was released is never edited. */
export const migrations: readonly Migration[] = [
  { version: 1, name: 'first schema', sql: schemaOne },
  { version: 2, name: 'split pages, fixity and backups', sql: schemaTwo },
];

export const schemaVersion = migrations[migrations.length - 1]!.version;
