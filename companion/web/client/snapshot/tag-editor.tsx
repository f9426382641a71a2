import { useState } from 'preact/hooks';
import { limits } from '../../../../shared/limits.ts';
import { tagSearchAddress } from '../library/snapshot-row.tsx';

interface Props {
  names: string[];
  onAdd: (name: string) => void;
  onRemove: (name: string) => void;
}

/** The page's tags: each leads to its pages, each can be taken off, new ones are typed. */
export function TagEditor({ names, onAdd, onRemove }: Props) {
  const [draft, setDraft] = useState('');
  return (
    <>
      {names.length > 0 ? (
        <ul class="chips">
          {names.map((name) => (
            <li key={name} class="chip">
              <a href={tagSearchAddress(name)} dir="auto">
                {name}
              </a>
              <button type="button" aria-label={`Remove the tag ${name}`} onClick={() => onRemove(name)}>
                ×
              </button>
            </li>
          ))}
        </ul>
      ) : null}
      <form
        class="field-line"
        onSubmit={(event) => {
          event.preventDefault();
          if (draft.trim() === '') return;
          onAdd(draft.trim());
          setDraft('');
        }}
      >
        <input
          class="field"
          aria-label="New tag"
          placeholder="New tag"
          dir="auto"
          maxLength={limits.tagLengthMax}
          value={draft}
          onInput={(event) => setDraft(event.currentTarget.value)}
        />
        <button type="submit" class="button">
          Add
        </button>
      </form>
    </>
  );
}
