import { witnessFiles } from '../../shared/model/states.ts';
import { injectFile, runInPage } from '../platform/scripting.ts';
import type { OpenFile } from './file-sink.ts';
import './page/page-api.ts';
import type { PageSubject } from './dom.ts';
import type { FileRequest } from './page/read-file-in-page.ts';
import type { SliceJobs } from './slice-jobs.ts';

/** Tabs with these types show the browser's own viewer: its elements are nothing of the page. */
export function showsFile(contentType: string): boolean {
  return contentType === 'application/pdf';
}

/** Takes the bytes of the file a tab shows. @throws Error with the reason when they cannot be read again */
export async function captureShownFile(page: PageSubject, jobs: SliceJobs, openFile: OpenFile): Promise<void> {
  const present = await runInPage(page.tabId, () => globalThis.holdfastFile !== undefined, []);
  if (!present) await injectFile(page.tabId, '/capture-page.js');
  const sink = await openFile(witnessFiles.file, 'application/pdf');
  const job = jobs.open(page.tabId, sink);
  const request: FileRequest = { job, documentKey: page.documentKey, contentType: 'application/pdf' };
  try {
    const read = await runInPage(page.tabId, (asked: FileRequest) => globalThis.holdfastFile!(asked), [request]);
    if (jobs.slices(job) !== read?.slices) throw new Error('A part of the file was lost on its way.');
    await sink.close();
  } catch (error) {
    await sink.abandon();
    throw error;
  } finally {
    jobs.close(job);
  }
}
