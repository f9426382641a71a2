import { z } from 'zod';

/** `config.json` of a plugin: JSON Schema draft-07 of its keys plus the reference's extensions (reference 6.3). */
const categories = ['main', 'page_setup', 'media', 'text', 'metadata', 'postprocessing', 'other'] as const;

const configPropertySchema = z.looseObject({
  type: z.union([z.string(), z.array(z.string())]).optional(),
  default: z.unknown().optional(),
  description: z.string().optional(),
  'x-aliases': z.array(z.string()).optional(),
  'x-fallback': z.string().optional(),
  'x-scope': z.enum(['crawl_execution', 'crawl_frozen', 'server']).optional(),
  'x-sensitive': z.boolean().optional(),
});

export const pluginManifestSchema = z.looseObject({
  title: z.string().optional(),
  description: z.string().optional(),
  properties: z.record(z.string(), configPropertySchema).default({}),
  required_plugins: z.array(z.string()).default([]),
  wait_for_plugins: z.array(z.string()).default([]),
  required_binaries: z.array(z.looseObject({ name: z.string() })).default([]),
  output_mimetypes: z.array(z.string()).default([]),
  category: z.enum(categories).default('other'),
  display_order: z.number().default(1000),
  hidden: z.boolean().default(false),
  /** Other exact names the plugin answers to. */
  'x-aliases': z.array(z.string()).default([]),
  default_output_path: z.string().optional(),
  /** True: works from the browser's own files with the network refused (DESIGN section 6). */
  'x-derives': z.boolean().default(false),
  /** True: also then it needs a browser, which is lent to it behind the proxy that refuses everything. */
  'x-derives-in-browser': z.boolean().default(false),
});
export type PluginManifest = z.infer<typeof pluginManifestSchema>;
