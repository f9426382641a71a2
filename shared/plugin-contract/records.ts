import { z } from 'zod';

/** JSON lines a hook may print (reference 6.2). Anything else on stdout is a diagnostic. */
export const archiveResultRecordSchema = z.looseObject({
  type: z.literal('ArchiveResult'),
  status: z.enum(['succeeded', 'noresults', 'skipped', 'failed']),
  output_str: z.string().default(''),
  output_json: z.record(z.string(), z.unknown()).nullish(),
});
export const snapshotLineSchema = z.looseObject({
  type: z.literal('Snapshot'),
  url: z.string(),
  title: z.string().nullish(),
  tags: z.string().nullish(),
  depth: z.number().nullish(),
  bookmarked_at: z.string().nullish(),
});
export const tagLineSchema = z.looseObject({ type: z.literal('Tag'), name: z.string() });

export const hookLineSchema = z.discriminatedUnion('type', [
  archiveResultRecordSchema,
  snapshotLineSchema,
  tagLineSchema,
]);
export type HookLine = z.infer<typeof hookLineSchema>;
export type ArchiveResultLine = z.infer<typeof archiveResultRecordSchema>;

/** Exit code that means: skipped (corrections to reference 6.2). */
export const hookExitSkipped = 10;

/** Files beside an output that belong to the run, not to the output. */
export const hookLogSuffixes = ['.stdout.log', '.stderr.log', '.meta.json', '.log', '.pid', '.sh'] as const;
