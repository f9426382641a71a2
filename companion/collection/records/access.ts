import { sqlBuilder, type Db } from '../database.ts';
import { newRow } from './common.ts';
import type { ApiTokenRow, OneTimeCodeRow, PairingRow, SessionRow } from './tables.ts';

/** Rows of codes, pairings, tokens and sessions. All secrets but the pairing's own arrive here hashed. */

export function insertCode(db: Db, row: OneTimeCodeRow): void {
  db.run(sqlBuilder.insertInto('one_time_code').values(row));
}

/** Codes of a purpose that are neither used, nor expired, nor worn out by wrong attempts. */
export function liveCodes(
  db: Db,
  purpose: OneTimeCodeRow['purpose'],
  attemptsMax: number,
  now: number,
): OneTimeCodeRow[] {
  return db.all(
    sqlBuilder
      .selectFrom('one_time_code')
      .selectAll()
      .where('purpose', '=', purpose)
      .where('expires_at', '>', now)
      .where('used_at', 'is', null)
      .where('attempts', '<', attemptsMax),
  );
}

export function countAttempt(db: Db, id: string): void {
  db.run(
    sqlBuilder
      .updateTable('one_time_code')
      .set((e) => ({ attempts: e('attempts', '+', 1) }))
      .where('id', '=', id),
  );
}

/** Marks a code used; false when somebody else was first. */
export function useCode(db: Db, id: string, now: number): boolean {
  const update = sqlBuilder
    .updateTable('one_time_code')
    .set({ used_at: now })
    .where('id', '=', id)
    .where('used_at', 'is', null);
  return db.run(update).changes === 1;
}

export function removeOldCodes(db: Db, before: number): void {
  for (const purpose of ['pairing', 'login'] as const) {
    db.run(sqlBuilder.deleteFrom('one_time_code').where('purpose', '=', purpose).where('expires_at', '<', before));
  }
}

export function insertPairing(
  db: Db,
  facts: Pick<PairingRow, 'name' | 'user_id' | 'secret' | 'origin'>,
  now: number,
): PairingRow {
  const row: PairingRow = { ...newRow(now), ...facts, last_seen_at: now, revoked_at: null };
  db.run(sqlBuilder.insertInto('pairing').values(row));
  return row;
}

export function findPairing(db: Db, id: string): PairingRow | undefined {
  return db.first(sqlBuilder.selectFrom('pairing').selectAll().where('id', '=', id));
}

export function listPairings(db: Db): PairingRow[] {
  return db.all(sqlBuilder.selectFrom('pairing').selectAll().where('revoked_at', 'is', null).orderBy('id'));
}

export function revokePairing(db: Db, id: string, now: number): boolean {
  db.run(sqlBuilder.updateTable('api_token').set({ revoked_at: now, modified_at: now }).where('pairing_id', '=', id));
  const update = sqlBuilder.updateTable('pairing').set({ revoked_at: now, modified_at: now });
  return db.run(update.where('id', '=', id).where('revoked_at', 'is', null)).changes === 1;
}

export function insertToken(
  db: Db,
  facts: Pick<ApiTokenRow, 'token_hash' | 'user_id' | 'pairing_id' | 'label' | 'expires_at'>,
  now: number,
): ApiTokenRow {
  const row: ApiTokenRow = { ...newRow(now), ...facts, last_used_at: null, revoked_at: null };
  db.run(sqlBuilder.insertInto('api_token').values(row));
  return row;
}

export function findToken(db: Db, tokenHash: string): ApiTokenRow | undefined {
  return db.first(sqlBuilder.selectFrom('api_token').selectAll().where('token_hash', '=', tokenHash));
}

export function listTokens(db: Db): ApiTokenRow[] {
  return db.all(sqlBuilder.selectFrom('api_token').selectAll().where('revoked_at', 'is', null).orderBy('id'));
}

export function revokeToken(db: Db, id: string, now: number): boolean {
  const update = sqlBuilder.updateTable('api_token').set({ revoked_at: now, modified_at: now });
  return db.run(update.where('id', '=', id).where('revoked_at', 'is', null)).changes === 1;
}

export function insertSession(db: Db, row: SessionRow): void {
  db.run(sqlBuilder.insertInto('session').values(row));
}

export function findSession(db: Db, secretHash: string): SessionRow | undefined {
  return db.first(sqlBuilder.selectFrom('session').selectAll().where('secret_hash', '=', secretHash));
}

export function removeSession(db: Db, secretHash: string): void {
  db.run(sqlBuilder.deleteFrom('session').where('secret_hash', '=', secretHash));
}
