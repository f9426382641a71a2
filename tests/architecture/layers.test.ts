import { readdirSync } from 'node:fs';
import { cp, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import ts from 'typescript';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { cruisedFolders, cruiseTree, type CruiseReport } from './cruise.ts';
import { layerRules, plants } from './layer-rules.ts';
import { layers } from './layer-table.ts';
import { sourceFiles } from './source-files.ts';

/**
 * One check over a copy of the tree in which every rule is broken once: what it finds beside the planted violations is
 * broken in the tree itself.
 */
const files = sourceFiles().filter((file) => cruisedFolders.includes(file.split('/')[0]!));
const planted = plants();
const plantedFiles = new Map(planted.flatMap((plant) => Object.entries(plant.files)));
let copy: string;
let report: CruiseReport;

beforeAll(async () => {
  copy = await mkdtemp(join(tmpdir(), 'holdfast-planted-'));
  const write = async (path: string, put: (target: string) => Promise<void>): Promise<void> => {
    await mkdir(dirname(join(copy, path)), { recursive: true });
    await put(join(copy, path));
  };
  for (const path of [...files, 'package.json', 'tsconfig.json']) await write(path, (target) => cp(path, target));
  for (const [path, source] of plantedFiles) await write(path, (target) => writeFile(target, source));
  await symlink(resolve('node_modules'), join(copy, 'node_modules'));
  report = await cruiseTree(copy);
}, 240_000);

afterAll(() => rm(copy, { recursive: true, force: true }));

describe('the tree', () => {
  test('breaks no rule', () => {
    const broken = report.violations.filter(({ from }) => !plantedFiles.has(from));
    expect(broken.map(({ rule, from, to }) => `${from} -> ${to} (${rule})`)).toEqual([]);
  });

  test('was read whole: a check over nothing passes too', () => {
    const expected = files.filter((file) => /\.tsx?$/.test(file) && !file.startsWith('tests/fixtures/'));
    const seen = new Set(report.modules);
    expect(expected.length).toBeGreaterThan(300);
    expect(expected.filter((file) => !seen.has(file))).toEqual([]);
  });

  test('has no folder that the table does not name', () => {
    const named = new Set(layers.map(({ folder }) => folder));
    const folders = ['companion', 'extension'].flatMap((top) =>
      readdirSync(top, { withFileTypes: true })
        .filter((entry) => entry.isDirectory())
        .map((entry) => `${top}/${entry.name}`),
    );
    expect(folders.filter((folder) => !named.has(folder) && folder !== 'extension/public')).toEqual([]);
  });

  test('is read by a TypeScript that the layer check understands', () => {
    expect(Number(ts.versionMajorMinor.split('.')[0])).toBeLessThan(7);
  });
});

describe('a planted violation', () => {
  test('exists for every rule', () => {
    expect(planted.map(({ rule }) => rule).sort()).toEqual(layerRules.map(({ name }) => name).sort());
  });

  test.each(planted)('of $rule is caught', ({ rule, files: culprits }) => {
    const culprit = Object.keys(culprits)[0]!;
    expect(report.violations.filter(({ from }) => from === culprit).map((violation) => violation.rule)).toContain(rule);
  });
});
