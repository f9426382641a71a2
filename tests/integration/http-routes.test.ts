import { expect, it } from 'vitest';
import { routes } from '../../shared/protocol/routes.ts';
import { temporaryFolder } from '../helpers/temporary-folder.ts';
import { startUploadServer } from '../helpers/upload-server.ts';

interface Described {
  paths: Record<string, Record<string, { summary?: string; responses?: Record<string, { content?: object }> }>>;
}

it('every route is described, with the shape of its answer, and nothing else is', async () => {
  const server = await startUploadServer(temporaryFolder());
  const answered = server.routes
    .filter(({ method, path }) => method !== 'ALL' && path.startsWith('/api') && !path.endsWith('/openapi.json'))
    .map(({ method, path }) => `${method} ${path.replace(/:(\w+)/g, '{$1}').replace('/*', '/{path}')}`);
  const { paths } = (await server.request(`${routes.base}/openapi.json`)).json() as Described;
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ name: `${method.toUpperCase()} ${path}`, operation })),
  );
  expect([...new Set(answered)].sort()).toEqual(operations.map(({ name }) => name).sort());
  expect(operations.length).toBeGreaterThan(25);
  const bare = operations.filter(({ operation }) => {
    const { summary, responses = {} } = operation;
    return !summary || !responses['200']?.content || !responses['default']?.content;
  });
  expect(bare.map(({ name }) => name)).toEqual([]);
});
