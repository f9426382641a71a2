/** Two results of one plugin share a folder: a file where the other has a folder, or the reverse, cannot be shown. */
export function withoutClashes<Output extends { path: string }>(
  outputs: readonly Output[],
  others: readonly string[],
): { kept: readonly Output[]; clashes: string[] } {
  if (others.length === 0) return { kept: outputs, clashes: [] };
  const files = new Set(others);
  const folders = new Set(others.flatMap(foldersOf));
  const isClash = (path: string): boolean => folders.has(path) || foldersOf(path).some((folder) => files.has(folder));
  return {
    kept: outputs.filter((output) => !isClash(output.path)),
    clashes: outputs.map((output) => output.path).filter(isClash),
  };
}

function foldersOf(path: string): string[] {
  const parts = path.split('/');
  return parts.slice(1).map((_part, index) => parts.slice(0, index + 1).join('/'));
}

export function clashSentence(clashes: readonly string[]): string {
  return `Not kept, because another result of this plugin has a folder or file of that name: ${clashes.slice(0, 5).join(', ')}.`;
}
