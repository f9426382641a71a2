import type { SnippetPiece } from '../api/snapshots.ts';

/** The place of the page's text where the searched words stand; the pieces are text, never markup. */
export function Snippet({ pieces }: { pieces: readonly SnippetPiece[] | undefined }) {
  if (!pieces || pieces.length === 0) return null;
  return (
    <p class="row-snippet" dir="auto">
      {pieces.map((piece, index) => (piece.hit ? <mark key={index}>{piece.text}</mark> : piece.text))}
    </p>
  );
}
