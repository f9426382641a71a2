import { z } from 'zod';
import { defaultPort } from '../../shared/limits.ts';
import { browser } from '../platform/browser.ts';

/**
 * Everything the person set, in `storage.local` only: `storage.sync` would hand the token to the browser's vendor.
 * Values are parsed when read; what does not fit is as if it were not there.
 */
const pairingSchema = z.object({
  pairingId: z.string(),
  /** Proves the companion in hello; never sent. */
  secret: z.string(),
  token: z.string(),
  user: z.string(),
  fingerprint: z.string(),
  /** The companion said that the token no longer holds. */
  revoked: z.boolean().default(false),
});

const settingsSchema = z.object({
  /** Host and port. */
  companionAddress: z.string().default(`127.0.0.1:${defaultPort}`),
  pairing: pairingSchema.nullable().default(null),
});
export type Settings = z.infer<typeof settingsSchema>;

const KEY = 'settings';

export async function readSettings(): Promise<Settings> {
  const stored = await browser.storage.local.get(KEY);
  const parsed = settingsSchema.safeParse(stored[KEY] ?? {});
  return parsed.success ? parsed.data : settingsSchema.parse({});
}

/** Changes some settings and leaves the others. */
export async function changeSettings(change: Partial<Settings>): Promise<void> {
  await browser.storage.local.set({ [KEY]: { ...(await readSettings()), ...change } });
}
