import { z } from 'zod';
import { digestHex, parseDigest, type Digest } from '../../../shared/digest/digest.ts';

/** One embedded part that was taken out of a page and lies in a blob of its own. */
export interface RecipePart {
  /** Where its name stands in the skeleton, in bytes. */
  at: number;
  /** File name inside the parts folder, `x<sha256>.<extension>`. */
  name: string;
  /** What stood before the encoded bytes, such as `data:image/png;base64,`. */
  head: string;
  digest: Digest;
  /** Decoded bytes. */
  size: number;
}

/**
 * The side record of a page that is stored split (DESIGN section 7): the skeleton with `<folder>/<name>` in place of
 * each part, and how to join the original again.
 */
export interface Recipe {
  version: 1;
  /** Of the joined bytes. */
  digest: Digest;
  /** Joined bytes. */
  size: number;
  skeleton: Digest;
  skeletonSize: number;
  /** Folder of the parts, relative to where the skeleton is shown. */
  folder: string;
  /** In the order of their places. */
  parts: RecipePart[];
}

const digest = z.string().transform((text, context) => {
  const parsed = parseDigest(text);
  if (parsed) return parsed;
  context.addIssue({ code: 'custom', message: 'is no digest' });
  return z.NEVER;
});
const bytes = z.number().int().nonnegative();

const recipeSchema = z.strictObject({
  version: z.literal(1),
  digest,
  size: bytes,
  skeleton: digest,
  skeletonSize: bytes,
  folder: z.string().regex(/^[a-z0-9-]+$/),
  parts: z.array(
    z.strictObject({
      at: bytes,
      name: z.string().regex(/^x[0-9a-f]{64}\.[a-z0-9]+$/),
      head: z.string(),
      digest,
      size: bytes,
    }),
  ),
});

/** Folder of a page's parts, beside where its skeleton is shown. */
export function partsFolder(page: Digest): string {
  return `parts-${digestHex(page).slice(0, 8)}`;
}

export function formatRecipe(recipe: Recipe): string {
  return `${JSON.stringify(recipe)}\n`;
}

/** Undefined when the text is no side record, as after damage on the disk. */
export function parseRecipe(text: string): Recipe | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  return recipeSchema.safeParse(value).data;
}

/** Characters that standard base64 takes for so many bytes, padding included. */
function encodedLength(size: number): number {
  return Math.ceil(size / 3) * 4;
}

/** A piece of the joined page: bytes of a blob as they are, bytes of a blob in base64, or text of the recipe. */
export type Segment =
  | { kind: 'bytes'; blob: Digest; start: number; length: number }
  | { kind: 'base64'; blob: Digest; length: number }
  | { kind: 'text'; text: string; length: number };

/** The joined page in order; `length` counts joined bytes. */
export function segmentsOf(recipe: Recipe): Segment[] {
  const segments: Segment[] = [];
  let at = 0;
  const skeletonUntil = (end: number): void => {
    if (end > at) segments.push({ kind: 'bytes', blob: recipe.skeleton, start: at, length: end - at });
  };
  for (const part of recipe.parts) {
    skeletonUntil(part.at);
    at = part.at + recipe.folder.length + 1 + part.name.length;
    segments.push({ kind: 'text', text: part.head, length: Buffer.byteLength(part.head) });
    segments.push({ kind: 'base64', blob: part.digest, length: encodedLength(part.size) });
  }
  skeletonUntil(recipe.skeletonSize);
  return segments;
}
