/** The tus reference server as in `tus.mjs`, but each chunk is synced before it is answered, as Holdfast does. */
import fsp from 'node:fs/promises';
import http from 'node:http';
import path from 'node:path';
import { FileStore } from '@tus/file-store';
import { Server } from '@tus/server';

class SyncedStore extends FileStore {
  async write(readable, id, offset) {
    const received = await super.write(readable, id, offset);
    const handle = await fsp.open(path.join(this.directory, id), 'r+');
    await handle.datasync();
    await handle.close();
    return received;
  }
}

const tus = new Server({ path: '/files', datastore: new SyncedStore({ directory: process.argv[2] }) });
const server = http.createServer((request, response) => void tus.handle(request, response));
server.listen(0, '127.0.0.1', () => process.stdout.write(`${server.address().port}\n`));
