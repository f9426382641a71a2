import * as singlefile from 'single-file-core/single-file.js';
import { defineUnlistedScript } from 'wxt/utils/define-unlisted-script';
import '../capture/page/page-api.ts';
import { captureDomInPage } from '../capture/page/capture-dom-in-page.ts';
import type { DomReport } from '../capture/page/capture-dom-in-page.ts';
import { readFileInPage } from '../capture/page/read-file-in-page.ts';
import { resourceFetcher } from '../capture/page/fetch-resource.ts';
import { sendMessage } from '../messaging/send-message.ts';

/** In the top frame only: makes the self-contained HTML, or reads the file that the tab shows. */
export default defineUnlistedScript(() => {
  // The frame tree looks for this name in the top frame; it replaces the smaller one of capture-frames.js.
  (globalThis as { singlefile?: unknown }).singlefile = singlefile;
  const sendSliceOf = (job: string) => async (index: number, base64: string) => {
    await sendMessage('takeSlice', { job, index, base64 });
  };
  globalThis.holdfastFile ??= (request) => readFileInPage(request, sendSliceOf(request.job));
  globalThis.holdfastDom ??= (request) => {
    const failed: DomReport['failedResources'] = [];
    const elsewhere = (url: string, referrer: string | undefined) =>
      sendMessage('fetchResource', { job: request.job, url, referrer });
    return captureDomInPage(
      request,
      {
        sendSlice: sendSliceOf(request.job),
        fetch: resourceFetcher(elsewhere, failed),
      },
      failed,
    );
  };
});
