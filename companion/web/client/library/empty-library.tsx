import { AddForm } from './add-form.tsx';

/** The first sight of the library: three ways in, each working right here. */
export function EmptyLibrary() {
  return (
    <section class="empty" aria-labelledby="empty-title">
      <h1 id="empty-title">Nothing is kept yet</h1>
      <p class="lead">Pages you keep appear here, readable and searchable, and stay on this computer.</p>
      <div class="ways">
        <div>
          <h2>From your browser</h2>
          <p>
            The extension keeps a page exactly as you see it, signed in and scrolled. Add it to your browser, then
            connect it with a code.
          </p>
          <a class="button" href="/pairing">
            Connect a browser
          </a>
        </div>
        <div>
          <h2>Paste an address</h2>
          <p>Holdfast opens the page by itself, signed out, and keeps it.</p>
          <AddForm id="empty-one" many={false} />
        </div>
        <div>
          <h2>Import a list</h2>
          <p>Bookmarks, a reading list, any text with addresses.</p>
          <AddForm id="empty-many" many />
        </div>
      </div>
    </section>
  );
}
