import { documentKey } from './describe-page.ts';
import { sendSlices } from './send-slices.ts';
import type { SendSlice } from './send-slices.ts';

export interface FileRequest {
  job: string;
  documentKey: string;
  contentType: string;
}

/**
 * Reads the file that the tab shows once more, as the tab got it: from the browser's cache where possible, with the
 * person's cookies.
 * @returns the number of slices handed out
 * @throws Error when the site gives something else now (a file that was an answer to a form)
 */
export async function readFileInPage(request: FileRequest, send: SendSlice): Promise<{ slices: number }> {
  if (request.documentKey !== documentKey()) throw new Error('The tab went to another page.');
  const response = await fetch(location.href, { cache: 'force-cache', credentials: 'include' });
  const type = (response.headers.get('content-type') ?? '').split(';', 1)[0]?.trim();
  if (!response.ok || type !== request.contentType) {
    throw new Error('The file cannot be read again: the site gives something else now.');
  }
  return { slices: await sendSlices(new Uint8Array(await response.arrayBuffer()), send) };
}
