import { succeeded } from '../kit/context.ts';
import { defineHook } from '../kit/define-hook.ts';
import { takeFullPagePictures } from '../kit/pictures.ts';
import { withRenderedPage } from '../kit/rendered-page.ts';
import { runAsProgram } from '../kit/run-as-program.ts';

/** A picture of the whole page: of the live tab, or of the kept copy, and then it says so. */
export const main = defineHook((hook) =>
  withRenderedPage(hook, async ({ session, copyName }) => {
    const { pictures, width, height, missing } = await takeFullPagePictures(session);
    for (const [index, picture] of pictures.entries()) {
      await hook.write(index === 0 ? 'screenshot.png' : `screenshot-${index}.png`, picture);
    }
    if (missing > 0) hook.log(`the last ${missing} pixels of the page are on no picture`);
    const facts = { width, height, pictures: pictures.length, missing, rendered_from: copyName ?? null };
    return succeeded(
      copyName === undefined ? 'screenshot.png' : 'screenshot.png (picture rendered by the companion from the copy)',
      facts,
    );
  }),
);

await runAsProgram(import.meta.url, main);
