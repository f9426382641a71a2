import fs from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import { HoldfastError } from '../../../shared/errors/holdfast-error.ts';
import { BlobFolder } from '../blobs/blob-folder.ts';
import { ensureFolder, replaceFile, syncFolder } from '../durable-files.ts';
import { namesIn } from '../folders.ts';

const markSchema = z.object({ holdfast_backup: z.literal(1), collection: z.string() });
const markName = 'holdfast-backup.json';

const versionSchema = z.object({
  created_at: z.string(),
  blobs: z.number(),
  bytes: z.number(),
  /** Blobs that were missing or damaged in the collection. */
  lacking: z.array(z.string()),
});
export type VersionFacts = z.infer<typeof versionSchema>;

export interface BackupVersion {
  name: string;
  folder: string;
  facts: VersionFacts;
}

/** Version folders are named after their time and sort by it; one that is being made ends in `.partial`. */
const VERSION_NAME = /^\d{8}T\d{9}Z$/;
const factsName = 'backup.json';

/** A folder of backups of one collection: blobs once, and a database and settings for each dated version. */
export class BackupFolder {
  readonly root: string;
  readonly blobs: BlobFolder;

  constructor(root: string) {
    this.root = root;
    this.blobs = new BlobFolder(path.join(root, 'blobs', 'sha256'));
  }

  /** Makes the folder, or sees that it is this collection's. Throws `conflict` for a folder with anything else in it. */
  async claim(collection: string): Promise<void> {
    const mark = await this.readMark();
    if (mark?.collection === collection) return;
    if (mark)
      throw new HoldfastError('conflict', `${this.root} holds backups of another collection; name another folder.`);
    if ((await namesIn(this.root)).length > 0)
      throw new HoldfastError('conflict', `${this.root} is neither empty nor a backup; name another folder.`);
    await ensureFolder(this.root);
    await fs.chmod(this.root, 0o700);
    await replaceFile(path.join(this.root, markName), `${JSON.stringify({ holdfast_backup: 1, collection })}\n`);
  }

  async requireMark(): Promise<void> {
    if (!(await this.readMark())) throw new HoldfastError('bad_request', `${this.root} is no backup made by Holdfast.`);
  }

  private async readMark(): Promise<z.infer<typeof markSchema> | undefined> {
    const [text] = await Promise.allSettled([fs.readFile(path.join(this.root, markName), 'utf8')]);
    if (text.status === 'rejected') return undefined;
    try {
      return markSchema.safeParse(JSON.parse(text.value)).data;
    } catch {
      return undefined; // Not ours, or cut off when it was made: the folder is looked at as a stranger's.
    }
  }

  private get versionsFolder(): string {
    return path.join(this.root, 'versions');
  }

  /** Complete versions, the oldest first. */
  async versions(): Promise<BackupVersion[]> {
    const names = (await namesIn(this.versionsFolder)).filter((name) => VERSION_NAME.test(name)).sort();
    const versions = names.map(async (name) => {
      const folder = path.join(this.versionsFolder, name);
      const text = await fs.readFile(path.join(folder, factsName), 'utf8');
      return { name, folder, facts: versionSchema.parse(JSON.parse(text)) };
    });
    return Promise.all(versions);
  }

  /** An empty folder for a new version; what an earlier attempt left is removed. */
  async beginVersion(now: number): Promise<{ name: string; folder: string }> {
    for (const name of await namesIn(this.versionsFolder)) {
      if (name.endsWith('.partial')) await fs.rm(path.join(this.versionsFolder, name), { recursive: true });
    }
    // Behind the last one, also when the clock went back: the last name is the newest version.
    const last = (await this.versions()).at(-1);
    const name = versionName(last ? Math.max(now, timeOfName(last.name) + 1) : now);
    const folder = path.join(this.versionsFolder, `${name}.partial`);
    await ensureFolder(folder);
    return { name, folder };
  }

  /** From here on it counts: facts synced, then the name. */
  async commitVersion(version: { name: string; folder: string }, facts: VersionFacts): Promise<void> {
    await replaceFile(path.join(version.folder, factsName), `${JSON.stringify(facts, null, 2)}\n`);
    await fs.rename(version.folder, path.join(this.versionsFolder, version.name));
    await syncFolder(this.versionsFolder);
  }

  async removeVersion(version: BackupVersion): Promise<void> {
    const gone = `${version.folder}.partial`;
    await fs.rename(version.folder, gone);
    await fs.rm(gone, { recursive: true });
  }
}

function versionName(time: number): string {
  return new Date(time).toISOString().replaceAll(/[-:.]/g, '');
}

function timeOfName(name: string): number {
  return Date.parse(name.replace(/^(....)(..)(..)T(..)(..)(..)(...)Z$/, '$1-$2-$3T$4:$5:$6.$7Z'));
}
