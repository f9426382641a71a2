import { defaultPort } from '../../shared/limits.ts';

export type CompanionAddress = { ok: true; address: string } | { ok: false; sentence: string };

/** Whether a page is the companion's own: its library, its API or a copy it replays, by whatever name. */
export function isCompanionPage(url: string, companionAddress: string): boolean {
  if (!URL.canParse(url)) return false;
  const { protocol, hostname, port } = new URL(url);
  const ours = new URL(`http://${companionAddress}/`).port;
  return protocol === 'http:' && port === ours && /^(127\.0\.0\.1|\[::1\]|([a-z0-9-]+\.)*localhost)$/.test(hostname);
}

/** Checks what a person typed as address of the companion: only this computer's own names, with a port. */
export function parseCompanionAddress(text: string): CompanionAddress {
  const trimmed = text
    .trim()
    .replace(/^http:\/\//i, '')
    .replace(/\/+$/, '');
  const url = URL.canParse(`http://${trimmed}/`) ? new URL(`http://${trimmed}/`) : undefined;
  if (!url || url.pathname !== '/' || url.username !== '') {
    return {
      ok: false,
      sentence: `"${text}" is no address. Give a host and a port, for example 127.0.0.1:${defaultPort}.`,
    };
  }
  if (!['127.0.0.1', 'localhost', '[::1]'].includes(url.hostname)) {
    return {
      ok: false,
      sentence: `Holdfast speaks only to its companion on this computer: 127.0.0.1, localhost or [::1], not ${url.hostname}.`,
    };
  }
  return { ok: true, address: url.port === '' ? `${url.hostname}:${defaultPort}` : url.host };
}
