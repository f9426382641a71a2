/**
 * The architecture as data: which folder may import which, and which folder alone may know a technology. Everything
 * not listed is forbidden. A file belongs to the deepest listed folder above it; `shared/` may be imported by all
 * except where a line says otherwise.
 */
export interface Layer {
  /** Files directly in `companion/` are the layer `companion`: its subfolders have lines of their own. */
  folder: string;
  /** Folders or files, beside the layer itself and `shared`. */
  mayImport: readonly string[];
  /** Narrower than the whole of `shared/`. */
  mayImportOfShared?: readonly string[];
}

const everyCompanionFolder = ['config', 'log'].map((name) => `companion/${name}`);

export const layers: readonly Layer[] = [
  { folder: 'shared', mayImport: [] },

  { folder: 'extension/entrypoints', mayImport: ['extension'] },
  { folder: 'extension/capture', mayImport: ['extension/platform'] },
  { folder: 'extension/outbox', mayImport: ['extension/companion-client', 'extension/platform'] },
  { folder: 'extension/companion-client', mayImport: ['extension/platform'] },
  { folder: 'extension/messaging', mayImport: ['extension/platform'] },
  { folder: 'extension/settings', mayImport: ['extension/platform'] },
  { folder: 'extension/ui', mayImport: ['extension/messaging', 'extension/settings'] },
  { folder: 'extension/platform', mayImport: [] },

  { folder: 'companion', mayImport: ['companion'] },
  { folder: 'companion/cli', mayImport: ['companion'] },
  { folder: 'companion/config', mayImport: [] },
  { folder: 'companion/log', mayImport: ['companion/config'] },
  { folder: 'companion/lifecycle', mayImport: [] },
  { folder: 'companion/collection', mayImport: ['companion/lifecycle', 'companion/log'] },
  { folder: 'companion/auth', mayImport: ['companion/collection', ...everyCompanionFolder] },
  { folder: 'companion/uploads', mayImport: ['companion/collection', ...everyCompanionFolder] },
  { folder: 'companion/search', mayImport: ['companion/collection', ...everyCompanionFolder] },
  {
    folder: 'companion/http',
    mayImport: [
      'companion/auth',
      'companion/uploads',
      'companion/search',
      'companion/collection',
      'companion/replay',
      'companion/plugin-registry',
      'companion/import',
      'companion/export',
      'companion/web/serve.ts',
      ...everyCompanionFolder,
    ],
  },
  { folder: 'companion/replay', mayImport: ['companion/collection', ...everyCompanionFolder] },
  { folder: 'companion/web', mayImport: [...everyCompanionFolder] },
  { folder: 'companion/web/client', mayImport: [] },
  { folder: 'companion/process', mayImport: [...everyCompanionFolder] },
  { folder: 'companion/egress', mayImport: [] },
  { folder: 'companion/browser', mayImport: ['companion/process', 'companion/egress', ...everyCompanionFolder] },
  { folder: 'companion/plugin-registry', mayImport: [...everyCompanionFolder] },
  {
    folder: 'companion/runner',
    mayImport: [
      'companion/collection',
      'companion/lifecycle',
      'companion/plugin-registry',
      'companion/process',
      'companion/browser',
      'companion/egress',
      'companion/search',
      'companion/import',
      ...everyCompanionFolder,
    ],
  },
  { folder: 'companion/import', mayImport: ['companion/collection', ...everyCompanionFolder] },
  { folder: 'companion/export', mayImport: ['companion/collection', ...everyCompanionFolder] },

  {
    folder: 'plugins/kit',
    mayImport: [],
    mayImportOfShared: ['shared/plugin-contract', 'shared/digest'],
  },
];

/** A technology and the only folders that may know it. */
export interface Owner {
  name: string;
  /** Regular expressions over module names as they are imported. */
  modules: readonly string[];
  folders: readonly string[];
  why: string;
}

export const owners: readonly Owner[] = [
  {
    name: 'hono',
    modules: ['^hono($|/)', '^@hono/'],
    folders: ['companion/http'],
    why: 'everything else answers with values and HoldfastErrors, whatever the transport',
  },
  {
    name: 'sqlite',
    modules: ['^better-sqlite3$', '^kysely($|/)'],
    folders: ['companion/collection', 'companion/search'],
    why: 'rows change only in the transactions of companion/collection/records; search owns its own file',
  },
  {
    name: 'spawning',
    modules: ['^execa$', '^(node:)?child_process$'],
    folders: ['companion/process', 'plugins'],
    why: 'process groups, deadlines and caps are decided in one place; a hook may start its own extractor',
  },
  {
    name: 'extension-apis',
    modules: ['^webextension-polyfill$', '^wxt/browser', '^@wxt-dev/browser'],
    folders: ['extension/platform'],
    why: 'differences between browsers are known in one folder',
  },
  {
    name: 'headless-browser',
    modules: ['^puppeteer-core($|/)', '^puppeteer$'],
    folders: ['companion/browser', 'plugins'],
    why: 'one pool owns the browser, hooks borrow it',
  },
  {
    name: 'outbound',
    modules: ['^undici$', '^(node:)?(tls|dns)(/promises)?$'],
    folders: ['companion/egress', 'companion/cli/doctor', 'plugins/kit'],
    // Hooks fetch through the kit, which uses the proxy; doctor asks where our own name leads.
    why: 'every outbound connection of an extractor passes the address rules',
  },
];
