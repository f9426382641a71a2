import { writeFileSync } from 'node:fs';
import type { Reporter, SerializedError, TestCase, TestModule } from 'vitest/node';

export interface TestCounts {
  passed: number;
  failed: number;
  skipped: number;
}

/**
 * Counts what ran and writes it as JSON to a file, from which `npm test` makes its last line. A file that cannot be
 * loaded, a failing hook and an error outside any test each count as one failure, so that none is lost.
 */
export class CountReporter implements Reporter {
  private readonly counts: TestCounts = { passed: 0, failed: 0, skipped: 0 };
  private readonly file: string | undefined;

  constructor(file: string | undefined) {
    this.file = file;
  }

  onTestCaseResult(test: TestCase): void {
    const { state } = test.result();
    if (state === 'passed' || state === 'failed' || state === 'skipped') this.counts[state] += 1;
  }

  onTestRunEnd(modules: readonly TestModule[], unhandled: readonly SerializedError[]): void {
    const failedOutsideTests = modules.filter((module) => suiteErrors(module) > 0).length;
    this.counts.failed += failedOutsideTests + unhandled.length;
    if (this.file) writeFileSync(this.file, JSON.stringify(this.counts));
  }
}

function suiteErrors(module: TestModule): number {
  let errors = module.errors().length;
  for (const suite of module.children.allSuites()) errors += suite.errors().length;
  return errors;
}
