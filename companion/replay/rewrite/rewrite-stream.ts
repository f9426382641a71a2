import { pageCharset } from './page-charset.ts';
import { PageRewriter, type PageContext } from './page-rewriter.ts';

/**
 * The bytes of a page as they are served, in UTF-8. A page that is UTF-8 already keeps every byte outside the places
 * that are rewritten; one in another encoding keeps every letter.
 */
export async function* rewriteStream(
  source: AsyncIterable<Uint8Array>,
  context: PageContext,
): AsyncGenerator<Uint8Array> {
  const rewriter = new PageRewriter(context);
  const encoder = new TextEncoder();
  let decoder: TextDecoder | undefined;
  for await (const bytes of source) {
    if (!decoder) {
      const charset = pageCharset(bytes, context.xml);
      // The byte order mark of UTF-8 is one of the bytes to keep; that of another encoding would say the wrong thing.
      decoder = new TextDecoder(charset, { ignoreBOM: charset === 'utf-8' });
    }
    const text = rewriter.write(decoder.decode(bytes, { stream: true }));
    if (text !== '') yield encoder.encode(text);
  }
  const rest = rewriter.write(decoder?.decode() ?? '') + rewriter.end();
  if (rest !== '') yield encoder.encode(rest);
}
