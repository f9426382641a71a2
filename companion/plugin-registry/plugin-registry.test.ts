import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { resolveHookConfig } from './hook-config.ts';
import { buildHookEnvironment, type HookEnvironmentRequest } from './hook-environment.ts';
import { loadCatalogue } from './load-catalogue.ts';
import { type PlanRequest, planHooks } from './plan-hooks.ts';
import type { Catalogue } from './plugin.ts';

const root = mkdtempSync(join(tmpdir(), 'holdfast-registry-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));

function plugin(folder: string, name: string, manifest: unknown, hooks: Record<string, string> = {}): void {
  const path = join(root, folder, name);
  mkdirSync(path, { recursive: true });
  writeFileSync(join(path, 'config.json'), typeof manifest === 'string' ? manifest : JSON.stringify(manifest));
  for (const [file, text] of Object.entries(hooks)) {
    writeFileSync(join(path, file), text);
    chmodSync(join(path, file), 0o755);
  }
}

const enabled = (name: string, value: boolean) => ({ [`${name}_ENABLED`]: { type: 'boolean', default: value } });
const node = '#!/usr/bin/env node\n';

let catalogue: Catalogue;
beforeAll(async () => {
  plugin(
    'good',
    'chrome',
    { properties: enabled('CHROME', true) },
    {
      'on_Snapshot__30_chrome_navigate.js': node,
      'on_Snapshot__01_chrome_tab.daemon.bg.js': node,
      'on_CrawlSetup__90_chrome_launch.daemon.bg.js': node,
    },
  );
  plugin(
    'good',
    'headers',
    { required_plugins: ['chrome'], properties: enabled('HEADERS', true) },
    {
      'on_Snapshot__27_headers.daemon.bg.py': '#!/usr/bin/env -S abxpkg run --script python3\n',
    },
  );
  plugin(
    'good',
    'singlefile',
    { required_plugins: ['chrome'], properties: {} },
    { 'on_Snapshot__50_singlefile.js': node },
  );
  plugin(
    'good',
    'pdf',
    { 'x-derives': true, required_plugins: ['chrome'], properties: enabled('PDF', true) },
    {
      'on_Snapshot__52_pdf.js': node,
    },
  );
  plugin(
    'good',
    'title',
    {
      'x-derives': true,
      'x-aliases': ['page-title'],
      properties: {
        TITLE_TIMEOUT: { type: 'integer', default: 30, 'x-fallback': 'TIMEOUT' },
        TITLE_WORDS: { type: 'array', default: [], 'x-aliases': ['OLD_WORDS'] },
        TITLE_TOKEN: { type: 'string', default: 'hush' },
      },
    },
    { 'on_Snapshot__54_title.sh': '#!/bin/sh\n' },
  );
  plugin('good', 'media', { properties: enabled('MEDIA', false) }, { 'on_Snapshot__31_media.finite.bg.js': node });
  catalogue = await loadCatalogue([join(root, 'good'), join(root, 'missing')]);
});

function plan(request: Partial<PlanRequest> & { layer?: Record<string, unknown> } = {}) {
  const config = resolveHookConfig(catalogue, [request.layer ?? {}]);
  const planned = planHooks(catalogue, {
    event: 'Snapshot',
    source: 'companion',
    onWeb: true,
    fetch: false,
    config,
    ...request,
  });
  return planned.map(
    (hook) => `${hook.hookName}: ${hook.action === 'skip' ? hook.reason : hook.network ? 'network' : 'offline'}`,
  );
}

describe('loadCatalogue', () => {
  it('orders hooks by number and name and knows background ones and launchers', () => {
    const chrome = catalogue.plugins.get('chrome');
    expect(chrome?.hooks.map(({ hookName, background }) => [hookName, background])).toEqual([
      ['on_Snapshot__01_chrome_tab.daemon.bg', true],
      ['on_Snapshot__30_chrome_navigate', false],
      ['on_CrawlSetup__90_chrome_launch.daemon.bg', true],
    ]);
    expect(chrome?.hooks[0]?.command[0]).toBe(process.execPath);
    expect(catalogue.plugins.get('headers')?.hooks[0]?.command[0]).toBe('python3');
    expect(catalogue.plugins.get('title')?.hooks[0]?.command).toHaveLength(1);
    expect(catalogue.problems).toEqual([]);
  });

  it('reports what is broken with file and reason and loads the rest', async () => {
    plugin('broken', 'nojson', '{ "title": ');
    plugin('broken', 'wrong', { category: 'nonsense' });
    plugin('broken', 'fine', {}, { 'on_Snapshot__10_fine.js': node, 'on_Snapshot__11_plain.js': node });
    chmodSync(join(root, 'broken/fine/on_Snapshot__11_plain.js'), 0o644);
    plugin('broken', 'a', { required_plugins: ['b'] });
    plugin('broken', 'b', { required_plugins: ['a'] });
    plugin('broken', 'c', { required_plugins: ['a'] });
    const loaded = await loadCatalogue([join(root, 'broken')]);
    expect([...loaded.plugins.keys()]).toEqual(['fine']);
    expect(loaded.plugins.get('fine')?.hooks.map(({ hookName }) => hookName)).toEqual(['on_Snapshot__10_fine']);
    const reasons = loaded.problems.map(({ file, reason }) => `${file.slice(root.length)}: ${reason}`).join('\n');
    expect(reasons).toContain('/broken/nojson/config.json: it is no JSON');
    expect(reasons).toContain('/broken/wrong/config.json: category:');
    expect(reasons).toContain('/broken/a/config.json: its required plugins form a circle: a needs b needs a');
    expect(reasons).toContain('/broken/c/config.json: its required plugins form a circle: c needs a');
    expect(reasons).toContain('on_Snapshot__11_plain.js: it is not executable');
  });

  it('lets a later folder replace a plugin, visibly', async () => {
    plugin('mine', 'title', { title: 'My title' });
    const loaded = await loadCatalogue([join(root, 'good'), join(root, 'mine')]);
    expect(loaded.plugins.get('title')).toMatchObject({
      folder: join(root, 'mine/title'),
      replaces: join(root, 'good/title'),
      manifest: { title: 'My title' },
    });
  });
});

describe('planHooks', () => {
  it('runs every enabled plugin in order when the companion fetches', () => {
    expect(plan()).toEqual([
      'on_Snapshot__01_chrome_tab.daemon.bg: network',
      'on_Snapshot__27_headers.daemon.bg: network',
      'on_Snapshot__30_chrome_navigate: network',
      'on_Snapshot__50_singlefile: network',
      'on_Snapshot__52_pdf: network',
      'on_Snapshot__54_title: network',
    ]);
    expect(plan({ event: 'CrawlSetup' })).toEqual(['on_CrawlSetup__90_chrome_launch.daemon.bg: network']);
  });

  it('never lets the network near a page that only the browser can see, whatever is asked', () => {
    for (const wish of [{ fetch: true }, { requested: ['singlefile', 'headers'] }]) {
      const reasons = plan({ source: 'browser', onWeb: false, ...wish }).map((line) => line.split(': ')[1]);
      expect(reasons).not.toContain('network');
      expect(reasons).toContain('only your browser can see this page');
    }
  });

  it('runs only what works from the copy for a page from the browser, with the network refused', () => {
    expect(plan({ source: 'browser', delivered: ['singlefile'] })).toEqual([
      'on_Snapshot__01_chrome_tab.daemon.bg: would use the network',
      'on_Snapshot__27_headers.daemon.bg: would use the network',
      'on_Snapshot__30_chrome_navigate: would use the network',
      'on_Snapshot__50_singlefile: delivered by your browser',
      'on_Snapshot__52_pdf: offline',
      'on_Snapshot__54_title: offline',
    ]);
  });

  it('uses the network for a page from the browser when told to, or for plugins asked for by name', () => {
    expect(plan({ source: 'browser', fetch: true, delivered: ['singlefile'] })).toEqual([
      'on_Snapshot__01_chrome_tab.daemon.bg: network',
      'on_Snapshot__27_headers.daemon.bg: network',
      'on_Snapshot__30_chrome_navigate: network',
      'on_Snapshot__50_singlefile: delivered by your browser',
      'on_Snapshot__52_pdf: network',
      'on_Snapshot__54_title: network',
    ]);
    expect(plan({ source: 'browser', requested: ['headers'] })).toEqual([
      'on_Snapshot__01_chrome_tab.daemon.bg: network',
      'on_Snapshot__27_headers.daemon.bg: network',
      'on_Snapshot__30_chrome_navigate: network',
    ]);
    expect(plan({ source: 'browser', requested: ['page-title', 'pdf'] })).toEqual([
      'on_Snapshot__52_pdf: offline',
      'on_Snapshot__54_title: offline',
    ]);
  });

  it('takes the frozen PLUGINS of the crawl and what they need', () => {
    expect(plan({ layer: { PLUGINS: 'headers' } })).toHaveLength(3);
  });

  it('takes the frozen PLUGINS of the crawl for a choice, not for a wish to fetch what the browser delivered', () => {
    const layer = { PLUGINS: 'headers,singlefile,title' };
    expect(plan({ source: 'browser', delivered: ['singlefile'], layer })).toEqual([
      'on_Snapshot__27_headers.daemon.bg: would use the network',
      'on_Snapshot__50_singlefile: delivered by your browser',
      'on_Snapshot__54_title: offline',
    ]);
    expect(plan({ source: 'browser', requested: ['headers'], layer })).toContain(
      'on_Snapshot__27_headers.daemon.bg: network',
    );
  });

  it('never overrules a plugin that is switched off', () => {
    const lines = plan({ requested: ['headers', 'media'], layer: { CHROME_ENABLED: 'false' } });
    expect(lines).toEqual([
      'on_Snapshot__01_chrome_tab.daemon.bg: CHROME_ENABLED=False',
      'on_Snapshot__27_headers.daemon.bg: needs the plugin chrome, which is switched off (CHROME_ENABLED=False)',
      'on_Snapshot__30_chrome_navigate: CHROME_ENABLED=False',
      'on_Snapshot__31_media.finite.bg: MEDIA_ENABLED=False',
    ]);
  });

  it('refuses an unknown name and lists the known ones', () => {
    expect(() => plan({ requested: ['titel'] })).toThrow(
      'There is no plugin titel; choose from chrome, headers, media, pdf, singlefile, title.',
    );
  });
});

describe('configuration of hooks', () => {
  it('goes from default over file and environment to explicit, with old names and fallbacks', () => {
    const resolve = (...layers: Record<string, unknown>[]) => resolveHookConfig(catalogue, layers);
    expect(resolve()).toMatchObject({ TIMEOUT: 60, TITLE_TIMEOUT: 60, MEDIA_ENABLED: false });
    expect(resolve({ TIMEOUT: '90' })).toMatchObject({ TITLE_TIMEOUT: 90 });
    expect(resolve({ TITLE_TIMEOUT: 5 }, { TITLE_TIMEOUT: '7' })).toMatchObject({ TITLE_TIMEOUT: 7 });
    expect(resolve({ OLD_WORDS: 'a, b' })).toMatchObject({ TITLE_WORDS: ['a', 'b'] });
    expect(resolve({ MEDIA_ENABLED: 'yes' })).toMatchObject({ MEDIA_ENABLED: true });
  });

  it('reaches hooks as text, secrets only those that declare them', () => {
    const request: HookEnvironmentRequest = {
      plugin: 'title',
      config: resolveHookConfig(catalogue, [{ OLD_WORDS: 'a' }]),
      snapDir: '/r/s',
      crawlDir: '/r/c',
      dataDir: '/d',
      personasDir: '/d/personas',
      persona: 'Default',
      libDir: '/d/cache/lib',
      nodeModulesDir: '/n',
      homeDir: '/r/home',
      path: '/bin',
      extraContext: { snapshot_id: 'x', snapshot_depth: 1 },
      source: 'browser',
      proxyEnvironment: { http_proxy: 'http://127.0.0.1:1' },
    };
    const environment = buildHookEnvironment(catalogue, request);
    expect(environment).toMatchObject({
      SNAP_DIR: '/r/s',
      EXTRA_CONTEXT: '{"snapshot_id":"x","snapshot_depth":1}',
      TIMEOUT: '60',
      CHROME_ENABLED: 'True',
      MEDIA_ENABLED: 'False',
      TITLE_WORDS: '["a"]',
      TITLE_TOKEN: 'hush',
      SNAPSHOT_SOURCE: 'browser',
      http_proxy: 'http://127.0.0.1:1',
    });
    expect(environment).not.toHaveProperty('CHROME_CDP_URL');
    expect(buildHookEnvironment(catalogue, { ...request, plugin: 'pdf' })).not.toHaveProperty('TITLE_TOKEN');
  });
});
