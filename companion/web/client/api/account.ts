import { routes } from '../../../../shared/protocol/routes.ts';
import { request, signedOut } from './request.ts';

/** Exchanges a one-time login code for the session cookie. */
export async function signIn(code: string): Promise<void> {
  await request(routes.session, { method: 'POST', body: { code } });
  signedOut.value = false;
}

export interface CompanionStatus {
  version: string;
  snapshots: number;
  data_folder: string;
  /** A sentence when there was no backup for 30 days. */
  backup_reminder: string | null;
  /** Files whose last check found them damaged. */
  damaged_files: number;
}

export function getStatus(): Promise<CompanionStatus> {
  return request(routes.status);
}

export interface Pairing {
  id: string;
  name: string;
  created_at: string;
  /** Origin of the extension; empty for a program. */
  origin: string;
  /** The extension's options show the same letters. */
  fingerprint: string;
}

export interface PairingCode {
  code: string;
  expires_in_seconds: number;
}

const pairings = `${routes.base}/pairings`;

export function listPairings(): Promise<{ pairings: Pairing[] }> {
  return request(pairings);
}

export function makePairingCode(): Promise<PairingCode> {
  return request(`${pairings}/code`, { method: 'POST' });
}

export function removePairing(id: string): Promise<unknown> {
  return request(`${pairings}/${encodeURIComponent(id)}`, { method: 'DELETE' });
}
