/** The tus reference server with its file store, for comparison: as it comes, without digest and sync. */
import http from 'node:http';
import { FileStore } from '@tus/file-store';
import { Server } from '@tus/server';

const tus = new Server({ path: '/files', datastore: new FileStore({ directory: process.argv[2] }) });
const server = http.createServer((request, response) => void tus.handle(request, response));
server.listen(0, '127.0.0.1', () => process.stdout.write(`${server.address().port}\n`));
