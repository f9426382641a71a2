/**
 * The bare work of an upload, for comparison: node:http, the body piped into a file, one digest over everything, every
 * chunk synced before it is answered.
 */
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import fsp from 'node:fs/promises';
import http from 'node:http';
import path from 'node:path';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';

const folder = process.argv[2];
let upload;

async function receive(request) {
  const query = new URL(request.url, 'http://localhost').searchParams;
  const offset = Number(query.get('offset'));
  const total = Number(query.get('total'));
  if (offset === 0)
    upload = { handle: await fsp.open(path.join(folder, 'part'), 'w'), hash: createHash('sha256'), received: 0 };
  const { handle, hash } = upload;
  const hashing = new Transform({
    transform(chunk, _encoding, done) {
      hash.update(chunk);
      upload.received += chunk.length;
      done(null, chunk);
    },
  });
  await pipeline(request, hashing, fs.createWriteStream('', { fd: handle.fd, start: offset, autoClose: false }));
  await handle.datasync();
  if (upload.received < total) return '';
  await handle.close();
  await fsp.rename(path.join(folder, 'part'), path.join(folder, 'whole'));
  const directory = await fsp.open(folder, 'r');
  await directory.sync();
  await directory.close();
  return hash.digest('hex');
}

const server = http.createServer((request, response) => {
  receive(request).then(
    (digest) => response.end(digest),
    (error) => response.writeHead(500).end(String(error)),
  );
});
server.listen(0, '127.0.0.1', () => process.stdout.write(`${server.address().port}\n`));
