import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { expect } from 'vitest';
import { digestFromHex, parseDigest, type Digest } from '../../shared/digest/digest.ts';
import { folderFacts } from '../../companion/collection/links.ts';
import { openCollection, type Collection } from '../../companion/collection/open-collection.ts';
import { findSnapshot } from '../../companion/collection/records/snapshots.ts';

interface RecordedFile {
  digest: string;
  size: number;
  path: string;
  plugin: string;
  snapshot_id: string;
}

/**
 * What holds for every collection at every time, whatever died: the database is sound, every recorded file reads back
 * with its digest and size and lies in its folder, every submitted text is there, and bytes without rows lie only
 * where they may.
 */
export async function expectSoundCollection(dataDir: string, when: string): Promise<void> {
  const collection = await openCollection(dataDir);
  try {
    const { db, blobs } = collection;
    expect(db.connection.pragma('integrity_check', { simple: true }), when).toBe('ok');
    expect(db.connection.pragma('foreign_key_check'), when).toEqual([]);
    const files = db.raw<RecordedFile>(
      `SELECT output.digest, output.size, output.path, archive_result.plugin, archive_result.snapshot_id
         FROM output JOIN archive_result ON archive_result.id = output.result_id`,
    );
    for (const file of files) {
      const bytes = await readAll(blobs.read(parseDigest(file.digest)!));
      expect(digestOf(bytes), `${file.plugin}/${file.path} ${when}`).toBe(file.digest);
      expect(bytes.length, `${file.plugin}/${file.path} ${when}`).toBe(file.size);
    }
    for (const { input } of db.raw<{ input: string }>('SELECT input FROM crawl')) {
      expect(digestOf(await readAll(blobs.read(parseDigest(input)!))), `a submitted text ${when}`).toBe(input);
    }
    expectKnownPlaces(collection, when);
  } finally {
    collection.close();
  }
}

/** The folder of each snapshot shows every recorded file; true only when nothing is under way any more. */
export async function expectShownFiles(dataDir: string, when: string): Promise<void> {
  const collection = await openCollection(dataDir);
  try {
    const files = collection.db.raw<RecordedFile>(
      `SELECT output.path, archive_result.plugin, archive_result.snapshot_id
         FROM output JOIN archive_result ON archive_result.id = output.result_id`,
    );
    for (const file of files) {
      const facts = folderFacts(collection, findSnapshot(collection.db, file.snapshot_id)!);
      const shown = collection.layout.output(facts, file.plugin, file.path);
      expect(fs.existsSync(shown), `${file.plugin}/${file.path} in its folder ${when}`).toBe(true);
    }
  } finally {
    collection.close();
  }
}

/** Fixture hooks count their runs in `*.runs`. */
const placesForBytes =
  /^(uploads|runs|run|blobs|archive|logs|cache|personas)(\/|$)|^(collection|search)[^/]*sqlite3|\.runs$/;

function expectKnownPlaces(collection: Collection, when: string): void {
  const names = fs.readdirSync(collection.root, { recursive: true, encoding: 'utf8' });
  const strange = names.filter((name) => !placesForBytes.test(name.split(path.sep).join('/')));
  expect(strange, `files in no known place ${when}`).toEqual([]);
}

async function readAll(stream: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  for await (const piece of stream) pieces.push(piece);
  return Buffer.concat(pieces);
}

function digestOf(bytes: Uint8Array): Digest {
  return digestFromHex(createHash('sha256').update(bytes).digest('hex'));
}
