/** One thing the doctor looked at. The sentence says what is so and, for a problem, what to do. */
export interface Finding {
  /** Short name of what was looked at. */
  check: string;
  /** `fine`; `note`: worth knowing, nothing to do; `problem`: something has to be done. */
  state: 'fine' | 'note' | 'problem';
  sentence: string;
}

export function fine(check: string, sentence: string): Finding {
  return { check, state: 'fine', sentence };
}

export function note(check: string, sentence: string): Finding {
  return { check, state: 'note', sentence };
}

export function problem(check: string, sentence: string): Finding {
  return { check, state: 'problem', sentence };
}

/** The first line of an error's message, for the end of a sentence. */
export function reasonOf(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return (text.split('\n')[0] ?? '').replace(/\.$/, '');
}
