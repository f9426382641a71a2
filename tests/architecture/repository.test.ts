import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { pluginManifestSchema } from '../../shared/plugin-contract/manifest.ts';
import { sourceFiles } from './source-files.ts';
import { brokenRules, fileLinesMax, isTooLong, textRules } from './text-rules.ts';

const binary = /[.](png|jpg|gif|webp|ico|woff2?|pdf|mhtml|gz|zip|sqlite3?)$/;
/** The rules' own examples, and pages of strangers kept as they are. */
const notOurs = /^(tests\/architecture\/text-rules[.]ts|tests\/fixtures\/)/;
const files = sourceFiles().filter((file) => !binary.test(file) && !notOurs.test(file));
const read = (file: string): string => readFileSync(file, 'utf8');
const readJson = (file: string): Record<string, Record<string, unknown>> => JSON.parse(read(file));

describe('text of the repository', () => {
  test('holds nothing that may not be there', () => {
    expect(files.flatMap((file) => brokenRules(file, read(file)))).toEqual([]);
  });

  test(`has no file over ${fileLinesMax} lines`, () => {
    expect(files.filter((file) => isTooLong(file, read(file)))).toEqual([]);
    expect(isTooLong('companion/planted.ts', 'line\n'.repeat(fileLinesMax + 1))).toBe(true);
  });

  test.each(textRules)('is checked for $name', ({ example, files: about, except }) => {
    const places = [
      'companion/planted.ts',
      'plugins/planted/planted.ts',
      'extension/ui/planted.ts',
      'extension/capture/page/planted.ts',
      'shared/planted.test.ts',
    ];
    const place = places.find((path) => about.test(path) && !except?.test(path));
    expect(place).toBeDefined();
    expect(brokenRules(place!, `// first line\n${example}\n`)).toHaveLength(1);
    expect(brokenRules(place!, 'export const planted = true;\n')).toEqual([]);
  });
});

describe('a plugin folder', () => {
  const plugins = readdirSync('plugins', { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && entry.name !== 'kit')
    .map((entry) => entry.name);

  test.each(plugins)('%s has a manifest, a readme and a test', (plugin) => {
    const folder = join('plugins', plugin);
    expect(pluginManifestSchema.safeParse(JSON.parse(read(join(folder, 'config.json')))).error).toBeUndefined();
    expect(read(join(folder, 'README.md')).trim().length).toBeGreaterThan(40);
    const names = readdirSync(folder);
    if (names.some((name) => name.startsWith('on_')))
      expect(names.filter((name) => name.endsWith('.test.ts'))).not.toEqual([]);
  });
});

describe('packages', () => {
  const manifest = readJson('package.json');
  const lock = readJson('package-lock.json');

  test('are locked as package.json asks for them', () => {
    const locked = (lock.packages as Record<string, Record<string, unknown>>)[''];
    expect(locked?.dependencies).toEqual(manifest.dependencies);
    expect(locked?.devDependencies).toEqual(manifest.devDependencies);
  });

  test('are locked without the address they came from', () => {
    const entries = Object.entries(lock.packages as Record<string, { resolved?: string }>);
    expect(entries.length).toBeGreaterThan(300);
    expect(entries.filter(([, entry]) => /^https?:/.test(entry.resolved ?? '')).map(([path]) => path)).toEqual([]);
  });
});

test('the top level holds only what it must', () => {
  const allowed = new Set([
    '.ci',
    '.gitignore',
    '.npmrc',
    '.oxlintrc.json',
    '.prettierignore',
    '.prettierrc',
    'CONTRIBUTING.md',
    'LICENSE',
    'README.md',
    'bootstrap.mjs',
    'companion',
    'extension',
    'knip.json',
    'package-lock.json',
    'package.json',
    'plugins',
    'shared',
    'tests',
    'tsconfig.json',
    'vitest.config.ts',
    'wxt.config.ts',
  ]);
  expect([...new Set(files.map((file) => file.split('/')[0]!))].filter((name) => !allowed.has(name))).toEqual([]);
  expect(existsSync('.ci/run')).toBe(true);
});
