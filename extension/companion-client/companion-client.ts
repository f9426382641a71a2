import { errorBodySchema } from '../../shared/protocol/requests.ts';
import { pairRequestSchema, pairResponseSchema } from '../../shared/protocol/hello.ts';
import type { HelloResponse, PairResponse } from '../../shared/protocol/hello.ts';
import { routes } from '../../shared/protocol/routes.ts';
import { CompanionFailure, failureFromRefusal, sentences } from './companion-failure.ts';
import { introduce } from './prove.ts';

/** A proof is asked for again when the companion was silent for so long: another program may sit there by now. */
const PROOF_MS = 20_000;
const REQUEST_MS_MAX = 60_000;

export interface Peer {
  address: string;
  pairing: { pairingId: string; secret: string; token: string; revoked: boolean } | null;
}

export interface ClientOptions {
  /** Read before each session, so that a new address or pairing holds at once. */
  readPeer: () => Promise<Peer>;
  extensionVersion: string;
  /** Called when the companion says that the token of this pairing no longer holds. */
  onRevoked: (pairingId: string) => Promise<void>;
}

export interface CompanionRequest {
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  path: string;
  query?: Record<string, string>;
  json?: unknown;
  bytes?: Blob | Uint8Array<ArrayBuffer>;
}

interface Session {
  peer: Peer & { pairing: NonNullable<Peer['pairing']> };
  hello: HelloResponse;
  heardAt: number;
}

/**
 * The only way to the companion. No token and no byte of a page leaves before the companion has proved in this
 * session that it is the paired one; after any failure of the network it has to prove itself again.
 */
export class CompanionClient {
  readonly #options: ClientOptions;
  #session: Session | undefined;

  constructor(options: ClientOptions) {
    this.#options = options;
  }

  /** Forgets the proof, for example after the address or the pairing changed. */
  forget(): void {
    this.#session = undefined;
  }

  /**
   * Proves the companion anew and returns its hello.
   * @throws CompanionFailure of a connection kind
   */
  async connect(): Promise<HelloResponse> {
    this.#session = undefined;
    return (await this.#requireSession()).hello;
  }

  /**
   * Exchanges a code for a pairing. The companion cannot prove itself yet; only the code is sent.
   * @throws CompanionFailure
   */
  async pair(code: string, name: string): Promise<PairResponse> {
    const { address } = await this.#options.readPeer();
    await introduce({ address, extensionVersion: this.#options.extensionVersion, pairing: null });
    const body = pairRequestSchema.parse({ code, name });
    const response = await this.#fetch(address, { method: 'POST', path: routes.pair, json: body }, undefined);
    if (!response.ok) throw await this.#refusal(address, response);
    const parsed = pairResponseSchema.safeParse(await response.json());
    if (!parsed.success) throw new CompanionFailure('stranger', sentences.stranger(address));
    this.#session = undefined;
    return parsed.data;
  }

  /**
   * Sends one request with the token and returns the parsed JSON of a success.
   * @throws CompanionFailure
   */
  async request(request: CompanionRequest): Promise<unknown> {
    const session = await this.#requireSession();
    const { address, pairing } = session.peer;
    const response = await this.#fetch(address, request, pairing.token);
    if (!response.ok) {
      const failure = await this.#refusal(address, response);
      if (failure.kind === 'revoked') await this.#options.onRevoked(pairing.pairingId);
      if (['revoked', 'stranger'].includes(failure.kind)) this.#session = undefined;
      throw failure;
    }
    session.heardAt = Date.now();
    return response.json();
  }

  async #requireSession(): Promise<Session> {
    const peer = await this.#options.readPeer();
    if (!peer.pairing) throw new CompanionFailure('unpaired', sentences.unpaired);
    if (peer.pairing.revoked) throw new CompanionFailure('revoked', sentences.revoked);
    const known = this.#session;
    const same = known?.peer.address === peer.address && known.peer.pairing.pairingId === peer.pairing.pairingId;
    if (known && same && Date.now() - known.heardAt < PROOF_MS) return known;
    this.#session = undefined;
    const { address, pairing } = peer;
    try {
      const hello = await introduce({ address, extensionVersion: this.#options.extensionVersion, pairing });
      this.#session = { peer: { address, pairing }, hello, heardAt: Date.now() };
      return this.#session;
    } catch (error) {
      if (error instanceof CompanionFailure && error.kind === 'revoked') await this.#options.onRevoked(pairing.pairingId);
      throw error;
    }
  }

  async #fetch(address: string, request: CompanionRequest, token: string | undefined): Promise<Response> {
    const query = request.query ? `?${new URLSearchParams(request.query)}` : '';
    const type = request.json === undefined ? 'application/octet-stream' : 'application/json';
    const body = request.json === undefined ? request.bytes : JSON.stringify(request.json);
    try {
      return await fetch(`http://${address}${request.path}${query}`, {
        method: request.method,
        headers: {
          ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
          ...(body === undefined ? {} : { 'content-type': type }),
        },
        body,
        cache: 'no-store',
        credentials: 'omit',
        redirect: 'error',
        signal: AbortSignal.timeout(REQUEST_MS_MAX),
      });
    } catch (cause) {
      this.#session = undefined;
      throw new CompanionFailure('not_running', sentences.notRunning(address), { cause });
    }
  }

  async #refusal(address: string, response: Response): Promise<CompanionFailure> {
    const parsed = errorBodySchema.safeParse(await response.json().catch(() => undefined));
    // An error without our envelope was not written by a companion.
    if (!parsed.success) return new CompanionFailure('stranger', sentences.stranger(address));
    const { code, detail, details } = parsed.data;
    const retryAfter = response.headers.get('retry-after');
    return failureFromRefusal({ status: response.status, code, detail, details, retryAfter }, Date.now());
  }
}
