import { routes } from '../../../../shared/protocol/routes.ts';
import { request, signedOut } from './request.ts';

/** Exchanges a one-time login code for the session cookie. */
export async function signIn(code: string): Promise<void> {
  await request(routes.session, { method: 'POST', body: { code } });
  signedOut.value = false;
}

export interface CompanionStatus {
  version?: string;
  snapshots?: number;
  bytes?: number;
  free_bytes?: number;
  data?: string;
  /** One sentence about what the companion is doing now. */
  sentence?: string;
}

export function getStatus(): Promise<CompanionStatus> {
  return request(routes.status);
}

export interface Pairing {
  id: string;
  name: string;
  fingerprint?: string;
  created_at: string;
  last_used_at?: string | null;
}

export interface PairingCode {
  code: string;
  expires_at: string;
}

const pairings = `${routes.base}/pairings`;

export function listPairings(): Promise<{ items: Pairing[] }> {
  return request(pairings);
}

export function makePairingCode(): Promise<PairingCode> {
  return request(`${pairings}/code`, { method: 'POST' });
}

export function removePairing(id: string): Promise<unknown> {
  return request(`${pairings}/${encodeURIComponent(id)}`, { method: 'DELETE' });
}
