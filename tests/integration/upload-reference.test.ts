import { randomBytes } from 'node:crypto';
import http from 'node:http';
import { describe, expect, it } from 'vitest';
import { sendRequest } from '../helpers/companion.ts';
import { temporaryFolder } from '../helpers/temporary-folder.ts';
import { formBody, startUploadServer, type UploadServer } from '../helpers/upload-server.ts';

// The published client of the reference, request by request (reference 2.7).
const CHUNK = 32 * 1024 * 1024;
const PAGE = 'https://example.org/article';

interface Client {
  json: (method: string, path: string, body: unknown) => ReturnType<UploadServer['request']>;
  form: (method: string, path: string, body: ReturnType<typeof formBody>) => ReturnType<UploadServer['request']>;
}

function clientOf(server: UploadServer): Client {
  const both = { 'x-archivebox-api-key': server.token };
  return {
    json: (method, path, body) =>
      server.request(path, {
        method,
        headers: { ...both, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      }),
    form: (method, path, { body, headers }) => server.request(path, { method, headers: { ...both, ...headers }, body }),
  };
}

async function announce(
  client: Client,
  server: UploadServer,
): Promise<{ resultId: string; snapshotId: string; facts: Record<string, unknown> }> {
  expect((await server.request('/api/')).status).toBe(200);
  const added = (
    await client.json('POST', '/api/v1/cli/add', { urls: [PAGE], tag: 'one,two', depth: 0, update: true })
  ).json();
  expect(added).toMatchObject({ success: true, errors: [] });
  expect(added.result.crawl_id).toMatch(/^[0-9a-f-]{36}$/);
  expect(added.result.queued_urls).toContain(PAGE);
  const body = { url: PAGE, crawl_id: added.result.crawl_id, title: 'An article', tags: ['one', 'two'], depth: 0 };
  const snapshot = (await client.json('POST', '/api/v1/core/snapshots', body)).json();
  const facts = {
    source: 'archivebox-browser-extension',
    snapshot_title: 'An article',
    snapshot_url: PAGE,
    snapshot_tags: ['one', 'two'],
    snapshot_depth: 0,
    opfs_directory: 'snapshots/20261201/example.org/x/chrome_extension_singlefile',
    opfs_file_count: 1,
    capture: { path: 'singlefile.html', captured_at: '2026-12-01T10:00:00.000Z' },
  };
  const fields = {
    snapshot_id: snapshot.id as string,
    plugin: 'chrome_extension_singlefile',
    status: 'started',
    output_json: JSON.stringify(facts),
  };
  const empty = await client.form('POST', '/api/v1/core/archiveresults', formBody(fields));
  expect(empty.status, empty.body.toString()).toBe(200);
  expect(empty.json()).toMatchObject({
    status: 'started',
    snapshot_id: snapshot.id,
    output_files: {},
    output_json: facts,
  });
  return { resultId: empty.json().id as string, snapshotId: snapshot.id as string, facts };
}

async function sendChunked(
  client: Client,
  resultId: string,
  bytes: Buffer,
  facts: Record<string, unknown>,
  stopAfter = Infinity,
) {
  const count = Math.ceil(bytes.length / CHUNK);
  let answer;
  for (let index = 0; index < Math.min(count, stopAfter); index += 1) {
    const last = index + 1 === count;
    const fields = {
      output_path: 'singlefile.html',
      mime_type: 'text/html',
      chunk_output_path: 'singlefile.html',
      chunk_index: String(index),
      chunk_count: String(count),
      chunk_offset: String(index * CHUNK),
      chunk_total_size: String(bytes.length),
      status: last ? 'succeeded' : 'started',
      output_json: JSON.stringify({ ...facts, upload_strategy: 'chunked', chunk_size: CHUNK, chunk_count: count }),
    };
    const filename = `singlefile.html.part-${String(index).padStart(6, '0')}`;
    const part = bytes.subarray(index * CHUNK, (index + 1) * CHUNK);
    answer = await client.form(
      'PATCH',
      `/api/v1/core/archiveresult/${resultId}`,
      formBody(fields, [{ filename, type: 'text/html', bytes: part }]),
    );
    if (answer.status !== 200) return answer;
    if (!last) {
      expect(answer.json()).toMatchObject({
        status: 'started',
        output_json: { upload_strategy: 'chunked', chunk_count: count },
      });
      expect(answer.json().output_files['singlefile.html'].upload).toMatchObject({
        chunk_index: index,
        chunk_count: count,
        complete: false,
      });
    }
  }
  return answer!;
}

describe('the published client of the reference', () => {
  it('saves a page of one small file', async () => {
    const server = await startUploadServer(temporaryFolder());
    const client = clientOf(server);
    const { resultId, facts } = await announce(client, server);
    const bytes = Buffer.from('<!doctype html><title>An article</title>');
    const fields = {
      output_paths: 'singlefile.html',
      mime_types: 'text/html',
      status: 'succeeded',
      output_json: JSON.stringify(facts),
    };
    const sent = await client.form(
      'PATCH',
      `/api/v1/core/archiveresult/${resultId}`,
      formBody(fields, [{ filename: 'singlefile.html', bytes }]),
    );
    expect(sent.json()).toMatchObject({
      id: resultId,
      status: 'succeeded',
      output_str: 'singlefile.html',
      output_files: { 'singlefile.html': { size: bytes.length, mimetype: 'text/html', extension: 'html' } },
    });
    expect(sent.json().output_files['singlefile.html'].upload).toBeUndefined();
  });

  it(
    'saves a large one in chunks of 32 MiB, restarting at 0 with another capture of the same size',
    { timeout: 60_000 },
    async () => {
      const server = await startUploadServer(temporaryFolder());
      const client = clientOf(server);
      const { resultId, facts } = await announce(client, server);
      const first = randomBytes(CHUNK + 8 * 1024 * 1024);
      const second = Buffer.from(first);
      second.fill(7, CHUNK - 1_000);
      expect((await sendChunked(client, resultId, first, facts, 1)).status).toBe(200);
      const done = await sendChunked(client, resultId, second, facts);
      expect(done.status, done.body.toString()).toBe(200);
      expect(done.json()).toMatchObject({
        id: resultId,
        status: 'succeeded',
        output_json: { upload_strategy: 'chunked' },
      });
      expect(done.json().output_files['singlefile.html']).toMatchObject({
        size: second.length,
        upload: { complete: true, chunk_count: 2 },
      });
      const back = await server.request(`/api/v1/core/archiveresult/${resultId}/file/singlefile.html`);
      expect(back.body.equals(second)).toBe(true);
    },
  );

  it(
    'that breaks off at 40 of 100 MB and comes back with another capture ends with that one',
    { timeout: 60_000 },
    async () => {
      const server = await startUploadServer(temporaryFolder());
      const client = clientOf(server);
      const { resultId, facts } = await announce(client, server);
      const first = randomBytes(100_000_000);
      const second = randomBytes(first.length);
      await sendChunked(client, resultId, first, facts, 1);
      await breakOff(server, resultId, first, 40_000_000);
      const done = await sendChunked(client, resultId, second, facts);
      expect(done.status, done.body.toString()).toBe(200);
      const back = await server.request(`/api/v1/core/archiveresult/${resultId}/file/singlefile.html`);
      expect(back.body.equals(second)).toBe(true);
    },
  );

  it('waits for a snapshot that is not there yet', async () => {
    const server = await startUploadServer(temporaryFolder());
    const client = clientOf(server);
    const id = '01900000-0000-7000-8000-000000000001';
    const announcing = formBody({ snapshot_id: id, plugin: 'chrome_extension_mhtml', status: 'started' });
    expect((await client.form('POST', '/api/v1/core/archiveresults', announcing)).status).toBe(404);
    await client.json('POST', '/api/v1/core/snapshots', { id, url: PAGE });
    expect((await client.form('POST', '/api/v1/core/archiveresults', announcing)).status).toBe(200);
  });

  it('is told what the reference tells it', async () => {
    const server = await startUploadServer(temporaryFolder());
    const client = clientOf(server);
    const missing = await client.form(
      'POST',
      '/api/v1/core/archiveresults',
      formBody({ snapshot_id: '01900000-0000-7000-8000-000000000000', plugin: 'x', status: 'started' }),
    );
    expect(missing.status).toBe(404);
    expect(missing.json().detail).toContain('no snapshot');
    const { resultId } = await announce(client, server);
    expect((await client.form('PATCH', `/api/v1/core/archiveresult/${resultId}`, formBody({}))).status).toBe(400);
    expect((await client.json('POST', '/api/v1/auth/check_api_token', { token: server.token })).json()).toMatchObject({
      success: true,
    });
    expect((await sendRequest(server.port, `/api/v1/core/archiveresult/${resultId}`)).status).toBe(401);
    const shown = (await client.json('GET', `/api/v1/core/archiveresult/${resultId}`, undefined)).json();
    expect(shown).toMatchObject({
      status: 'started',
      hook_name: 'on_Snapshot__archivebox_browser_extension_upload',
      snapshot_tags: ['one', 'two'],
    });
  });

  it('may send its chunk fields behind the file', async () => {
    const server = await startUploadServer(temporaryFolder());
    const client = clientOf(server);
    const { resultId } = await announce(client, server);
    const fields = {
      chunk_output_path: 'a.html',
      chunk_index: '0',
      chunk_count: '1',
      chunk_offset: '0',
      chunk_total_size: '5',
      status: 'succeeded',
    };
    const { body, headers } = formBody(fields, [{ filename: 'a.part', bytes: Buffer.from('bytes') }]);
    const boundary = '------holdfast-test-boundary';
    const parts = body.toString('latin1').split(`${boundary}\r\n`).slice(1);
    const turned = [parts.at(-1)!.replace(`${boundary}--\r\n`, ''), ...parts.slice(0, -1)]
      .map((part) => `${boundary}\r\n${part}`)
      .join('');
    const sent = await server.request(`/api/v1/core/archiveresult/${resultId}`, {
      method: 'PATCH',
      headers,
      body: Buffer.from(`${turned}${boundary}--\r\n`, 'latin1'),
    });
    expect(sent.status, sent.body.toString()).toBe(200);
    expect(sent.json().output_files['a.html']).toMatchObject({ size: 5, upload: { complete: true } });
  });
});

/** Sends the second chunk of the file up to byte `end` and closes the connection in the middle of the form. */
async function breakOff(server: UploadServer, resultId: string, bytes: Buffer, end: number): Promise<void> {
  const fields = {
    chunk_output_path: 'singlefile.html',
    chunk_index: '1',
    chunk_count: String(Math.ceil(bytes.length / CHUNK)),
    chunk_offset: String(CHUNK),
    chunk_total_size: String(bytes.length),
    status: 'started',
  };
  const { body, headers } = formBody(fields, [
    { filename: 'singlefile.html.part-000001', bytes: bytes.subarray(CHUNK, 2 * CHUNK) },
  ]);
  const request = http.request({
    host: '127.0.0.1',
    port: server.port,
    path: `/api/v1/core/archiveresult/${resultId}`,
    method: 'PATCH',
    headers: { ...headers, authorization: `Bearer ${server.token}`, 'content-length': body.length },
    agent: false,
  });
  const gone = new Promise<void>((resolve) => request.on('error', () => resolve()));
  request.write(body.subarray(0, end - CHUNK), () => request.destroy(new Error('the browser was closed')));
  await gone;
}
