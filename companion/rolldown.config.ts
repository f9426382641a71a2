import { chmodSync, cpSync, existsSync, readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { defineConfig, type Plugin } from 'rolldown';

const outFolder = process.env.HOLDFAST_OUT ?? 'dist';

/** Packages are bundled because a start then takes a third of the time; these two bring a binary or many lazy files. */
const external = [/^better-sqlite3$/, /^puppeteer-core(\/|$)/, /^canvas$/];

const companionEntries = [
  ['cli', 'companion/cli/main.ts'],
  ...filesBelow('companion')
    .filter((file) => file.endsWith('-worker.ts'))
    .map((file) => [basename(file, '.ts'), file]),
];

const pluginFolders = existsSync('plugins')
  ? readdirSync('plugins').filter((name) => existsSync(join('plugins', name, 'config.json')))
  : [];

const hookEntries = pluginFolders.flatMap((plugin) =>
  readdirSync(join('plugins', plugin))
    .filter((file) => /^on_.*\.ts$/.test(file))
    .map((file) => [`${plugin}/${basename(file, '.ts')}`, join('plugins', plugin, file)]),
);

/** Scripts that a plugin runs in pages: each whole in itself, read by the hook as text. */
const pageScripts = pluginFolders.flatMap((plugin) => {
  const folder = join('plugins', plugin, 'page');
  const files = existsSync(folder) ? readdirSync(folder).filter((file) => file.endsWith('-script.ts')) : [];
  return files.map((file) => [`${plugin}/page/${basename(file, '.ts')}`, join(folder, file)] as const);
});

function filesBelow(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    return entry.isDirectory() ? filesBelow(path) : [path];
  });
}

/** A built plugin folder is what discovery reads: manifest, readme, templates and hooks that can be executed. */
function completePluginFolders(): Plugin {
  return {
    name: 'complete-plugin-folders',
    writeBundle({ dir }) {
      if (!dir) return;
      for (const plugin of pluginFolders) {
        for (const name of ['config.json', 'README.md', 'templates']) {
          const source = join('plugins', plugin, name);
          if (existsSync(source)) cpSync(source, join(dir, plugin, name), { recursive: true });
        }
      }
      for (const [name] of hookEntries) chmodSync(join(dir, `${name}.js`), 0o755);
    },
  };
}

export default defineConfig([
  {
    input: Object.fromEntries(companionEntries),
    platform: 'node',
    external,
    output: {
      dir: join(outFolder, 'companion'),
      format: 'esm',
      // Chunks lie beside the entries, so that a worker's address relative to `import.meta.url` holds in both.
      chunkFileNames: 'chunk-[name]-[hash].js',
      banner: (chunk) => (chunk.isEntry && chunk.name === 'cli' ? '#!/usr/bin/env node' : ''),
    },
    plugins: [
      {
        name: 'executable-cli',
        writeBundle: ({ dir }) => chmodSync(join(dir ?? outFolder, 'cli.js'), 0o755),
      },
    ],
  },
  ...(hookEntries.length === 0
    ? []
    : [
        {
          input: Object.fromEntries(hookEntries),
          platform: 'node' as const,
          external,
          output: {
            dir: join(outFolder, 'plugins'),
            format: 'esm' as const,
            // A folder with a leading dot is no plugin; shared code is loaded once by a warm worker.
            chunkFileNames: '.shared/[name]-[hash].js',
            banner: (chunk: { isEntry: boolean }) => (chunk.isEntry ? '#!/usr/bin/env node' : ''),
          },
          plugins: [completePluginFolders()],
        },
      ]),
  ...pageScripts.map(([name, file]) => ({
    input: { [name]: file },
    platform: 'browser' as const,
    output: { dir: join(outFolder, 'plugins'), format: 'iife' as const, entryFileNames: '[name].js' },
  })),
]);
