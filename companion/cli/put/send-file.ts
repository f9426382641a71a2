import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import fs from 'node:fs/promises';
import { setTimeout as wait } from 'node:timers/promises';
import { z } from 'zod';
import { digestFromHex, type Digest } from '../../../shared/digest/digest.ts';
import { HoldfastError, isHoldfastError } from '../../../shared/errors/holdfast-error.ts';
import { limits } from '../../../shared/limits.ts';
import { uploadStatesSchema } from '../../../shared/protocol/requests.ts';
import { routes } from '../../../shared/protocol/routes.ts';
import { NotReached, type CompanionClient } from './companion-client.ts';

export interface FileToSend {
  file: string;
  /** Bytes. */
  size: number;
  digest: Digest;
  snapshotId: string;
  plugin: string;
  /** Where the file lies inside its plugin's folder. */
  path: string;
}

/** How long the companion may be away before the sender gives up. */
const awayMsMax = 60_000;

const madeSchema = z.object({ id: z.string() });

/** Digest of a file; `onBytes` hears how far it is. */
export async function digestOfFile(file: string, onBytes: (bytes: number) => void): Promise<Digest> {
  const hash = createHash('sha256');
  let bytes = 0;
  for await (const chunk of createReadStream(file, { highWaterMark: 1024 * 1024 })) {
    hash.update(chunk as Buffer);
    bytes += (chunk as Buffer).length;
    onBytes(bytes);
  }
  return digestFromHex(hash.digest('hex'));
}

/**
 * Gives the snapshot the file: by its digest when the companion has the bytes, else in chunks, going on from what has
 * arrived. Waits while the companion is away. Returns when the file is on its disk.
 */
export async function sendFile(
  client: CompanionClient,
  file: FileToSend,
  onBytes: (bytes: number) => void,
): Promise<void> {
  const json = { snapshot_id: file.snapshotId, plugin: file.plugin, status: 'started' };
  const result = await whileAway(() => client.ask({ method: 'POST', path: routes.results, json }));
  const { id } = madeSchema.parse(result);
  if (await attach(client, id, file)) return onBytes(file.size);
  await sendChunks(client, id, file, onBytes);
}

async function attach(client: CompanionClient, resultId: string, file: FileToSend): Promise<boolean> {
  try {
    const json = { path: file.path, digest: file.digest };
    await whileAway(() => client.ask({ method: 'POST', path: routes.resultFiles(resultId), json }));
    return true;
  } catch (error) {
    if (isHoldfastError(error) && error.code === 'send_bytes') return false;
    throw error;
  }
}

async function sendChunks(
  client: CompanionClient,
  resultId: string,
  file: FileToSend,
  onBytes: (bytes: number) => void,
): Promise<void> {
  const handle = await fs.open(file.file, 'r');
  try {
    let offset = await whileAway(() => received(client, resultId, file));
    do {
      onBytes(offset);
      offset = await whileAway(() => sendChunk(client, resultId, file, handle, offset));
    } while (offset < file.size);
    onBytes(offset);
  } finally {
    await handle.close();
  }
}

async function received(client: CompanionClient, resultId: string, file: FileToSend): Promise<number> {
  const answer = uploadStatesSchema.parse(await client.ask({ method: 'GET', path: routes.resultUploads(resultId) }));
  const state = answer.uploads.find((upload) => upload.path === file.path);
  return state && !state.complete && state.total === file.size ? state.received : 0;
}

/** Sends one chunk and returns where the next begins. */
async function sendChunk(
  client: CompanionClient,
  resultId: string,
  file: FileToSend,
  handle: fs.FileHandle,
  offset: number,
): Promise<number> {
  const length = Math.min(limits.uploadChunkBytes, file.size - offset);
  const { buffer: bytes, bytesRead } = await handle.read(Buffer.alloc(length), 0, length, offset);
  if (bytesRead < length) throw changed(file);
  const query = new URLSearchParams({
    path: file.path,
    offset: String(offset),
    total: String(file.size),
    sha256: file.digest,
    chunk_sha256: digestFromHex(createHash('sha256').update(bytes).digest('hex')),
    status: 'succeeded',
  });
  try {
    await client.ask({ method: 'PATCH', path: `${routes.result(resultId)}?${query}`, bytes });
    return offset + length;
  } catch (error) {
    if (!isHoldfastError(error)) throw error;
    const next = error.details['received'];
    if ((error.code === 'gap' || error.code === 'content_differs') && typeof next === 'number') return next;
    if (error.code === 'digest_mismatch') throw changed(file);
    throw error;
  }
}

function changed(file: FileToSend): HoldfastError {
  return new HoldfastError('conflict', `${file.file} changed while it was sent; try again when it is complete.`);
}

/** Tries again while the companion is away or busy, in growing steps, for a minute. */
export async function whileAway<T>(work: () => Promise<T>): Promise<T> {
  const startedAt = Date.now();
  for (let pause = 100; ; pause = Math.min(pause * 2, 5_000)) {
    try {
      return await work();
    } catch (error) {
      const passing = error instanceof NotReached || (isHoldfastError(error) && error.code === 'busy');
      if (!passing || Date.now() - startedAt > awayMsMax) throw explained(error);
    }
    await wait(pause);
  }
}

function explained(error: unknown): unknown {
  if (!(error instanceof NotReached)) return error;
  const sentence = 'The companion cannot be reached; start it with "holdfast serve" and give the same command again.';
  return new HoldfastError('not_found', sentence, { cause: error });
}
