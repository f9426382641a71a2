import preact from '@preact/preset-vite';
import { defineConfig } from 'vite';

const here = import.meta.dirname;

/** The library's pages: `vite build --config companion/web/client/vite.config.ts` writes `dist/web`. */
export default defineConfig({
  root: here,
  base: '/',
  plugins: [preact({ devToolsEnabled: false, reactAliasesEnabled: false })],
  build: {
    outDir: `${here}/../../../dist/web`,
    emptyOutDir: true,
    target: 'es2022',
    // Everything comes as a file of its own: the policy of the shell allows no inline script and no data: style.
    assetsInlineLimit: 0,
    modulePreload: false,
  },
});
