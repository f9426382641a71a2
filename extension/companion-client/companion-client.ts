import { errorBodySchema } from '../../shared/protocol/requests.ts';
import { pairRequestSchema, pairResponseSchema } from '../../shared/protocol/hello.ts';
import type { HelloResponse, PairResponse } from '../../shared/protocol/hello.ts';
import { routes } from '../../shared/protocol/routes.ts';
import { CompanionFailure, failureFromRefusal, sentences } from './companion-failure.ts';
import { introduce } from './prove.ts';

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
}

/**
 * The only way to the companion. It proves itself anew before every single request: between two of them it may have
 * died and another program taken its port, without any request of ours failing. On loopback a proof costs a moment.
 */
export class CompanionClient {
  readonly #options: ClientOptions;

  constructor(options: ClientOptions) {
    this.#options = options;
  }

  /**
   * Proves the companion anew and returns its hello.
   * @throws CompanionFailure of a connection kind
   */
  async connect(): Promise<HelloResponse> {
    return (await this.#openSession()).hello;
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
    return parsed.data;
  }

  /**
   * Sends one request with the token and returns the parsed JSON of a success.
   * @throws CompanionFailure
   */
  async request(request: CompanionRequest): Promise<unknown> {
    const { address, pairing } = (await this.#openSession()).peer;
    const response = await this.#fetch(address, request, pairing.token);
    if (!response.ok) {
      const failure = await this.#refusal(address, response);
      if (failure.kind === 'revoked') await this.#options.onRevoked(pairing.pairingId);
      throw failure;
    }
    return response.json();
  }

  async #openSession(): Promise<Session> {
    const peer = await this.#options.readPeer();
    if (!peer.pairing) throw new CompanionFailure('unpaired', sentences.unpaired);
    if (peer.pairing.revoked) throw new CompanionFailure('revoked', sentences.revoked);
    const { address, pairing } = peer;
    try {
      const hello = await introduce({ address, extensionVersion: this.#options.extensionVersion, pairing });
      return { peer: { address, pairing }, hello };
    } catch (error) {
      if (error instanceof CompanionFailure && error.kind === 'revoked')
        await this.#options.onRevoked(pairing.pairingId);
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
