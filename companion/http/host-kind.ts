import { uiHostName } from '../../shared/protocol/hosts.ts';

export type HostKind = { kind: 'ui' } | { kind: 'api' } | { kind: 'replay'; label: string };

/**
 * Decides by the Host header what a request may reach (DESIGN section 8). The port is part of the comparison, so a
 * name that was rebound to this machine never matches. Undefined means: refuse.
 */
export function hostKind(hostHeader: string | undefined, port: number): HostKind | undefined {
  if (hostHeader === undefined) return undefined;
  const match = /^(\[[0-9a-fA-F:]+\]|[A-Za-z0-9.-]+)(?::(\d{1,5}))?$/.exec(hostHeader);
  if (!match?.[1]) return undefined;
  if (Number(match[2] ?? 80) !== port) return undefined;
  const name = match[1].toLowerCase();
  if (name === uiHostName) return { kind: 'ui' };
  if (name === '127.0.0.1' || name === '[::1]' || name === 'localhost') return { kind: 'api' };
  const label = /^([a-z0-9-]{1,63})\.localhost$/.exec(name)?.[1];
  return label === undefined ? undefined : { kind: 'replay', label };
}

export function isExtensionOrigin(origin: string): boolean {
  return /^(chrome|moz|safari-web)-extension:\/\/[A-Za-z0-9-]+$/.test(origin);
}
