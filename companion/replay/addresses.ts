import { parseDigest } from '../../shared/digest/digest.ts';
import type { ResultOrigin } from '../../shared/model/states.ts';
import { routes } from '../../shared/protocol/routes.ts';
import type { OutputRow } from '../collection/records/tables.ts';
import type { ReplayableOutput } from './outputs.ts';
import type { OutputKind } from './served-type.ts';
import { versionOf } from './serve-output.ts';

export interface ReplayOutput {
  result_id: string;
  plugin: string;
  path: string;
  kind: OutputKind;
  /** What it is, for a person. */
  label: string;
  /** On the snapshot's own host. */
  url: string;
  /** On the second port of 127.0.0.1, for browsers where `*.localhost` does not resolve; null while there is none. */
  fallback_url: string | null;
  /** Below the API, as a download. */
  download_url: string;
  /** Bytes. */
  size: number;
  digest: string;
  origin: ResultOrigin;
  mimetype: string;
}

export interface ReplayAddresses {
  /** Name and port of the snapshot's own host; the UI's `frame-src` names this one. */
  host: string;
  /** Address to show first; null when nothing can be looked at. */
  preferred: string | null;
  outputs: ReplayOutput[];
}

export interface ReplayHosts {
  host: string;
  /** Beginning of addresses on the fallback port, without a slash at the end. */
  fallbackBase: string | undefined;
}

export function toAddresses(outputs: readonly ReplayableOutput[], hosts: ReplayHosts): ReplayAddresses {
  const list = outputs.map(({ result, output, kind, label }): ReplayOutput => {
    const place = `${outputPath(result.plugin, output)}?v=${version(output)}`;
    return {
      result_id: result.id,
      plugin: result.plugin,
      path: output.path,
      kind,
      label,
      url: `http://${hosts.host}${place}`,
      fallback_url: hosts.fallbackBase === undefined ? null : hosts.fallbackBase + place,
      download_url: routes.resultFile(result.id, output.path),
      size: output.size,
      digest: output.digest,
      origin: result.origin,
      mimetype: output.mimetype,
    };
  });
  return { host: hosts.host, preferred: list.find((output) => output.kind !== 'file')?.url ?? null, outputs: list };
}

function outputPath(plugin: string, output: OutputRow): string {
  return `/${[plugin, ...output.path.split('/')].map(encodeURIComponent).join('/')}`;
}

function version(output: OutputRow): string {
  const digest = parseDigest(output.digest);
  return digest ? versionOf(digest) : '';
}
