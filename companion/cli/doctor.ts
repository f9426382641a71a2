import type { Command } from 'commander';
import { countPhrase } from '../../shared/words/amounts.ts';
import { dataFolderOf } from './data-folder.ts';
import type { Finding } from './doctor/finding.ts';
import { paint, printJson, printRecord, say } from './output.ts';

export function addCommand(program: Command): void {
  program
    .command('doctor')
    .description('look for what keeps Holdfast from working and say what to do; ends with 1 when there is something')
    .option('--json', 'one JSON object per finding')
    .action(examine);
}

async function examine(options: { json?: boolean }, command: Command): Promise<void> {
  const findings = await collectFindings(dataFolderOf(command));
  for (const finding of findings) {
    if (options.json) printJson(finding);
    else printRecord(`${mark(finding)} ${finding.check}: ${finding.sentence}`);
  }
  const problems = findings.filter((finding) => finding.state === 'problem').length;
  if (problems > 0) process.exitCode = 1;
  if (!options.json) say(problems === 0 ? 'Nothing needs doing.' : `${countPhrase(problems, 'thing')} to do.`);
}

async function collectFindings(root: string): Promise<Finding[]> {
  const { checkProgram } = await import('./doctor/check-program.ts');
  const { checkData } = await import('./doctor/check-data.ts');
  const { checkNetwork } = await import('./doctor/check-network.ts');
  const { checkPairing } = await import('./doctor/check-pairing.ts');
  const { checkSafety } = await import('./doctor/check-safety.ts');
  const program = await checkProgram();
  const data = await checkData(root);
  const findings = [...program, ...data, ...(await checkNetwork(root))];
  // A folder or database with a problem of its own is not to be opened for writing.
  const isReadable = ![...program, ...data].some(
    ({ check, state }) => state === 'problem' && ['sqlite', 'data folder', 'database'].includes(check),
  );
  return isReadable ? [...findings, await checkPairing(root), ...(await checkSafety(root))] : findings;
}

function mark({ state }: Finding): string {
  if (state === 'fine') return paint('green', '✓');
  return state === 'note' ? paint('yellow', '•') : paint('red', '✗');
}
