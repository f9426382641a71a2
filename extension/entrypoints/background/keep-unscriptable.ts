import { PictureFiles } from '../../capture/picture-files.ts';
import { takeBlindShot } from '../../capture/visible-shot.ts';
import type { Taking } from './taking.ts';

const LABEL = 'The browser lets no extension look into this page: only its visible part was kept, as a picture.';

const BEHIND = 'The page did not open, or the browser lets no extension look into it.';

/** The browser's own pages, its store, error pages: what can be seen, and the address. */
export async function keepUnscriptable(taking: Taking): Promise<void> {
  if (taking.record.closeTab) {
    await taking.take('screenshot', () => Promise.reject(new Error(BEHIND)));
    return;
  }
  await taking.addMissing([LABEL]);
  await taking.take('screenshot', async (open) => {
    const bitmap = await takeBlindShot(taking.record.tabId, taking.watch);
    await taking.setThumbnail(bitmap);
    const files = new PictureFiles(open);
    await files.append(bitmap, bitmap.width, 0, bitmap.height);
    await files.finish();
    bitmap.close();
    return LABEL;
  });
}
