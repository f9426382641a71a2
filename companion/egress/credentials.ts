import { randomBytes, timingSafeEqual } from 'node:crypto';

export type Identity = { ok: true; run: string | undefined } | { ok: false };

/** Which run a request belongs to, by the user name in the proxy address. */
export function createCredentials(areNeeded: boolean) {
  const secrets = new Map<string, string>();
  return {
    /** `<run>:<secret>` for a proxy address; the same run gets the same again. */
    issue(run: string): string {
      const secret = secrets.get(run) ?? randomBytes(16).toString('hex');
      secrets.set(run, secret);
      return `${encodeURIComponent(run)}:${secret}`;
    },
    revoke(run: string): void {
      secrets.delete(run);
    },
    /** Without credentials: nobody in particular, unless they are needed. Wrong ones are refused always. */
    identify(header: string | undefined): Identity {
      if (header === undefined) return areNeeded ? { ok: false } : { ok: true, run: undefined };
      const text = Buffer.from(header.replace(/^Basic\s+/i, ''), 'base64').toString('utf8');
      const colon = text.lastIndexOf(':');
      const run = text.slice(0, colon);
      const secret = secrets.get(run);
      return secret !== undefined && isEqual(secret, text.slice(colon + 1)) ? { ok: true, run } : { ok: false };
    },
  };
}

function isEqual(left: string, right: string): boolean {
  return left.length === right.length && timingSafeEqual(Buffer.from(left), Buffer.from(right));
}
