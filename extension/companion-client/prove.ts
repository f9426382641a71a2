import { companionName, helloMessage, helloResponseSchema, protocolVersion } from '../../shared/protocol/hello.ts';
import type { HelloRequest, HelloResponse } from '../../shared/protocol/hello.ts';
import { routes } from '../../shared/protocol/routes.ts';
import { CompanionFailure, sentences } from './companion-failure.ts';

const HELLO_MS_MAX = 5_000;

export interface Introduction {
  /** Host and port, for example `127.0.0.1:8745`. */
  address: string;
  extensionVersion: string;
  pairing: { pairingId: string; secret: string } | null;
}

/**
 * Says hello and checks who answers, before anything else is sent. With a pairing the companion must prove that it
 * knows the shared secret, for a fresh nonce and for the very port we speak to.
 * @throws CompanionFailure `not_running`, `stranger`, `other_version` or `revoked`
 */
export async function introduce(to: Introduction): Promise<HelloResponse> {
  const nonce = randomHex(32);
  const answer = await sayHello(to, nonce);
  if (answer.protocol_oldest > protocolVersion || answer.protocol < protocolVersion) {
    throw new CompanionFailure('other_version', sentences.otherVersion(answer.version, to.extensionVersion));
  }
  if (!to.pairing) return answer;
  if (answer.unknown_pairing) throw new CompanionFailure('revoked', sentences.revoked);
  const proved = answer.proof !== null && (await isProof(answer.proof, to.pairing.secret, nonce, portOf(to.address)));
  if (!proved) throw new CompanionFailure('stranger', sentences.stranger(to.address));
  return answer;
}

async function sayHello(to: Introduction, nonce: string): Promise<HelloResponse> {
  const request: HelloRequest = {
    nonce,
    pairing_id: to.pairing?.pairingId,
    client: { name: 'holdfast-extension', version: to.extensionVersion, protocol: protocolVersion },
  };
  let response: Response;
  try {
    response = await fetch(`http://${to.address}${routes.hello}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(request),
      cache: 'no-store',
      credentials: 'omit',
      redirect: 'error',
      signal: AbortSignal.timeout(HELLO_MS_MAX),
    });
  } catch (cause) {
    throw new CompanionFailure('not_running', sentences.notRunning(to.address), { cause });
  }
  const body: unknown = await response.json().catch(() => undefined);
  if (isOtherVersion(response.status, body)) {
    throw new CompanionFailure('other_version', sentences.otherVersion(versionOf(body), to.extensionVersion));
  }
  const parsed = helloResponseSchema.safeParse(body);
  if (!parsed.success) throw new CompanionFailure('stranger', sentences.stranger(to.address));
  return parsed.data;
}

/** A companion of another time may answer hello in another shape, but under its own name or by its own code. */
function isOtherVersion(status: number, body: unknown): boolean {
  const named = body as { name?: unknown; protocol?: unknown; code?: unknown } | null | undefined;
  if (status === 426 && named?.code === 'version_mismatch') return true;
  return named?.name === companionName && named.protocol !== protocolVersion;
}

function versionOf(body: unknown): string {
  const version = (body as { version?: unknown } | null)?.version;
  return typeof version === 'string' ? version.slice(0, 40) : 'unknown';
}

/** Compares in the browser's own constant-time verification. */
async function isProof(proof: string, secret: string, nonce: string, port: number): Promise<boolean> {
  const given = fromHex(proof);
  const shared = fromHex(secret);
  if (!given || !shared) return false;
  const key = await crypto.subtle.importKey('raw', shared, { name: 'HMAC', hash: 'SHA-256' }, false, ['verify']);
  return crypto.subtle.verify('HMAC', key, given, new TextEncoder().encode(helloMessage(nonce, port)));
}

function portOf(address: string): number {
  return Number(new URL(`http://${address}/`).port || 80);
}

function randomHex(bytes: number): string {
  return [...crypto.getRandomValues(new Uint8Array(bytes))].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}

function fromHex(text: string): Uint8Array<ArrayBuffer> | undefined {
  if (!/^([0-9a-f]{2})+$/.test(text)) return undefined;
  return Uint8Array.from(text.match(/../g) ?? [], (pair) => parseInt(pair, 16));
}
