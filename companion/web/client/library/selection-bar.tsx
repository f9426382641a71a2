import { useState } from 'preact/hooks';
import { countPhrase } from '../../../../shared/words/amounts.ts';
import { RequestFailed } from '../api/request.ts';
import { addTag } from '../api/snapshots.ts';
import { deleteWithUndo } from '../shell/deletions.ts';

interface Props {
  ids: readonly string[];
  onDone: () => void;
}

/** What can be done with the selected pages. */
export function SelectionBar({ ids, onDone }: Props) {
  const [tag, setTag] = useState('');
  const [sentence, setSentence] = useState('');
  const tagAll = async () => {
    const name = tag.trim();
    if (name === '') return;
    let done = 0;
    try {
      for (const id of ids) {
        await addTag(id, name);
        done += 1;
      }
      setTag('');
      setSentence(`Tag added to ${countPhrase(done, 'page')}.`);
    } catch (error) {
      if (!(error instanceof RequestFailed)) throw error;
      setSentence(`Tag added to ${done} of ${countPhrase(ids.length, 'page')}. ${error.message}`);
    }
  };
  return (
    <section class="selection-bar" aria-label="Selected pages">
      <strong>{countPhrase(ids.length, 'page')} selected</strong>
      <form
        class="field-line"
        onSubmit={(event) => {
          event.preventDefault();
          void tagAll();
        }}
      >
        <label class="visually-hidden" for="selection-tag">
          Tag for the selected pages
        </label>
        <input
          id="selection-tag"
          class="field"
          dir="auto"
          placeholder="Tag"
          maxLength={100}
          value={tag}
          onInput={(event) => setTag(event.currentTarget.value)}
        />
        <button type="submit" class="button">
          Add tag
        </button>
      </form>
      <button
        type="button"
        class="button danger"
        onClick={() => {
          deleteWithUndo([...ids]);
          onDone();
        }}
      >
        Delete
      </button>
      <button type="button" class="button quiet" onClick={onDone}>
        Clear selection
      </button>
      <span role="status" aria-live="polite">
        {sentence}
      </span>
    </section>
  );
}
