import type { z } from 'zod';
import { HoldfastError } from '../../../shared/errors/holdfast-error.ts';

/** Fields of a multipart body in the order they came; a name may come several times. */
export class FormFields {
  private readonly values = new Map<string, string[]>();

  add(name: string, value: string): void {
    const known = this.values.get(name);
    if (known) known.push(value);
    else this.values.set(name, [value]);
  }

  /** Empty fields count as absent, as forms send them. */
  has(name: string): boolean {
    return this.values.get(name)?.some((value) => value !== '') ?? false;
  }

  /** The last value of each field that has one. */
  toObject(): Record<string, string> {
    const entries = [...this.values].map(([name, values]) => [name, values.at(-1) ?? ''] as const);
    return Object.fromEntries(entries.filter(([, value]) => value !== ''));
  }

  /** A list given by repeating either name, or as one JSON array of strings (reference 1.4). */
  list(plural: string, singular: string): string[] {
    const given = [...(this.values.get(plural) ?? []), ...(this.values.get(singular) ?? [])];
    if (given.length !== 1 || !given[0]?.trim().startsWith('[')) return given;
    return parseTexts(given[0]) ?? given;
  }
}

function parseTexts(json: string): string[] | undefined {
  try {
    const value: unknown = JSON.parse(json);
    return Array.isArray(value) && value.every((item) => typeof item === 'string') ? (value as string[]) : undefined;
  } catch {
    // A file may be called "[draft].html".
    return undefined;
  }
}

/** Parses fields; what is wrong becomes one sentence with status 400, as the reference answers. */
export function parseFields<Schema extends z.ZodType>(schema: Schema, value: unknown): z.output<Schema> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  const name = issue?.path.map(String).join('.') ?? '';
  const what = name === '' ? 'The body' : `The field ${name}`;
  throw new HoldfastError('bad_request', `${what} is not usable: ${issue?.message ?? 'wrong shape'}.`);
}
