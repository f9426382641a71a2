import { readFile } from 'node:fs/promises';
import { HookFailure, succeeded } from '../kit/context.ts';
import { defineHook, type Hook } from '../kit/define-hook.ts';
import { runAsProgram } from '../kit/run-as-program.ts';
import { connectLoadedTab } from '../kit/tab.ts';
import { captureSingleFile } from './capture-single-file.ts';

/** The page with its frames, styles, pictures and fonts in one HTML file. */
export const main = defineHook(async (hook) => {
  const tab = await connectLoadedTab(hook);
  try {
    const scripts = await readPageScripts();
    const report = await capture(hook, tab.session, scripts);
    if (report.html.trim() === '') throw new HookFailure('the copy came out empty');
    await hook.write('singlefile.html', report.html);
    const { html: _html, ...facts } = report;
    return succeeded(report.partial === '' ? 'singlefile.html' : `singlefile.html (${report.partial})`, facts);
  } finally {
    tab.close();
  }
});

type Session = Parameters<typeof captureSingleFile>[1];
type Scripts = Parameters<typeof captureSingleFile>[2];

/** Once with frames; when that does not come to an end, once more without, and it says so. */
async function capture(hook: Hook, session: Session, scripts: Scripts) {
  const deadlineMs = (hook.number('SINGLEFILE_TIMEOUT', 60) * 1000) / 3;
  try {
    return { ...(await captureSingleFile(hook, session, scripts, { removeFrames: false, deadlineMs })), partial: '' };
  } catch (error) {
    if (!(error instanceof HookFailure)) throw error;
    hook.log(error.message);
    const report = await captureSingleFile(hook, session, scripts, { removeFrames: true, deadlineMs });
    return { ...report, partial: 'frames were left out' };
  }
}

/** Built beside the hook: they run in the page, not here. */
async function readPageScripts(): Promise<Scripts> {
  const [frame, main] = await Promise.all(
    ['frame', 'main'].map((name) => readFile(new URL(`./page/${name}-script.js`, import.meta.url), 'utf8')),
  );
  return { frame: frame ?? '', main: main ?? '' };
}

await runAsProgram(import.meta.url, main);
