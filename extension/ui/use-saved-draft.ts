import { useEffect, useRef, useState } from 'preact/hooks';

/** A popup may close at any moment: what is typed is handed over after this pause, and when field or page is left. */
const PAUSE_MS = 300;

interface SavedDraft {
  value: string;
  onFocus: () => void;
  onInput: (event: { currentTarget: { value: string } }) => void;
  onBlur: () => void;
}

/** A field that keeps itself; spread the result on it. News from elsewhere never overwrite what is being typed. */
export function useSavedDraft(stored: string, save: (text: string) => void): SavedDraft {
  const [draft, setDraft] = useState<string>();
  const focused = useRef(false);
  const pending = useRef<{ text: string; timer: ReturnType<typeof setTimeout> }>(undefined);
  const latestSave = useRef(save);
  latestSave.current = save;

  const flush = () => {
    if (!pending.current) return;
    clearTimeout(pending.current.timer);
    const { text } = pending.current;
    pending.current = undefined;
    latestSave.current(text);
  };
  useEffect(() => {
    addEventListener('pagehide', flush);
    return () => {
      removeEventListener('pagehide', flush);
      flush();
    };
  }, []);
  useEffect(() => {
    if (!focused.current) setDraft(undefined);
  }, [stored]);

  return {
    value: draft ?? stored,
    onFocus: () => {
      focused.current = true;
    },
    onInput: ({ currentTarget: { value } }) => {
      setDraft(value);
      if (pending.current) clearTimeout(pending.current.timer);
      pending.current = { text: value, timer: setTimeout(flush, PAUSE_MS) };
    },
    onBlur: () => {
      focused.current = false;
      flush();
    },
  };
}
