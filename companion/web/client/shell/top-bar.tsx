import type { ComponentChildren } from 'preact';
import { pageOf, place } from '../router.ts';

/** Name of the place, what the page puts beside it, and the way to the paired browsers. */
export function TopBar({ children }: { children?: ComponentChildren }) {
  const page = pageOf(place.value).name;
  return (
    <header class="top-bar">
      <a class="wordmark" href="/" aria-current={page === 'library' ? 'page' : undefined}>
        <Mark />
        Holdfast
      </a>
      <div class="top-bar-middle">{children}</div>
      <nav aria-label="Places">
        <a class="quiet-link" href="/pairing" aria-current={page === 'pairing' ? 'page' : undefined}>
          Browsers
        </a>
      </nav>
    </header>
  );
}

/** The holdfast: what a kelp plant grips the rock with. */
function Mark() {
  return (
    <svg class="mark" viewBox="0 0 32 32" aria-hidden="true">
      <path d="M16 4v14M16 18c0 5-4 6-7 10M16 18c0 5 4 6 7 10M16 18v10M16 10c-5 0-7-2-7-6M16 13c5 0 7-2 7-6" />
    </svg>
  );
}
