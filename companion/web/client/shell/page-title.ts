import { useEffect } from 'preact/hooks';

/** Names the document for tabs, history and screen readers. */
export function usePageTitle(title: string): void {
  useEffect(() => {
    document.title = title === '' ? 'Holdfast' : `${title} · Holdfast`;
  }, [title]);
}
