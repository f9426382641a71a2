import { randomUUID } from 'node:crypto';
import fs from 'node:fs';
import fsp from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { limits } from '../../shared/limits.ts';
import { newId } from '../../shared/model/ids.ts';
import { Bell } from './bell.ts';
import { DiskBlobStore, type BlobStore } from './blobs/blob-store.ts';
import { Gate } from './blobs/gate.ts';
import { Db, sqlBuilder, type DatabaseOptions } from './database.ts';
import { Layout } from './layout.ts';
import { migrate } from './migrate.ts';
import { upgradeCollection } from './upgrade.ts';

/** Owner of everything made by this person's own programs. */
export interface Owner {
  id: string;
  name: string;
}

/** One archive root on disk with its open database connection. */
export interface Collection {
  readonly root: string;
  readonly layout: Layout;
  readonly db: Db;
  readonly blobs: BlobStore;
  readonly gate: Gate;
  readonly bell: Bell;
  readonly owner: Owner;
  /** This machine's row; process rows name it. */
  readonly machineId: string;
  close(): void;
}

const ownerName = 'owner';

/** Opens a collection, making and migrating it when needed. Safe from several processes at once. */
export async function openCollection(root: string, options: DatabaseOptions = {}): Promise<Collection> {
  const layout = new Layout(root);
  for (const folder of [
    layout.root,
    layout.runtime(),
    layout.uploads(),
    layout.runs(),
    layout.blobs(),
    layout.logs(),
  ]) {
    await fsp.mkdir(folder, { recursive: true, mode: 0o700 });
  }
  await upgradeCollection(layout, options.onWaiting ?? (() => undefined));
  const db = new Db(layout.database(), options);
  try {
    await migrate(db);
    const owner = await ensureOwner(db);
    const machineId = await ensureMachine(db);
    db.assertDurable();
    if (!fs.existsSync(layout.bell())) fs.writeFileSync(layout.bell(), '');
    ensureReserve(layout);
    const bell = new Bell(layout.bell(), db);
    const close = (): void => {
      bell.close();
      db.close();
    };
    const blobs = new DiskBlobStore(layout);
    return { root: layout.root, layout, db, blobs, gate: new Gate(layout), bell, owner, machineId, close };
  } catch (error) {
    db.close();
    throw error;
  }
}

async function ensureOwner(db: Db): Promise<Owner> {
  const find = () => db.first(sqlBuilder.selectFrom('user').select(['id', 'name']).where('name', '=', ownerName));
  return (
    find() ??
    (await db.write(() => {
      const now = Date.now();
      const row = { id: newId(), created_at: now, modified_at: now, revision: 1, name: ownerName };
      db.run(
        sqlBuilder
          .insertInto('user')
          .values(row)
          .onConflict((on) => on.column('name').doNothing()),
      );
      return find()!;
    }))
  );
}

async function ensureMachine(db: Db): Promise<string> {
  const guid = machineGuid();
  const find = () => db.first(sqlBuilder.selectFrom('machine').select('id').where('guid', '=', guid));
  const known = find();
  if (known) return known.id;
  return db.write(() => {
    const now = Date.now();
    const facts = JSON.stringify({ platform: process.platform, arch: process.arch });
    const row = { id: newId(), created_at: now, modified_at: now, revision: 1, guid, hostname: os.hostname(), facts };
    db.run(
      sqlBuilder
        .insertInto('machine')
        .values(row)
        .onConflict((on) => on.column('guid').doNothing()),
    );
    return find()!.id;
  });
}

/** The system's own machine id where it has one, else one kept in the user's state folder. */
function machineGuid(): string {
  for (const file of ['/etc/machine-id', '/var/lib/dbus/machine-id']) {
    if (!fs.existsSync(file)) continue;
    const text = fs.readFileSync(file, 'utf8').trim();
    if (text !== '') return text;
  }
  const folder = process.env['XDG_STATE_HOME'] ?? path.join(os.homedir(), '.local', 'state');
  const own = path.join(folder, 'holdfast', 'machine-id');
  if (!fs.existsSync(own)) {
    fs.mkdirSync(path.dirname(own), { recursive: true });
    fs.writeFileSync(own, randomUUID(), { flag: 'wx' });
  }
  return fs.readFileSync(own, 'utf8').trim();
}

/** Bytes that are given up when the disk is full, so that the failure itself can be recorded (DESIGN section 5). */
export function ensureReserve(layout: Layout): void {
  if (fs.existsSync(layout.reserve())) return;
  try {
    fs.writeFileSync(layout.reserve(), Buffer.alloc(limits.reserveFileBytes));
  } catch {
    // On a disk that is already full there is nothing to reserve; the collection must open all the same.
    fs.rmSync(layout.reserve(), { force: true });
  }
}

/** Frees the reserve; true when there was one. */
export function releaseReserve(layout: Layout): boolean {
  if (!fs.existsSync(layout.reserve())) return false;
  fs.rmSync(layout.reserve(), { force: true });
  return true;
}
