import { useState } from 'preact/hooks';
import { countPhrase } from '../../../../shared/words/amounts.ts';
import { RequestFailed } from '../api/request.ts';
import { addUrls } from '../api/snapshots.ts';
import { parseAddressList } from './address-list.ts';
import { readAddressFile } from './address-file.ts';

interface Props {
  /** Distinguishes the fields when both forms are on the page. */
  id: string;
  many: boolean;
  onAdded?: () => void;
}

/** Lets the companion fetch pages by their addresses: one, or a list pasted or read from a file. */
export function AddForm({ id, many, onAdded }: Props) {
  const [text, setText] = useState('');
  const [busy, setBusy] = useState(false);
  const [answer, setAnswer] = useState<{ sentence: string; refused: string[] }>({ sentence: '', refused: [] });

  const submit = async () => {
    const { urls, refused } = parseAddressList(text);
    if (urls.length === 0) {
      setAnswer({ sentence: 'There is no address to keep yet. Addresses begin with http:// or https://.', refused });
      return;
    }
    setBusy(true);
    try {
      await addUrls(urls, '');
      // What was refused stays in the field, to be mended.
      setText(refused.length > 0 ? linesWithout(text, urls) : '');
      setAnswer({ sentence: `${countPhrase(urls.length, 'page')} will be kept. Progress shows in the list.`, refused });
      onAdded?.();
    } catch (error) {
      if (!(error instanceof RequestFailed)) throw error;
      setAnswer({ sentence: error.message, refused });
    } finally {
      setBusy(false);
    }
  };

  const readFile = async (file: File | undefined) => {
    if (!file) return;
    setBusy(true);
    const read = await readAddressFile(file);
    setBusy(false);
    if (read.urls.length > 0) setText(read.urls.join('\n'));
    setAnswer({ sentence: read.sentence, refused: read.refused });
  };

  return (
    <form
      class="stack"
      onSubmit={(event) => {
        event.preventDefault();
        void submit();
      }}
    >
      {many ? (
        <ManyFields id={id} text={text} onText={setText} onFile={(file) => void readFile(file)} />
      ) : (
        <OneField id={id} text={text} onText={setText} />
      )}
      <button type="submit" class={many ? 'button' : 'button primary'} disabled={busy}>
        {many ? 'Keep these pages' : 'Keep this page'}
      </button>
      <div class="answer" role="status" aria-live="polite">
        {answer.sentence === '' ? null : <p>{answer.sentence}</p>}
        {answer.refused.length > 0 ? (
          <ul>
            {answer.refused.map((line) => (
              <li key={line}>{line}</li>
            ))}
          </ul>
        ) : null}
      </div>
    </form>
  );
}

interface FieldProps {
  id: string;
  text: string;
  onText: (text: string) => void;
}

function OneField({ id, text, onText }: FieldProps) {
  return (
    <>
      <label for={`${id}-address`}>Address</label>
      <input
        id={`${id}-address`}
        class="field"
        inputMode="url"
        autoComplete="off"
        spellcheck={false}
        placeholder="https://"
        value={text}
        onInput={(event) => onText(event.currentTarget.value)}
      />
    </>
  );
}

function ManyFields({ id, text, onText, onFile }: FieldProps & { onFile: (file: File | undefined) => void }) {
  return (
    <>
      <label for={`${id}-file`}>A file with addresses: text, bookmarks, an exported table</label>
      <input
        id={`${id}-file`}
        class="file-field"
        type="file"
        accept=".txt,.html,.htm,.csv,.json,.jsonl,.xml,.md,text/*"
        onChange={(event) => onFile(event.currentTarget.files?.[0])}
      />
      <label for={`${id}-addresses`}>Or addresses, one on a line</label>
      <textarea
        id={`${id}-addresses`}
        class="field mono"
        rows={5}
        spellcheck={false}
        value={text}
        onInput={(event) => onText(event.currentTarget.value)}
      />
    </>
  );
}

function linesWithout(text: string, urls: string[]): string {
  const kept = new Set(urls);
  return text
    .split(/\r?\n/)
    .filter((line) => line.trim() !== '' && !parseAddressList(line).urls.some((url) => kept.has(url)))
    .join('\n');
}
