import { createHash } from 'node:crypto';
import fs from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import { ensureFolder, errnoOf, replaceFile } from '../../collection/durable-files.ts';

const stateSchema = z.object({
  snapshotId: z.string(),
  /** The token that the upload belongs to, when this command made it. */
  token: z.object({ id: z.string(), secret: z.string() }).nullable(),
});
export type PutState = z.infer<typeof stateSchema>;

/** Remembers an interrupted `put`, so that the same command goes on with the same snapshot and upload. */
export class PutMemory {
  private readonly file: string;

  /** `facts` are everything that makes two commands the same. */
  constructor(cacheFolder: string, facts: readonly string[]) {
    const name = createHash('sha256').update(JSON.stringify(facts)).digest('hex').slice(0, 32);
    this.file = path.join(cacheFolder, 'put', `${name}.json`);
  }

  async load(): Promise<PutState | undefined> {
    try {
      return stateSchema.safeParse(JSON.parse(await fs.readFile(this.file, 'utf8'))).data;
    } catch (error) {
      if (errnoOf(error) === 'ENOENT' || error instanceof SyntaxError) return undefined;
      throw error;
    }
  }

  async save(state: PutState): Promise<void> {
    await ensureFolder(path.dirname(this.file));
    // It may hold a token: nobody else reads this folder.
    await fs.chmod(path.dirname(this.file), 0o700);
    await replaceFile(this.file, JSON.stringify(state));
  }

  async forget(): Promise<void> {
    await fs.rm(this.file, { force: true });
  }
}
