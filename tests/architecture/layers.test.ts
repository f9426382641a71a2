import { existsSync, readdirSync } from 'node:fs';
import { cp, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import ts from 'typescript';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { cruisedFolders, cruiseTree, type CruiseReport } from './cruise.ts';
import { layerRules, plants } from './layer-rules.ts';
import { layers } from './layer-table.ts';
import { sourceFiles } from './source-files.ts';

const root = resolve('.');

describe('the tree', () => {
  const expected = sourceFiles().filter((file) => /\.tsx?$/.test(file) && !file.startsWith('tests/fixtures/'));
  let report: CruiseReport;
  beforeAll(async () => {
    report = await cruiseTree(root);
  });

  test('breaks no rule', () => {
    expect(report.violations.map(({ rule, from, to }) => `${from} -> ${to} (${rule})`)).toEqual([]);
  });

  test('was read whole: a check over nothing passes too', () => {
    const seen = new Set(report.modules);
    expect(expected.length).toBeGreaterThan(100);
    expect(expected.filter((file) => cruisedFolders.includes(file.split('/')[0]!) && !seen.has(file))).toEqual([]);
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
  const planted = plants();
  let copy: string;
  let report: CruiseReport;

  beforeAll(async () => {
    copy = await mkdtemp(join(tmpdir(), 'holdfast-planted-'));
    for (const name of [...cruisedFolders, 'package.json', 'tsconfig.json'].filter((path) => existsSync(path))) {
      await cp(name, join(copy, name), { recursive: true });
    }
    await symlink(join(root, 'node_modules'), join(copy, 'node_modules'));
    for (const [path, source] of planted.flatMap(({ files }) => Object.entries(files))) {
      await mkdir(dirname(join(copy, path)), { recursive: true });
      await writeFile(join(copy, path), source);
    }
    report = await cruiseTree(copy);
  });
  afterAll(() => rm(copy, { recursive: true, force: true }));

  test('exists for every rule', () => {
    expect(planted.map(({ rule }) => rule).sort()).toEqual(layerRules.map(({ name }) => name).sort());
  });

  test.each(planted)('of $rule is caught', ({ rule, files }) => {
    const culprit = Object.keys(files)[0]!;
    expect(report.violations.filter(({ from }) => from === culprit).map((violation) => violation.rule)).toContain(rule);
  });
});
