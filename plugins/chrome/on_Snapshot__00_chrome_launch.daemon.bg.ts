import { HookFailure, succeeded } from '../kit/context.ts';
import { defineHook } from '../kit/define-hook.ts';
import { runAsProgram } from '../kit/run-as-program.ts';

/** Launches nothing: the runner lends a browser. It only leaves its address where hooks of the reference look for it. */
export const main = defineHook(async (hook) => {
  const address = hook.text('CHROME_CDP_URL');
  if (address === '') throw new HookFailure('no browser was lent to this run: CHROME_CDP_URL is not set');
  await hook.write('cdp_url.txt', `${address}\n`);
  hook.ready();
  return succeeded('cdp_url.txt');
});

await runAsProgram(import.meta.url, main);
