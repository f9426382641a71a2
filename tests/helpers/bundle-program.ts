import path from 'node:path';
import { rolldown } from 'rolldown';

/** Makes one file of a TypeScript program, so that Node can run it as a process of its own. */
export async function bundleProgram(source: string, folder: string): Promise<string> {
  const bundle = await rolldown({ input: path.resolve(source), platform: 'node', external: [/^better-sqlite3$/] });
  const file = path.join(folder, `${path.basename(source, '.ts')}.mjs`);
  await bundle.write({ file, format: 'esm' });
  await bundle.close();
  return file;
}
