import { limits } from '../../shared/limits.ts';
import { digestFromHex } from '../../shared/digest/digest.ts';
import type { Digest } from '../../shared/digest/digest.ts';
import type { CompanionClient } from '../companion-client/companion-client.ts';
import { CompanionFailure } from '../companion-client/companion-failure.ts';
import { listUploads, sendChunk } from '../companion-client/collection-requests.ts';
import type { WitnessFile } from './capture-record.ts';
import type { OutboxStore } from './outbox-store.ts';

const PIECE_BYTES = limits.uploadChunkBytes;
/** Starting over more often means that the bytes themselves do not arrive. */
const RESTARTS_MAX = 3;

export interface FileToSend {
  captureId: string;
  resultId: string;
  file: WitnessFile;
  /** Status of the result once this file is complete. */
  status: 'started' | 'succeeded';
  onProgress: (sentBytes: number) => void;
}

/**
 * Sends one file from where the companion says it has it, chunk by chunk, and returns when the companion has recorded
 * exactly these bytes.
 * @throws CompanionFailure
 */
export async function sendFile(client: CompanionClient, store: OutboxStore, sending: FileToSend): Promise<void> {
  const { file, resultId } = sending;
  let offset = await findOffset(client, resultId, file);
  let restarts = 0;
  while (offset !== undefined) {
    sending.onProgress(offset);
    try {
      offset = await sendNext(client, store, sending, offset);
    } catch (error) {
      restarts += 1;
      if (!(error instanceof CompanionFailure) || restarts > RESTARTS_MAX) throw error;
      if (error.kind === 'gap') offset = Number(error.details.received ?? 0);
      else if (error.kind === 'content_differs' || error.kind === 'digest_mismatch') offset = 0;
      else throw error;
    }
  }
  sending.onProgress(file.bytes);
}

/** Where to go on; undefined when the companion has the whole file already (a lost 200 costs nothing). */
async function findOffset(client: CompanionClient, resultId: string, file: WitnessFile): Promise<number | undefined> {
  const states = await listUploads(client, resultId);
  const known = states.find((state) => state.path === file.path);
  if (!known) return 0;
  if (known.complete) return known.digest === file.digest ? undefined : 0;
  return known.total === file.bytes ? Math.min(known.received, file.bytes) : 0;
}

/** @returns the next offset, or undefined when the file is complete and recorded */
async function sendNext(
  client: CompanionClient,
  store: OutboxStore,
  sending: FileToSend,
  offset: number,
): Promise<number | undefined> {
  const { file } = sending;
  const bytes = await readFrom(store, sending, offset);
  const result = await sendChunk(client, {
    resultId: sending.resultId,
    path: file.path,
    offset,
    total: file.bytes,
    bytes,
    sha256: file.digest,
    chunkSha256: await digestOf(bytes),
    mimetype: file.mimetype,
    status: sending.status,
  });
  if (offset + bytes.length < file.bytes) return offset + bytes.length;
  const recorded = result.output_files[file.path]?.digest;
  if (recorded !== file.digest) {
    const states = await listUploads(client, sending.resultId);
    const state = states.find((other) => other.path === file.path);
    if (!state?.complete || state.digest !== file.digest) {
      throw new CompanionFailure('digest_mismatch', 'Holdfast recorded other bytes than were sent.');
    }
  }
  return undefined;
}

/** From the offset to the end of the piece it lies in. */
async function readFrom(store: OutboxStore, sending: FileToSend, offset: number): Promise<Uint8Array<ArrayBuffer>> {
  const piece = await store.findPiece(sending.captureId, sending.file.path, Math.floor(offset / PIECE_BYTES));
  if (piece) return piece.slice(offset % PIECE_BYTES);
  if (sending.file.bytes === 0 || offset === sending.file.bytes) return new Uint8Array(0);
  throw new Error(`The browser lost a part of ${sending.file.path}.`);
}

async function digestOf(bytes: Uint8Array<ArrayBuffer>): Promise<Digest> {
  const hash = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes));
  return digestFromHex([...hash].map((byte) => byte.toString(16).padStart(2, '0')).join(''));
}
