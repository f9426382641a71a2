import { noResults, succeeded } from '../kit/context.ts';
import { defineHook } from '../kit/define-hook.ts';
import { runAsProgram } from '../kit/run-as-program.ts';
import { connectTab } from '../kit/tab.ts';
import { untilStopped } from '../kit/until-stopped.ts';
import { watchDocument } from '../kit/watch-document.ts';

/** Listens while the page loads and keeps the headers of every answer on the way to it, redirects too. */
export const main = defineHook(async (hook) => {
  const tab = await connectTab({ ...hook, signal: new AbortController().signal });
  try {
    const document = watchDocument(tab.session);
    await tab.session.send('Network.enable');
    hook.ready();
    await untilStopped(hook.signal);
    const answers = document.answers();
    const last = answers.at(-1);
    if (!last) return noResults('the site gave no answer');
    await hook.write(
      'headers.json',
      `${JSON.stringify({ url: last.url, status: last.status, headers: last.headers, answers }, undefined, 2)}\n`,
    );
    return succeeded('headers.json');
  } finally {
    tab.close();
  }
});

await runAsProgram(import.meta.url, main);
