import { useEffect, useRef } from 'preact/hooks';
import { AddForm } from './add-form.tsx';

/** The two ways in that do not need the browser's extension, opened above the list. */
export function AddPanel({ onClose }: { onClose: () => void }) {
  const panel = useRef<HTMLElement>(null);
  useEffect(() => panel.current?.querySelector('input')?.focus(), []);
  return (
    <section
      id="add-panel"
      class="add-panel"
      aria-label="Add pages"
      ref={panel}
      onKeyDown={(event) => {
        if (event.key === 'Escape') onClose();
      }}
    >
      <div class="ways">
        <div>
          <h2>Paste an address</h2>
          <AddForm id="panel-one" many={false} />
        </div>
        <div>
          <h2>Import a list</h2>
          <AddForm id="panel-many" many />
        </div>
      </div>
      <button type="button" class="button quiet" onClick={onClose}>
        Close
      </button>
    </section>
  );
}
