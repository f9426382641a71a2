import { pageCharset } from './page-charset.ts';
import { PageRewriter, type PageContext } from './page-rewriter.ts';

/**
 * The bytes of a page as they are served, in UTF-8. A page that is UTF-8 already keeps every byte outside the places
 * that are rewritten; one in another encoding keeps every letter.
 */
export class PageBytes {
  private readonly context: PageContext;
  private readonly rewriter: PageRewriter;
  private readonly encoder = new TextEncoder();
  private decoder: TextDecoder | undefined;

  constructor(context: PageContext) {
    this.context = context;
    this.rewriter = new PageRewriter(context);
  }

  /** Takes a piece of the page and returns what is settled; pieces may end anywhere. */
  write(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
    if (!this.decoder) {
      const charset = pageCharset(bytes, this.context.xml);
      // The byte order mark of UTF-8 is one of the bytes to keep; that of another encoding would say the wrong thing.
      this.decoder = new TextDecoder(charset, { ignoreBOM: charset === 'utf-8' });
    }
    return this.encoder.encode(this.rewriter.write(this.decoder.decode(bytes, { stream: true })));
  }

  /** The rest. */
  end(): Uint8Array<ArrayBuffer> {
    return this.encoder.encode(this.rewriter.write(this.decoder?.decode() ?? '') + this.rewriter.end());
  }
}
