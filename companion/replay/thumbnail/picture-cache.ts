import { randomUUID } from 'node:crypto';
import fs from 'node:fs/promises';
import path from 'node:path';

interface CachedFile {
  file: string;
  bytes: number;
  /** Milliseconds UTC. */
  madeAt: number;
}

/** So much is kept when the cache is cut, so that not every new picture cuts it again. */
const keptShare = 0.9;

/** Small files that can be made again, in a folder that never holds more than `bytesMax`: the oldest go first. */
export class PictureCache {
  private readonly folder: string;
  private readonly bytesMax: number;
  /** Bytes in the folder as far as is known; undefined until it was looked at. */
  private bytes: number | undefined;
  /** One write after the other: a count made beside a write would be wrong. */
  private lastWrite: Promise<unknown> = Promise.resolve();

  constructor(folder: string, bytesMax: number) {
    this.folder = folder;
    this.bytesMax = bytesMax;
  }

  /** `name` is a path inside the folder, made of hex digits and the like. */
  async read(name: string): Promise<Buffer | undefined> {
    try {
      return await fs.readFile(path.join(this.folder, name));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
      throw error;
    }
  }

  async write(name: string, bytes: Uint8Array): Promise<void> {
    const written = this.lastWrite.then(() => this.writeInTurn(name, bytes));
    this.lastWrite = written.catch(() => undefined);
    await written;
  }

  private async writeInTurn(name: string, bytes: Uint8Array): Promise<void> {
    const file = path.join(this.folder, name);
    await fs.mkdir(path.dirname(file), { recursive: true });
    const temporary = `${file}.${randomUUID()}.tmp`;
    await fs.writeFile(temporary, bytes);
    await fs.rename(temporary, file);
    if (this.bytes !== undefined) this.bytes += bytes.length;
    if (this.bytes === undefined || this.bytes > this.bytesMax) await this.cut();
  }

  private async cut(): Promise<void> {
    const files = (await this.list()).sort((a, b) => a.madeAt - b.madeAt);
    let bytes = files.reduce((sum, { bytes: size }) => sum + size, 0);
    const wanted = bytes > this.bytesMax ? this.bytesMax * keptShare : this.bytesMax;
    for (const { file, bytes: size } of files) {
      if (bytes <= wanted) break;
      await fs.rm(file, { force: true });
      bytes -= size;
    }
    this.bytes = bytes;
  }

  private async list(): Promise<CachedFile[]> {
    const names = await fs.readdir(this.folder, { recursive: true });
    const files: CachedFile[] = [];
    for (const name of names) {
      const file = path.join(this.folder, name);
      const stat = await fs.stat(file).catch(() => undefined);
      if (stat?.isFile()) files.push({ file, bytes: stat.size, madeAt: stat.mtimeMs });
    }
    return files;
  }
}
