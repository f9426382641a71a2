import { useEffect, useRef, useState } from 'preact/hooks';
import type { Understood } from '../api/snapshots.ts';
import { formatSearch, parseSearch } from './search-query.ts';
import { chipLabels } from './understood.ts';

/** How long the reader may pause in a word before the list follows. */
const TYPING_MS = 250;

interface Props {
  text: string;
  /** How the companion took the text of its last answer. */
  understood: readonly Understood[];
  onChange: (text: string) => void;
  /** The reader goes down from the box into the list. */
  onLeaveDown: () => void;
}

/** One box for words, `tag:` and dates; below it what was understood, each part removable. */
export function SearchBox({ text, understood, onChange, onLeaveDown }: Props) {
  const [typed, setTyped] = useState(text);
  const input = useRef<HTMLInputElement>(null);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => {
    // Typing is ahead of the address; only a change from elsewhere (back, a chip, a tag) is taken over.
    if (document.activeElement !== input.current) setTyped(text);
  }, [text]);
  useSlashFocus(input);
  const apply = (next: string, now: boolean) => {
    setTyped(next);
    clearTimeout(timer.current);
    timer.current = setTimeout(() => onChange(next), now ? 0 : TYPING_MS);
  };
  return (
    <search class="search">
      <form
        onSubmit={(event) => {
          event.preventDefault();
          apply(typed, true);
        }}
      >
        <label class="visually-hidden" for="search-box">
          Search the library: words, &quot;a phrase&quot;, tag:name, site:example.org, after:2026-03, before:2027
        </label>
        <input
          ref={input}
          id="search-box"
          class="field"
          type="search"
          dir="auto"
          autoComplete="off"
          placeholder="Words, tag:name, after:2026-03"
          value={typed}
          onInput={(event) => apply(event.currentTarget.value, false)}
          onKeyDown={(event) => {
            if (event.key !== 'ArrowDown') return;
            event.preventDefault();
            onLeaveDown();
          }}
        />
      </form>
      <Chips text={typed} understood={understood} onRemove={(next) => apply(next, true)} />
    </search>
  );
}

interface ChipsProps {
  text: string;
  understood: readonly Understood[];
  onRemove: (text: string) => void;
}

function Chips({ text, understood, onRemove }: ChipsProps) {
  const parts = parseSearch(text);
  const labels = chipLabels(parts, understood);
  if (parts.length === 0) return null;
  return (
    <ul class="chips" aria-label="Understood as">
      {parts.map((part, index) => {
        const label = labels[index]!;
        return (
          <li key={`${index} ${part.text}`} class="chip">
            <span class="chip-kind">{label}</span>
            <bdi>{part.text}</bdi>
            <button
              type="button"
              aria-label={`Remove ${label.toLowerCase()} ${part.text}`}
              onClick={() => onRemove(formatSearch(parts.filter((other) => other !== part)))}
            >
              ×
            </button>
          </li>
        );
      })}
    </ul>
  );
}

/** The key `/` goes to the search box from anywhere but a field. */
function useSlashFocus(input: { current: HTMLInputElement | null }): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const writing =
        event.target instanceof Element && event.target.closest('input, textarea, select, [contenteditable]');
      if (event.key !== '/' || writing || event.ctrlKey || event.metaKey || event.altKey) return;
      event.preventDefault();
      input.current?.focus();
      input.current?.select();
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, []);
}
