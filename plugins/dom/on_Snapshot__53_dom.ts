import { succeeded } from '../kit/context.ts';
import { defineHook } from '../kit/define-hook.ts';
import { runAsProgram } from '../kit/run-as-program.ts';
import { connectLoadedTab } from '../kit/tab.ts';
import { serializeDocument } from './serialize-document.ts';

/** The document as it stands after its scripts, shadow roots included, open and closed. */
export const main = defineHook(async (hook) => {
  const tab = await connectLoadedTab(hook);
  try {
    await hook.write('output.html', await serializeDocument(tab.session));
    return succeeded('output.html');
  } finally {
    tab.close();
  }
});

await runAsProgram(import.meta.url, main);
