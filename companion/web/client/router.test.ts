import { afterAll, beforeAll, expect, test, vi } from 'vitest';

// The module reads the address bar when it loads; a bare one stands in for the browser's.
beforeAll(() => vi.stubGlobal('location', new URL('http://holdfast.localhost:8745/')));
afterAll(() => vi.unstubAllGlobals());

async function page(address: string) {
  const { pageOf } = await import('./router.ts');
  const url = new URL(address, 'http://holdfast.localhost:8745');
  return pageOf({ path: url.pathname, query: url.search, hash: url.hash });
}

test.each([
  ['/', { name: 'library' }],
  ['/?search=kelp', { name: 'library' }],
  ['/login#ABCD', { name: 'login' }],
  ['/pairing', { name: 'pairing' }],
  ['/snapshot/01890f3e-0000-7000-8000-000000000001', { name: 'snapshot', id: '01890f3e-0000-7000-8000-000000000001' }],
  ['/web/https://example.org/a/b?c=d#e', { name: 'web', url: 'https://example.org/a/b?c=d#e' }],
  ['/web/https:/example.org/', { name: 'web', url: 'https://example.org/' }],
  ['/web/https%3A%2F%2Fexample.org%2F%3Fq%3D1', { name: 'web', url: 'https://example.org/?q=1' }],
  ['/web/https%3A%zz', { name: 'web', url: 'https%3A%zz' }],
  ['/compare/01890f3e/01890f3f', { name: 'compare', ids: ['01890f3e', '01890f3f'] }],
  ['/compare/01890f3e', { name: 'unknown' }],
  ['/admin', { name: 'unknown' }],
  ['/snapshot/', { name: 'unknown' }],
])('%s leads to %o', async (address, expected) => {
  expect(await page(address)).toEqual(expected);
});
