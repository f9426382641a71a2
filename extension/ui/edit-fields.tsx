import { limits } from '../../shared/limits.ts';
import type { Outcome } from '../messaging/messages.ts';
import { sendMessage } from '../messaging/send-message.ts';
import type { CaptureView } from '../messaging/view-model.ts';
import { parseTags } from './capture-words.ts';
import { useSavedDraft } from './use-saved-draft.ts';

/** What a person may change of a capture, wherever its bytes are. */
export interface CaptureEdit {
  title?: string;
  tags?: string[];
  note?: string;
}

interface Props {
  capture: CaptureView;
  onEdit: (edit: CaptureEdit) => void;
}

/** The title, changed in place. */
export function TitleField({ capture, onEdit }: Props) {
  const field = useSavedDraft(capture.title, (title) => onEdit({ title: title.replace(/\s+/g, ' ').trim() }));
  return (
    <textarea
      class="title-field"
      rows={2}
      onKeyDown={(event) => {
        if (event.key !== 'Enter') return;
        event.preventDefault();
        event.currentTarget.blur();
      }}
      aria-label="Title"
      placeholder="No title"
      dir="auto"
      maxLength={limits.titleLengthMax}
      title={field.value}
      {...field}
    />
  );
}

/** Tags by commas, and a note; both keep themselves. */
export function TagAndNoteFields({ capture, onEdit }: Props) {
  const tags = useSavedDraft(capture.tags.join(', '), (text) => onEdit({ tags: parseTags(text) }));
  const note = useSavedDraft(capture.note, (text) => onEdit({ note: text }));
  return (
    <div class="edit-fields">
      <label for="tags">Tags</label>
      <input id="tags" class="field" dir="auto" placeholder="Divided by commas" {...tags} />
      <label for="note">Note</label>
      <textarea
        id="note"
        class="field"
        rows={2}
        dir="auto"
        maxLength={limits.noteLengthMax}
        placeholder="Why you keep it"
        {...note}
      />
    </div>
  );
}

/** Sends an edit; the field shows it meanwhile, and the next state shows what was kept. */
export function sendEdit(id: string, edit: CaptureEdit): Promise<Outcome> {
  return sendMessage('editCapture', { id, ...edit });
}
