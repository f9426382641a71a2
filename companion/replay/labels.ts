import { createHmac, timingSafeEqual } from 'node:crypto';
import { limits } from '../../shared/limits.ts';
import { normalizeId } from '../../shared/model/ids.ts';
import { fromBase32, toBase32 } from './base32.ts';

const ID_BYTES = 16;
const EXPIRY_BYTES = 4;
const PROOF_BYTES = 16;
const MINUTE_MS = 60_000;

/**
 * What a label opens: a snapshot's own host, or the path of the fallback port. One kind never opens the other, so an
 * address that leaks from one place is worth nothing in the other.
 */
export type LabelPurpose = 'host' | 'path';

/**
 * Unguessable, expiring names for snapshots. A label carries snapshot id, expiry and a proof (HMAC, 128 bits), so
 * reading one needs no table and no state grows. 58 letters and digits: with the suffix `-w` still a valid host label.
 */
export class Labels {
  private readonly secret: Uint8Array;
  private readonly now: () => number;

  constructor(secret: Uint8Array, now: () => number) {
    this.secret = secret;
    this.now = now;
  }

  /** Valid for one to two label periods; the same within a period, so that browsers can cache what it serves. */
  make(snapshotId: string, purpose: LabelPurpose): string {
    const period = Math.floor(this.now() / limits.replayLabelMs);
    const claim = Buffer.alloc(ID_BYTES + EXPIRY_BYTES);
    claim.write(snapshotId.replaceAll('-', ''), 'hex');
    claim.writeUInt32BE(((period + 2) * limits.replayLabelMs) / MINUTE_MS, ID_BYTES);
    return toBase32(Buffer.concat([claim, this.proof(claim, purpose)]));
  }

  /** The snapshot's id, or undefined for a label that was never made here or is expired. */
  read(label: string, purpose: LabelPurpose): string | undefined {
    const bytes = fromBase32(label);
    if (bytes?.length !== ID_BYTES + EXPIRY_BYTES + PROOF_BYTES) return undefined;
    const claim = Buffer.from(bytes.subarray(0, ID_BYTES + EXPIRY_BYTES));
    if (!timingSafeEqual(bytes.subarray(claim.length), this.proof(claim, purpose))) return undefined;
    if (claim.readUInt32BE(ID_BYTES) * MINUTE_MS <= this.now()) return undefined;
    return normalizeId(claim.toString('hex', 0, ID_BYTES));
  }

  private proof(claim: Uint8Array, purpose: LabelPurpose): Buffer {
    return createHmac('sha256', this.secret)
      .update(`holdfast replay ${purpose}\n`)
      .update(claim)
      .digest()
      .subarray(0, PROOF_BYTES);
  }
}
