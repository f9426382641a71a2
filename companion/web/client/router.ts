import { signal } from '@preact/signals';

/** Where the reader is: path and query of the document, as the browser writes them. */
export interface Place {
  path: string;
  query: string;
  hash: string;
}

export const place = signal<Place>(readPlace());

/**
 * A document that runs the scripts of a kept copy may frame that one host and no other, so every other page needs a
 * document of its own.
 */
export const isForOneCopy = new URLSearchParams(location.search).has('scripts');

function readPlace(): Place {
  return { path: location.pathname, query: location.search, hash: location.hash };
}

/** Where the reader was on a page, for coming back: scrolled how far, on which link. */
export interface Bookmark {
  scroll: number;
  href: string;
}

/** Goes to an address of this UI without loading the document again. `replace` leaves no entry to go back to. */
export function navigate(address: string, options: { replace?: boolean } = {}): void {
  if (isForOneCopy) {
    if (options.replace) location.replace(address);
    else location.assign(address);
    return;
  }
  if (options.replace) {
    history.replaceState(null, '', address);
  } else {
    const left: Bookmark = { scroll: scrollY, href: document.activeElement?.getAttribute('href') ?? '' };
    history.replaceState(left, '');
    history.pushState(null, '', address);
    scrollTo(0, 0);
  }
  place.value = readPlace();
}

/** Puts the reader back where the page was left, once its content is there. */
export function restoreBookmark(): void {
  const bookmark = history.state as Bookmark | null;
  if (!bookmark) return;
  scrollTo(0, bookmark.scroll);
  const link =
    bookmark.href === '' ? null : document.querySelector<HTMLElement>(`a[href="${CSS.escape(bookmark.href)}"]`);
  link?.focus({ preventScroll: true });
}

/** Makes links to this UI's own pages and the back button change the page in place. Call once. */
export function startRouter(): void {
  history.scrollRestoration = 'manual';
  addEventListener('popstate', () => {
    place.value = readPlace();
  });
  document.addEventListener('click', (event) => {
    const link = event.target instanceof Element ? event.target.closest('a[href]') : null;
    if (!(link instanceof HTMLAnchorElement) || !isPlainClick(event) || link.target || link.hasAttribute('download'))
      return;
    const target = new URL(link.href);
    if (target.origin !== location.origin || target.pathname.startsWith('/api/')) return;
    event.preventDefault();
    navigate(target.pathname + target.search + target.hash);
  });
}

function isPlainClick(event: MouseEvent): boolean {
  return (
    event.button === 0 &&
    !event.defaultPrevented &&
    !event.metaKey &&
    !event.ctrlKey &&
    !event.shiftKey &&
    !event.altKey
  );
}

export type Page =
  | { name: 'library' }
  | { name: 'login' }
  | { name: 'pairing' }
  | { name: 'snapshot'; id: string }
  | { name: 'compare'; ids: readonly [string, string] }
  | { name: 'web'; url: string }
  | { name: 'unknown' };

/** Which page an address means. */
export function pageOf({ path, query, hash }: Place): Page {
  if (path === '/' || path === '/index.html') return { name: 'library' };
  if (path === '/login') return { name: 'login' };
  if (path === '/pairing') return { name: 'pairing' };
  const snapshot = /^\/snapshot\/([0-9a-fA-F-]+)\/?$/.exec(path);
  if (snapshot?.[1]) return { name: 'snapshot', id: snapshot[1] };
  const compare = /^\/compare\/([0-9a-f-]+)\/([0-9a-f-]+)$/i.exec(path);
  if (compare?.[1] && compare[2]) return { name: 'compare', ids: [compare[1], compare[2]] };
  if (path.startsWith('/web/')) return { name: 'web', url: webAddress(path, query, hash) };
  return { name: 'unknown' };
}

export const snapshotAddress = (id: string) => `/snapshot/${id}`;
export const compareAddress = (older: string, newer: string) => `/compare/${older}/${newer}`;

/**
 * The address behind `/web/`: written out (`/web/https://example.org/a?b=c`, query and fragment belong to it) or
 * percent-encoded as one part.
 */
function webAddress(path: string, query: string, hash: string): string {
  const rest = path.slice('/web/'.length);
  if (/^[a-z]+%3a/i.test(rest)) {
    try {
      return decodeURIComponent(rest);
    } catch {
      return rest;
    }
  }
  // Some programs squeeze double slashes in paths; the scheme's come back.
  return rest.replace(/^([a-z]+):\/+/i, '$1://') + query + hash;
}
