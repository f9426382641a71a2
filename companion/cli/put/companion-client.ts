import http from 'node:http';
import { errorStatuses, HoldfastError, type ErrorCode } from '../../../shared/errors/holdfast-error.ts';
import { errorBodySchema } from '../../../shared/protocol/requests.ts';

/** A connection that failed or broke: the companion may be starting again. */
export class NotReached extends Error {}

export interface CompanionRequest {
  method: 'GET' | 'POST' | 'PATCH';
  path: string;
  /** Sent as JSON. */
  json?: unknown;
  /** Sent as they are. */
  bytes?: Uint8Array;
}

const answerBytesMax = 16 * 1024 * 1024;
/** Longer than the companion itself waits for its database. */
const silenceMs = 120_000;

/** Speaks the upload protocol to one companion. Its refusals become errors with its own code and sentence. */
export class CompanionClient {
  private readonly agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
  private readonly address: () => URL;
  private readonly token: string;

  /** `address` is asked before each request: a companion that was started again may have another port. */
  constructor(address: () => URL, token: string) {
    this.address = address;
    this.token = token;
  }

  /** The answer's JSON. Throws `NotReached`, or the companion's refusal. */
  async ask(request: CompanionRequest): Promise<unknown> {
    const { status, text } = await this.send(request);
    const json = parseJson(text);
    if (status < 300) return json;
    const refusal = errorBodySchema.safeParse(json).data;
    if (!refusal) throw new HoldfastError('internal', `Whoever answers at ${this.address().origin} is not Holdfast.`);
    const code = refusal.code in errorStatuses ? (refusal.code as ErrorCode) : 'internal';
    throw new HoldfastError(code, refusal.detail, { details: refusal.details ?? {} });
  }

  close(): void {
    this.agent.destroy();
  }

  private send(request: CompanionRequest): Promise<{ status: number; text: string }> {
    const body = request.bytes ?? (request.json === undefined ? undefined : Buffer.from(JSON.stringify(request.json)));
    const headers: http.OutgoingHttpHeaders = { authorization: `Bearer ${this.token}` };
    if (body) {
      headers['content-type'] = request.bytes ? 'application/octet-stream' : 'application/json';
      headers['content-length'] = body.byteLength;
    }
    return new Promise((resolve, reject) => {
      const lost = (cause: unknown): void => reject(new NotReached('The companion was not reached.', { cause }));
      const url = new URL(request.path, this.address());
      const options = { method: request.method, headers, agent: this.agent, timeout: silenceMs };
      const call = http.request(url, options, (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (part: string) => {
          text += part;
          if (text.length > answerBytesMax) call.destroy(new Error('the answer is too long'));
        });
        response.on('end', () => resolve({ status: response.statusCode ?? 0, text }));
        response.on('error', lost);
      });
      call.on('timeout', () => call.destroy(new Error('the companion says nothing')));
      call.on('error', lost);
      call.end(body);
    });
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // Another program's answer; the caller says so.
  }
}
