import { open } from 'node:fs/promises';
import { extname } from 'node:path';

/**
 * How a hook is started. Hooks are executables and normally start themselves. Two first lines are answered by us: our
 * own name Node through `env`, which need not be on the PATH of a service, and published ones name `abxpkg` as their
 * launcher, which need not be installed (corrections to reference 6.2).
 */
export async function hookCommand(file: string): Promise<readonly [string, ...string[]]> {
  const firstLine = await readFirstLine(file);
  const extension = extname(file);
  const isNode = /^#!\S*\benv (-S )?node\b/.test(firstLine);
  const isLaunchedByAbxpkg = firstLine.startsWith('#!') && firstLine.includes('abxpkg');
  if (isNode || (isLaunchedByAbxpkg && ['.js', '.mjs', '.cjs'].includes(extension))) return [process.execPath, file];
  if (isLaunchedByAbxpkg && extension === '.py') return ['python3', file];
  return [file];
}

async function readFirstLine(path: string): Promise<string> {
  const file = await open(path, 'r');
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(512), 0, 512, 0);
    return buffer.toString('utf8', 0, bytesRead).split('\n', 1)[0] ?? '';
  } finally {
    await file.close();
  }
}
