import { z } from 'zod';

const unitBytes: Record<string, number> = { '': 1, k: 1024, m: 1024 ** 2, g: 1024 ** 3, t: 1024 ** 4 };

/** `500mb`, `2 GiB` or a number of bytes; units count in 1024. Undefined for anything else. */
export function parseSize(value: unknown): number | undefined {
  const match = /^\s*(\d+(?:\.\d+)?)\s*([kmgt]?)(?:i?b)?\s*$/i.exec(String(value));
  return match ? Math.floor(Number(match[1]) * unitBytes[match[2]!.toLowerCase()]!) : undefined;
}

/** Bytes, or words such as `500mb`; 0 is no limit. */
export const sizeSchema = z
  .union([z.string(), z.number()])
  .refine((value) => parseSize(value) !== undefined, 'give bytes or a size such as 500mb');
