import { useState } from 'preact/hooks';
import type { Outcome } from '../messaging/messages.ts';

/** Runs something the person asked for and keeps its sentence for a live region. Failures are sentences as well. */
export function useAct(): { outcome: Outcome | undefined; act: (work: () => Promise<Outcome>) => Promise<boolean> } {
  const [outcome, setOutcome] = useState<Outcome>();
  const act = async (work: () => Promise<Outcome>) => {
    const result = await work().catch((error: unknown) => ({
      ok: false,
      sentence: error instanceof Error ? error.message : String(error),
    }));
    setOutcome(result);
    return result.ok;
  };
  return { outcome, act };
}
