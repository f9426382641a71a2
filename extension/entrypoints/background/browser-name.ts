/** "Chromium 156 on Linux": how this browser is called in the companion's list of pairings. */
export function browserName(userAgent: string): string {
  const firefox = /Firefox\/(\d+)/.exec(userAgent);
  const edge = /Edg\/(\d+)/.exec(userAgent);
  const chrome = /Chrome\/(\d+)/.exec(userAgent);
  const name = firefox
    ? `Firefox ${firefox[1]}`
    : edge
      ? `Edge ${edge[1]}`
      : chrome
        ? `Chrome ${chrome[1]}`
        : 'A browser';
  const system = /Windows|Mac OS X|Android|CrOS|Linux/.exec(userAgent)?.[0];
  return system ? `${name} on ${system === 'Mac OS X' ? 'macOS' : system === 'CrOS' ? 'ChromeOS' : system}` : name;
}
