import envPaths from 'env-paths';
import fs from 'node:fs';
import path from 'node:path';
import { parse } from 'smol-toml';
import { z } from 'zod';
import { HoldfastError } from '../../shared/errors/holdfast-error.ts';
import { defaultPort } from '../../shared/limits.ts';
import { permissions } from '../../shared/model/states.ts';
import { parseRetention } from '../../shared/words/retention.ts';
import { sizeSchema } from '../../shared/words/sizes.ts';

/** One pattern a line. */
const patternsSchema = z.union([z.string(), z.array(z.string()).transform((list) => list.join('\n'))]);

/** Settings of the companion itself. Keys of plugins live in their manifests. */
const settingsSchema = z.object({
  HOLDFAST_PORT: z.coerce.number().int().min(0).max(65_535).default(defaultPort),
  PERMISSIONS: z.enum(permissions).default('private'),
  ONLY_NEW: z.stringbool().or(z.boolean()).default(false),
  URL_ALLOWLIST: patternsSchema.optional(),
  URL_DENYLIST: patternsSchema.optional(),
  CRAWL_MAX_URLS: z.coerce.number().int().min(0).optional(),
  CRAWL_MAX_SIZE: sizeSchema.optional(),
  /** Seconds since the first page of the crawl was begun. */
  CRAWL_TIMEOUT: z.coerce.number().min(0).optional(),
  SNAPSHOT_MAX_SIZE: sizeSchema.optional(),
  CRAWL_MAX_CONCURRENT_SNAPSHOTS: z.coerce.number().int().min(1).max(64).default(4),
  TIMEOUT: z.coerce.number().min(1).max(86_400).default(60),
  /** Private hosts the companion may fetch from: names, addresses or networks, separated by commas or spaces. */
  EGRESS_ALLOW: z.union([z.string(), z.array(z.string()).transform((list) => list.join(','))]).default(''),
  /** How long new pages are kept: `30d`, `6mo`; 0 for ever. */
  DELETE_AFTER: z
    .union([z.string(), z.number(), z.boolean()])
    .default('0')
    .transform((value, context) => {
      try {
        parseRetention(value);
      } catch (error) {
        context.addIssue({ code: 'custom', message: (error as Error).message });
      }
      return String(value);
    }),
  LOG_LEVEL: z.enum(['trace', 'debug', 'info', 'warn', 'error', 'silent']).default('warn'),
});
export type Settings = z.infer<typeof settingsSchema>;

export interface LoadedSettings {
  settings: Settings;
  /** Everything found in file and environment, for plugins' keys. */
  raw: Record<string, unknown>;
}

/** Data folder: `--data`, else HOLDFAST_DATA, else the XDG data folder. */
export function dataFolder(option?: string): string {
  const named = option ?? process.env['HOLDFAST_DATA'];
  return path.resolve(named && named !== '' ? named : envPaths('holdfast', { suffix: '' }).data);
}

/** Reads `holdfast.toml` and the environment; the environment overrides the file, `overrides` both. */
export function loadSettings(settingsFile: string, overrides: Record<string, unknown> = {}): LoadedSettings {
  const raw = { ...readFile(settingsFile), ...readEnvironment(), ...dropUndefined(overrides) };
  const parsed = settingsSchema.safeParse(raw);
  if (!parsed.success) {
    const issue = parsed.error.issues[0];
    throw new HoldfastError(
      'bad_request',
      `The setting ${issue?.path.join('.') ?? ''} is not usable: ${issue?.message ?? ''}.`,
    );
  }
  return { settings: parsed.data, raw };
}

function readFile(file: string): Record<string, unknown> {
  if (!fs.existsSync(file)) return {};
  try {
    const flat: Record<string, unknown> = {};
    for (const [key, value] of Object.entries(parse(fs.readFileSync(file, 'utf8')))) {
      // Sections only group keys for the reader; the keys are unique over all of them.
      if (typeof value === 'object' && value !== null && !Array.isArray(value)) Object.assign(flat, value);
      else flat[key] = value;
    }
    return flat;
  } catch (error) {
    throw new HoldfastError('bad_request', `The settings file ${file} cannot be read: ${(error as Error).message}`, {
      cause: error,
    });
  }
}

function readEnvironment(): Record<string, string> {
  const entries = Object.entries(process.env).filter(
    (entry): entry is [string, string] => /^[A-Z][A-Z0-9_]*$/.test(entry[0]) && entry[1] !== undefined,
  );
  return Object.fromEntries(entries);
}

function dropUndefined(values: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));
}
