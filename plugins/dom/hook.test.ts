import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { type BrowserBench, browserBench, hookBench, openPage } from '../../tests/helpers/hook-bench.ts';
import { startSite, type TestSite } from '../../tests/helpers/site.ts';

vi.setConfig({ testTimeout: 90_000, hookTimeout: 90_000 });

const hook = 'dom/on_Snapshot__53_dom';

let site: TestSite;
let browser: BrowserBench;
beforeAll(async () => {
  site = await startSite();
  browser = await browserBench();
});
afterAll(async () => {
  await browser.close();
  await site.stop();
});

it('keeps the document after its scripts with open, closed and nested shadow roots', async () => {
  const bench = hookBench(await browser.online());
  const { tab } = await openPage(bench, site.a('/shadow.html'), {});
  const { process, record } = await bench.run(hook, site.a('/shadow.html'));
  await tab.end();
  expect([process.exitCode, record?.output_str]).toEqual([0, 'output.html']);
  const html = bench.read('dom/output.html');
  expect(html).toMatch(/^<!DOCTYPE html>\n<html lang="en">/);
  expect(html).toMatch(/<closed-room><template shadowrootmode="closed"[^>]*><p>The closed room is blue/);
  expect(html).toContain('A closed room inside the open one');
  expect(html.trimEnd()).toMatch(/<\/html>$/);
});

it('fails in one sentence without a page', async () => {
  const { process, record } = await hookBench(await browser.online()).run(hook, site.a('/'));
  expect([process.exitCode, record?.output_str]).toEqual([1, expect.stringContaining('was not opened in the browser')]);
});
