import { layers, owners, type Layer } from './layer-table.ts';

/** A rule in dependency-cruiser's own words, and a small tree that breaks it. */
export interface LayerRule {
  name: string;
  comment: string;
  severity: 'error';
  from: Record<string, unknown>;
  to: Record<string, unknown>;
}

export interface Plant {
  rule: string;
  /** Files to write, path to source; the first one breaks the rule. */
  files: Record<string, string>;
}

const ours = ['shared', 'extension', 'companion', 'plugins', 'tests'];
const testFile = '[.]test[.]tsx?$';
/** Tools that run before or beside the product, not in it. */
const buildFile = '[.]config[.]ts$';

function inside(paths: readonly string[]): string {
  return `^(${paths.map((path) => (path.endsWith('.ts') ? `${escape(path)}$` : `${escape(path)}/`)).join('|')})`;
}

function escape(path: string): string {
  return path.replaceAll('.', '[.]');
}

function deeperLayers(layer: Layer): string[] {
  return layers.map(({ folder }) => folder).filter((folder) => folder.startsWith(`${layer.folder}/`));
}

function layerRule(layer: Layer): LayerRule {
  const apart = deeperLayers(layer);
  const exceptions = [testFile, buildFile, ...(apart.length > 0 ? [inside(apart)] : [])];
  const allowed = [layer.folder, ...layer.mayImport, ...(layer.mayImportOfShared ?? ['shared'])];
  return {
    name: `layer ${layer.folder}`,
    comment: `may import: ${allowed.slice(1).join(', ')}`,
    severity: 'error',
    from: { path: inside([layer.folder]), pathNot: exceptions },
    to: { path: inside(ours), pathNot: inside(allowed) },
  };
}

function ownerRules(): LayerRule[] {
  return owners.map(({ name, modules, folders, why }) => ({
    name: `owner of ${name}`,
    comment: `only ${folders.join(', ')}: ${why}`,
    severity: 'error',
    from: { path: inside(ours), pathNot: [inside([...folders, 'tests']), testFile, buildFile] },
    // A package is named by the folder it resolves to, a built-in of Node by its name.
    to: { path: modules.map((module) => module.replace('^', '(^|node_modules/)').replace(/\$$/, '($|/)')) },
  }));
}

const generalRules: readonly LayerRule[] = [
  {
    name: 'plugin on its own',
    comment: 'a plugin is a stranger: it knows plugins/kit, itself and its packages',
    severity: 'error',
    from: { path: '^plugins/([^/]+)/', pathNot: ['^plugins/kit/', testFile] },
    to: { path: inside(ours), pathNot: '^plugins/(kit|$1)/' },
  },
  {
    name: 'nothing imports tests',
    comment: 'tests are not part of the product',
    severity: 'error',
    from: { path: inside(ours), pathNot: ['^tests/', testFile] },
    to: { path: ['^tests/', testFile] },
  },
  {
    name: 'no node where browsers are',
    comment: 'shared speaks to both sides; the extension and the web client run in a browser',
    severity: 'error',
    from: { path: '^(shared|extension|companion/web/client)/', pathNot: [testFile, buildFile] },
    to: { dependencyTypes: ['core'] },
  },
  {
    name: 'shared knows only zod',
    comment: 'whatever shared imports lands in every part',
    severity: 'error',
    from: { path: '^shared/', pathNot: testFile },
    to: { path: 'node_modules/', pathNot: 'node_modules/zod/' },
  },
  {
    name: 'no cycles',
    comment: 'modules that need each other are one module',
    severity: 'error',
    from: {},
    to: { circular: true },
  },
  {
    name: 'nothing unresolved',
    comment: 'an import that is not followed is not checked either',
    severity: 'error',
    from: {},
    to: { couldNotResolve: true },
  },
];

export const layerRules: readonly LayerRule[] = [...layers.map(layerRule), ...ownerRules(), ...generalRules];

/** One violation per rule. Planted files import each other by the paths given here. */
export function plants(): Plant[] {
  return [...layers.map(plantForLayer), ...owners.map(plantForOwner), ...generalPlants];
}

function plantForLayer(layer: Layer): Plant {
  const allowed = [layer.folder, ...layer.mayImport];
  const forbidden = [...layers.map(({ folder }) => folder), 'shared/planted']
    .filter((folder) => folder !== 'shared')
    .find((folder) => !allowed.some((path) => `${folder}/`.startsWith(`${path}/`)));
  if (!forbidden) throw new Error(`${layer.folder} may import everything: its line says nothing`);
  const target = `${forbidden}/planted-target.ts`;
  return {
    rule: `layer ${layer.folder}`,
    files: {
      [`${layer.folder}/planted-layer.ts`]: `import '${relativeTo(layer.folder, target)}';\n`,
      [target]: 'export const planted = true;\n',
    },
  };
}

function relativeTo(folder: string, path: string): string {
  return `${folder
    .split('/')
    .map(() => '..')
    .join('/')}/${path}`;
}

const ownedExamples: Record<string, string> = {
  hono: 'hono',
  sqlite: 'better-sqlite3',
  spawning: 'node:child_process',
  'extension-apis': 'webextension-polyfill',
  'headless-browser': 'puppeteer-core',
  outbound: 'undici',
};

function plantForOwner({ name }: { name: string }): Plant {
  const example = ownedExamples[name];
  if (!example) throw new Error(`no planted example for ${name}`);
  return { rule: `owner of ${name}`, files: { [`companion/lifecycle/planted-${name}.ts`]: `import '${example}';\n` } };
}

const generalPlants: readonly Plant[] = [
  {
    rule: 'plugin on its own',
    files: {
      'plugins/planted/on_Snapshot__1_planted.ts': "import '../planted-other/planted-target.ts';\n",
      'plugins/planted-other/planted-target.ts': 'export const planted = true;\n',
    },
  },
  {
    rule: 'nothing imports tests',
    files: {
      'companion/cli/planted-tests.ts': "import '../../tests/helpers/planted-target.ts';\n",
      'tests/helpers/planted-target.ts': 'export const planted = true;\n',
    },
  },
  { rule: 'no node where browsers are', files: { 'shared/planted-node.ts': "import 'node:fs';\n" } },
  { rule: 'shared knows only zod', files: { 'shared/planted-package.ts': "import 'idb';\n" } },
  {
    rule: 'no cycles',
    files: {
      'companion/log/planted-one.ts': "import './planted-two.ts';\n",
      'companion/log/planted-two.ts': "import './planted-one.ts';\n",
    },
  },
  { rule: 'nothing unresolved', files: { 'companion/log/planted-nowhere.ts': "import './nowhere.ts';\n" } },
];
