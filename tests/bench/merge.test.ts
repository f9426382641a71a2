import { expect, it } from 'vitest';
import { findResult, outputsOfResults } from '../../companion/collection/records/results.ts';
import { findSnapshot } from '../../companion/collection/records/snapshots.ts';
import { temporaryFolder } from '../helpers/temporary-folder.ts';
import { announceResult, chunkAddress, startUploadServer } from '../helpers/upload-server.ts';

const writers = 32;
const filesEach = 20;

it('32 writers complete outputs of one result at the same time and no update is lost', async () => {
  const server = await startUploadServer(temporaryFolder('merge'));
  const { snapshotId, resultId } = await announceResult(server.collection, server.request);
  const headers = { 'content-type': 'application/octet-stream' };
  const startedAt = performance.now();
  await Promise.all(
    Array.from({ length: writers }, async (_value, writer) => {
      for (let number = 0; number < filesEach; number += 1) {
        const body = Buffer.from(`file ${number} of writer ${writer}`);
        const query = { path: `${writer}/${number}.txt`, offset: 0, total: body.length, status: 'started' };
        const answer = await server.request(chunkAddress(resultId, query), { method: 'PATCH', headers, body });
        expect(answer.status, answer.body.toString()).toBe(200);
      }
    }),
  );
  const seconds = (performance.now() - startedAt) / 1000;
  const { db } = server.collection;
  const outputs = outputsOfResults(db, [resultId]).get(resultId)!;
  const lost = writers * filesEach - outputs.length;
  const size = outputs.reduce((sum, output) => sum + output.size, 0);
  process.stdout.write(
    `merge: ${writers} writers, ${((writers * filesEach) / seconds).toFixed(0)} outputs a second, lost updates ${lost}\n`,
  );
  expect(lost).toBe(0);
  expect(findSnapshot(db, snapshotId)).toMatchObject({ output_size: size, inputs_revision: writers * filesEach });
  expect(findResult(db, resultId)!.status).toBe('started');
});
