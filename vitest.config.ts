import { defineConfig, type TestProjectConfiguration } from 'vitest/config';
import { CountReporter } from './tests/reporter/count-reporter.ts';

const suite = process.env.HOLDFAST_SUITE;
const buildOnce = ['./tests/reporter/build-once.ts'];

/**
 * Unit tests are pure and share their workers (seven times faster than a fresh one each). The others touch disks,
 * processes and browsers: they are isolated, and browsers run two files at a time because most of their time is waiting
 * and three starve each other on two cores. Groups run one after the other for the same reason.
 */
const everyDayProjects: TestProjectConfiguration[] = [
  {
    extends: true,
    test: {
      name: 'unit',
      include: ['shared/**/*.test.{ts,tsx}', 'companion/**/*.test.{ts,tsx}', 'extension/**/*.test.{ts,tsx}'],
      isolate: false,
      testTimeout: 10_000,
      sequence: { groupOrder: 1 },
    },
  },
  {
    extends: true,
    test: {
      name: 'integration',
      include: [
        'plugins/**/*.test.ts',
        'tests/architecture/**/*.test.ts',
        'tests/contract/**/*.test.ts',
        'tests/integration/**/*.test.ts',
      ],
      globalSetup: buildOnce,
      testTimeout: 30_000,
      hookTimeout: 60_000,
      sequence: { groupOrder: 2 },
    },
  },
  {
    extends: true,
    test: {
      name: 'e2e',
      include: ['tests/e2e/**/*.test.ts'],
      globalSetup: buildOnce,
      maxWorkers: 2,
      testTimeout: 120_000,
      hookTimeout: 120_000,
      sequence: { groupOrder: 3 },
    },
  },
];

/** `npm run bench` and `npm run torture`: figures and long runs, alone on the machine, without a short deadline. */
function longSuite(name: string): TestProjectConfiguration {
  // Sweeps are in both: a few points every day, all of them here.
  const include = [`tests/${name}/**/*.test.ts`, ...(name === 'torture' ? ['tests/integration/sweep-*.test.ts'] : [])];
  return {
    extends: true,
    test: { name, include, fileParallelism: false, testTimeout: 3_600_000 },
  };
}

export default defineConfig({
  test: {
    reporters: [process.env.CI ? 'dot' : 'default', new CountReporter(process.env.HOLDFAST_TEST_COUNTS)],
    passWithNoTests: false,
    allowOnly: false,
    projects: suite ? [longSuite(suite)] : everyDayProjects,
  },
});
