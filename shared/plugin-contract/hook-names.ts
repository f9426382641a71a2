/** `on_{Event}__[{NN}_]{name}[.finite|.daemon][.bg].{ext}` (reference 6.1). */
const PATTERN = /^on_([A-Za-z]+)__(?:(\d+)_)?(.+)$/;

export interface HookFileName {
  event: string;
  order: number;
  /** File name without its last extension: the hook's identity. */
  hookName: string;
  background: boolean;
}

/** Returns undefined for files that are no hooks. */
export function parseHookFileName(fileName: string): HookFileName | undefined {
  const match = PATTERN.exec(fileName);
  const dot = fileName.lastIndexOf('.');
  if (!match?.[1] || dot <= 0) return undefined;
  return {
    event: match[1],
    order: match[2] === undefined ? 0 : Number(match[2]),
    hookName: fileName.slice(0, dot),
    background: fileName.includes('.bg.'),
  };
}
