import { openDB } from 'idb';
import type { DBSchema, IDBPDatabase } from 'idb';
import type { CaptureRecord } from './capture-record.ts';

interface OutboxSchema extends DBSchema {
  captures: { key: string; value: CaptureRecord };
  /** Bytes of files in pieces of one upload chunk; the key is capture, path, number of the piece. */
  pieces: { key: [string, string, number]; value: Uint8Array<ArrayBuffer> };
}

const NAME = 'holdfast-outbox';
const VERSION = 1;
/** Every transaction is on the disk when it is done. */
const STRICT = { durability: 'strict' } as const;

/** The outbox on the browser's disk. Every change of a record is one transaction that reads and writes it. */
export class OutboxStore {
  readonly #db: IDBPDatabase<OutboxSchema>;

  constructor(db: IDBPDatabase<OutboxSchema>) {
    this.#db = db;
  }

  async add(record: CaptureRecord): Promise<void> {
    const transaction = this.#db.transaction('captures', 'readwrite', STRICT);
    await Promise.all([transaction.store.add(record), transaction.done]);
  }

  find(id: string): Promise<CaptureRecord | undefined> {
    return this.#db.get('captures', id);
  }

  /** Newest first. */
  async list(): Promise<CaptureRecord[]> {
    return (await this.#db.getAll('captures')).sort((a, b) => b.at - a.at || (b.id < a.id ? -1 : 1));
  }

  /** @returns the changed record, or undefined when there is none */
  async change(id: string, step: (record: CaptureRecord) => CaptureRecord): Promise<CaptureRecord | undefined> {
    const transaction = this.#db.transaction('captures', 'readwrite', STRICT);
    const record = await transaction.store.get(id);
    const next = record && step(record);
    if (next) await transaction.store.put(next);
    await transaction.done;
    return next;
  }

  /** Changes a record and forgets its bytes in one transaction. */
  async changeAndForgetBytes(id: string, step: (record: CaptureRecord) => CaptureRecord): Promise<void> {
    const transaction = this.#db.transaction(['captures', 'pieces'], 'readwrite', STRICT);
    const record = await transaction.objectStore('captures').get(id);
    if (record) {
      await transaction.objectStore('captures').put(step(record));
      await transaction.objectStore('pieces').delete(piecesOf(id));
    }
    await transaction.done;
  }

  async remove(id: string): Promise<void> {
    const transaction = this.#db.transaction(['captures', 'pieces'], 'readwrite', STRICT);
    await transaction.objectStore('captures').delete(id);
    await transaction.objectStore('pieces').delete(piecesOf(id));
    await transaction.done;
  }

  async putPiece(id: string, path: string, index: number, bytes: Uint8Array<ArrayBuffer>): Promise<void> {
    const transaction = this.#db.transaction('pieces', 'readwrite', STRICT);
    await Promise.all([transaction.store.put(bytes, [id, path, index]), transaction.done]);
  }

  findPiece(id: string, path: string, index: number): Promise<Uint8Array<ArrayBuffer> | undefined> {
    return this.#db.get('pieces', [id, path, index]);
  }

  async removePieces(id: string, path: string): Promise<void> {
    await this.#db.delete('pieces', IDBKeyRange.bound([id, path], [id, path, []]));
  }
}

export async function openOutboxStore(): Promise<OutboxStore> {
  const db = await openDB<OutboxSchema>(NAME, VERSION, {
    upgrade(database) {
      database.createObjectStore('captures', { keyPath: 'id' });
      database.createObjectStore('pieces');
    },
  });
  return new OutboxStore(db);
}

/** Arrays sort after every number and text, so this is every piece of the capture. */
function piecesOf(id: string): IDBKeyRange {
  return IDBKeyRange.bound([id], [id, []]);
}
