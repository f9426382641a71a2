import { join } from 'node:path';
import preact from '@preact/preset-vite';
import { defineConfig } from 'wxt';
import type { UserManifest } from 'wxt';

/** Tests cannot answer a permission prompt, so their build asks for everything at install. */
const testPermissions = process.env.HOLDFAST_TEST_PERMISSIONS === '1';

/** Public half of a key that was thrown away: it fixes the Chromium id to ofggjbfdkbapbihmgfppmpbgcakgggkl. */
const key =
  'MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEAzf2hclykY27wA6sEPwkfuEws32o4Q2Bomm+hk3G2/DKivkEgdo7ZhUYtBiPQlGmF/ZF736b+vbzCRcj4O+p2XvwgGI8DZL7l8wWaN+gIRp5YQlvrThQ5/PaFaYNUEJ0P2Pa8IoXAPx+EkzzMxrcpI6TTbFsZeO94O+ddKlUG8TWwSx0FkmIxFzSC75+SUuLilYJMxzdhNDmpfDLrnw/mXmqbecTqEbAELwuxjyE6XLeUvdi4sE5kDCXIfPMCZJqaytKCioXEg4H/atb+PdFShY/0nwGqZPH59sE/o1sbynWrLdgLjLZOYYWzNzvL7XiU9EUoMaLvNo1MU8mYA+AATQIDAQAB';

/** Where a companion may listen. Firefox knows no match pattern for `[::1]`. */
const companionHosts = ['http://127.0.0.1/*', 'http://localhost/*'];
const companionHostsChromium = [...companionHosts, 'http://[::1]/*'];

/** Asked for in the first-run page and at the moment of need. `notifications` only tells of failures. */
const optionalPermissions = ['webNavigation', 'notifications'];
const optionalPermissionsChromium = [...optionalPermissions, 'pageCapture'];

function manifest(browser: string): UserManifest {
  const firefox = browser === 'firefox';
  const required = ['activeTab', 'scripting', 'storage', 'unlimitedStorage', 'contextMenus', 'alarms'];
  const optional = firefox ? optionalPermissions : optionalPermissionsChromium;
  const hosts = firefox ? companionHosts : companionHostsChromium;
  return {
    name: 'Holdfast',
    description: 'Keeps the page you see, as you see it, on your own disk.',
    permissions: testPermissions ? [...required, ...optional] : required,
    host_permissions: testPermissions ? [...hosts, '<all_urls>'] : hosts,
    ...(testPermissions ? {} : { optional_permissions: optional, optional_host_permissions: ['<all_urls>'] }),
    // What is looked at in a private window is never written anywhere.
    incognito: 'not_allowed',
    // The incremental digest is WebAssembly.
    content_security_policy: { extension_pages: "script-src 'self' 'wasm-unsafe-eval'; object-src 'self'" },
    commands: {
      'keep-page': {
        suggested_key: { default: 'Alt+Shift+S' },
        description: 'Keep this page',
      },
    },
    action: { default_title: 'Keep this page' },
    icons: { 16: 'icon-16.png', 32: 'icon-32.png', 48: 'icon-48.png', 128: 'icon-128.png' },
    ...(firefox
      ? {
          browser_specific_settings: {
            gecko: {
              id: 'holdfast@holdfast.localhost',
              strict_min_version: '128.0',
              data_collection_permissions: { required: ['none'] },
            },
          },
        }
      : { key, minimum_chrome_version: '120' }),
  } as UserManifest;
}

export default defineConfig({
  srcDir: 'extension',
  publicDir: 'extension/public',
  outDir: join(process.env.HOLDFAST_OUT ?? 'dist', 'extension'),
  outDirTemplate: `{{browser}}-mv{{manifestVersion}}${testPermissions ? '-test' : ''}`,
  manifestVersion: 3,
  imports: false,
  manifest: ({ browser }) => manifest(browser),
  vite: () => ({ plugins: [preact({ devToolsEnabled: false, prefreshEnabled: false })], build: { target: 'es2022' } }),
});
