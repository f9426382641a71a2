import type { Command } from 'commander';
import { protocolVersion } from '../../shared/protocol/hello.ts';
import { holdfastVersion } from '../config/version.ts';
import { printJson, printRecord } from './output.ts';

export function addCommand(program: Command): void {
  program
    .command('version')
    .description('show the version of this program')
    .option('-q, --quiet', 'only the number')
    .option('--json', 'one JSON object')
    .action((options: { quiet?: boolean; json?: boolean }) => {
      const facts = {
        version: holdfastVersion,
        protocol: protocolVersion,
        node: process.versions.node,
        system: `${process.platform} ${process.arch}`,
      };
      if (options.json) return printJson(facts);
      if (options.quiet) return printRecord(facts.version);
      printRecord(`Holdfast ${facts.version}, protocol ${facts.protocol}, Node ${facts.node} on ${facts.system}`);
    });
}
