import { setTimeout as wait } from 'node:timers/promises';

const lookMs = 50;

/** Looks until `find` has something; fails by name after `deadlineMs`. For states that announce themselves to nobody. */
export async function waitUntil<T>(
  what: string,
  find: () => Promise<T | undefined> | T | undefined,
  deadlineMs = 60_000,
): Promise<T> {
  const deadline = Date.now() + deadlineMs;
  for (;;) {
    const found = await find();
    if (found !== undefined) return found;
    if (Date.now() > deadline) throw new Error(`gave up waiting: ${what}`);
    await wait(lookMs);
  }
}
