import { createHash, createHmac, randomBytes, randomInt, timingSafeEqual } from 'node:crypto';
import { HoldfastError } from '../../shared/errors/holdfast-error.ts';
import { limits } from '../../shared/limits.ts';
import { newId } from '../../shared/model/ids.ts';
import { helloMessage, type PairResponse } from '../../shared/protocol/hello.ts';
import type { Collection } from '../collection/open-collection.ts';
import * as rows from '../collection/records/access.ts';
import type { PairingRow } from '../collection/records/tables.ts';

/** Who a request speaks for. */
export interface Caller {
  userId: string;
  by: 'token' | 'session';
  /** Names the token or session in the process; uploads belong to it. */
  key: string;
}

/** Letters and digits that are not mistaken for one another when read aloud or typed. */
const CODE_LETTERS = 'ABCDEFGHJKMNPQRSTUVWXYZ23456789';

/** Pairing, tokens and sessions (DESIGN section 8). Secrets leave this class once; the database holds hashes. */
export class Access {
  private readonly collection: Pick<Collection, 'db' | 'owner'>;
  private readonly now: () => number;

  constructor(collection: Pick<Collection, 'db' | 'owner'>, now: () => number = Date.now) {
    this.collection = collection;
    this.now = now;
  }

  /** Makes a pairing code such as `K7QM-2RXP`, valid ten minutes and for one pairing. */
  async newPairingCode(): Promise<string> {
    const letters = Array.from({ length: 8 }, () => CODE_LETTERS[randomInt(CODE_LETTERS.length)]!).join('');
    await this.storeCode('pairing', letters, limits.pairingCodeMs);
    return `${letters.slice(0, 4)}-${letters.slice(4)}`;
  }

  /** Makes the code of a login link, valid ten minutes and once. */
  async newLoginCode(): Promise<string> {
    const code = randomBytes(24).toString('base64url');
    await this.storeCode('login', code, limits.loginCodeMs);
    return code;
  }

  /** Exchanges a pairing code. `origin` is the extension's origin, the only one that gets CORS headers. */
  async pair(code: string, name: string, origin: string): Promise<PairResponse> {
    const letters = code.toUpperCase().replace(/[^A-Z0-9]/g, '');
    await this.redeem('pairing', letters, 'pairing code');
    const { db, owner } = this.collection;
    const secret = randomBytes(32).toString('hex');
    const token = randomBytes(24).toString('base64url');
    const pairing = await db.write(() => {
      const now = this.now();
      const row = rows.insertPairing(db, { name, user_id: owner.id, secret, origin }, now);
      rows.insertToken(
        db,
        { token_hash: hash(token), user_id: owner.id, pairing_id: row.id, label: name, expires_at: null },
        now,
      );
      return row;
    });
    return { pairing_id: pairing.id, secret, token, user: owner.name, fingerprint: fingerprint(secret) };
  }

  /** Proof for `hello`, or undefined when the pairing is unknown or revoked. */
  prove(pairingId: string, nonce: string, port: number): string | undefined {
    const pairing = rows.findPairing(this.collection.db, pairingId);
    if (!pairing || pairing.revoked_at !== null) return undefined;
    return createHmac('sha256', Buffer.from(pairing.secret, 'hex')).update(helloMessage(nonce, port)).digest('hex');
  }

  pairings(): PairingRow[] {
    return rows.listPairings(this.collection.db);
  }

  /** Four groups of four letters, the same that the browser was given when it was paired. */
  fingerprint(pairing: Pick<PairingRow, 'secret'>): string {
    return fingerprint(pairing.secret);
  }

  isPairedOrigin(origin: string): boolean {
    return this.pairings().some((pairing) => pairing.origin === origin);
  }

  async revokePairing(id: string): Promise<boolean> {
    return this.collection.db.write(() => rows.revokePairing(this.collection.db, id, this.now()));
  }

  /** Makes a token for scripts; shown once. */
  async newToken(label: string): Promise<{ id: string; token: string }> {
    const token = randomBytes(24).toString('base64url');
    const { db, owner } = this.collection;
    const facts = { token_hash: hash(token), user_id: owner.id, pairing_id: null, label, expires_at: null };
    const row = await db.write(() => rows.insertToken(db, facts, this.now()));
    return { id: row.id, token };
  }

  tokens(): { id: string; label: string; createdAt: number; paired: boolean }[] {
    return rows.listTokens(this.collection.db).map((row) => ({
      id: row.id,
      label: row.label,
      createdAt: row.created_at,
      paired: row.pairing_id !== null,
    }));
  }

  async revokeToken(id: string): Promise<boolean> {
    return this.collection.db.write(() => rows.revokeToken(this.collection.db, id, this.now()));
  }

  /** Throws `unauthenticated`, or `revoked` for a token that once was good. One point read, no write. */
  requireToken(token: string): Caller {
    const row = PLACEHOLDERS.has(token) ? undefined : rows.findToken(this.collection.db, hash(token));
    if (!row || (row.expires_at !== null && row.expires_at <= this.now())) {
      throw new HoldfastError('unauthenticated', 'This token is not known here; pair again or make a new token.');
    }
    if (row.revoked_at !== null) {
      throw new HoldfastError('revoked', 'This browser was unpaired on the companion; pair it again.');
    }
    return { userId: row.user_id, by: 'token', key: row.id };
  }

  /** Opens a session for a login code; the secret goes into the cookie. */
  async login(code: string): Promise<string> {
    await this.redeem('login', code, 'login link');
    const secret = randomBytes(32).toString('base64url');
    const { db, owner } = this.collection;
    const now = this.now();
    const row = { secret_hash: hash(secret), user_id: owner.id, created_at: now, expires_at: now + limits.sessionMs };
    await db.write(() => rows.insertSession(db, row));
    return secret;
  }

  findSession(secret: string): Caller | undefined {
    const row = rows.findSession(this.collection.db, hash(secret));
    if (!row || row.expires_at <= this.now()) return undefined;
    return { userId: row.user_id, by: 'session', key: `session-${row.secret_hash.slice(0, 16)}` };
  }

  async logout(secret: string): Promise<void> {
    await this.collection.db.write(() => rows.removeSession(this.collection.db, hash(secret)));
  }

  private async storeCode(purpose: 'pairing' | 'login', code: string, lifeMs: number): Promise<void> {
    const { db } = this.collection;
    await db.write(() => {
      const now = this.now();
      rows.removeOldCodes(db, now - lifeMs);
      const id = newId(now);
      rows.insertCode(db, {
        id,
        purpose,
        code_hash: hash(`${id}|${code}`),
        created_at: now,
        expires_at: now + lifeMs,
        attempts: 0,
        used_at: null,
      });
    });
  }

  /** A wrong code counts against every live code of its purpose: the cap belongs to the code, not to the caller. */
  private async redeem(purpose: 'pairing' | 'login', code: string, what: string): Promise<void> {
    const { db } = this.collection;
    const verdict = await db.write(() => {
      const now = this.now();
      const live = rows.liveCodes(db, purpose, limits.pairingAttemptsMax, now);
      if (live.length === 0) return 'none';
      const match = live.find((row) => equal(row.code_hash, hash(`${row.id}|${code}`)));
      if (match) return rows.useCode(db, match.id, now) ? 'ok' : 'none';
      for (const row of live) rows.countAttempt(db, row.id);
      return 'wrong';
    });
    if (verdict === 'ok') return;
    if (verdict === 'wrong')
      throw new HoldfastError('wrong_code', `This ${what} is not the right one; check it and try again.`);
    throw new HoldfastError('code_expired', `This ${what} is used up or too old; ask Holdfast for a new one.`);
  }
}

/** What API explorers send before a token was typed; never a token (reference 1.1). */
const PLACEHOLDERS = new Set(['', 'string', 'None', 'null', 'undefined']);

function hash(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

function equal(a: string, b: string): boolean {
  const left = Buffer.from(a);
  const right = Buffer.from(b);
  return left.length === right.length && timingSafeEqual(left, right);
}

/** Four groups of four that both sides show, so that a person can see they talk to each other. */
function fingerprint(secret: string): string {
  return hash(`fingerprint|${secret}`)
    .slice(0, 16)
    .toUpperCase()
    .replace(/(.{4})(?=.)/g, '$1 ');
}
