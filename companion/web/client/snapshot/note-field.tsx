import { useEffect, useState } from 'preact/hooks';
import { limits } from '../../../../shared/limits.ts';

/** A note that keeps itself when the reader leaves the field. */
export function NoteField({ text, onSave }: { text: string; onSave: (text: string) => void }) {
  const [draft, setDraft] = useState(text);
  const [touched, setTouched] = useState(false);
  useEffect(() => {
    // News from elsewhere must not overwrite what is being written.
    if (!touched) setDraft(text);
  }, [text, touched]);
  return (
    <textarea
      id="note"
      class="field"
      rows={4}
      dir="auto"
      maxLength={limits.noteLengthMax}
      value={draft}
      placeholder="Why you kept it. Saved when you leave the field."
      onInput={(event) => {
        setTouched(true);
        setDraft(event.currentTarget.value);
      }}
      onBlur={() => {
        setTouched(false);
        if (draft !== text) onSave(draft);
      }}
    />
  );
}
