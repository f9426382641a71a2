import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { limits } from '../../../../shared/limits.ts';

interface Props {
  /** The stored title; empty when there is none. */
  title: string;
  /** Shown instead of an empty title. */
  fallback: string;
  onSave: (title: string) => void;
}

/** The heading of the page, changed in place: Enter or leaving keeps the change, Escape takes it back. */
export function EditableTitle({ title, fallback, onSave }: Props) {
  const [draft, setDraft] = useState<string>();
  const input = useRef<HTMLInputElement>(null);
  const heading = useRef<HTMLButtonElement>(null);
  const editing = draft !== undefined;
  // Before the next key can come: after the paint the first letter typed would be lost.
  useLayoutEffect(() => {
    if (editing) input.current?.select();
  }, [editing]);
  const close = (text: string | undefined) => {
    setDraft(undefined);
    if (text !== undefined && text.trim() !== title) onSave(text.trim());
  };
  if (editing) {
    return (
      <h1 class="page-title">
        <input
          ref={input}
          class="field"
          aria-label="Title"
          dir="auto"
          maxLength={limits.titleLengthMax}
          value={draft}
          onInput={(event) => setDraft(event.currentTarget.value)}
          onBlur={() => close(draft)}
          onKeyDown={(event) => {
            if (event.key === 'Escape') close(undefined);
            if (event.key === 'Enter') close(draft);
            if (event.key === 'Escape' || event.key === 'Enter') requestAnimationFrame(() => heading.current?.focus());
          }}
        />
      </h1>
    );
  }
  return (
    <h1 class="page-title">
      <button
        ref={heading}
        type="button"
        class="title-button"
        title="Change the title"
        dir="auto"
        onClick={() => setDraft(title)}
      >
        {title === '' ? fallback : title}
      </button>
    </h1>
  );
}
