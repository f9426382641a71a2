import { parentPort } from 'node:worker_threads';
import { PNG } from 'pngjs';
import { scaleDown } from './scale-down.ts';
import type { ThumbnailReply, ThumbnailRequest } from './thumbnail-thread.ts';

/** Decodes, scales and encodes in a thread of its own: a tenth of a second that uploads need not wait for. */
function makeThumbnail(request: ThumbnailRequest): ThumbnailReply {
  try {
    const picture = PNG.sync.read(Buffer.from(request.png));
    const width = Math.min(request.widthMax, picture.width);
    const small = scaleDown(picture, width, Math.max(1, Math.round((picture.height * width) / picture.width)));
    const png = new PNG({ width: small.width, height: small.height });
    png.data = Buffer.from(small.data);
    return { id: request.id, png: PNG.sync.write(png, { colorType: 2, deflateLevel: 9 }) };
  } catch (error) {
    // Bytes of strangers: a picture that cannot be decoded is an answer.
    return { id: request.id, reason: error instanceof Error ? error.message : String(error) };
  }
}

parentPort?.on('message', (request: ThumbnailRequest) => parentPort?.postMessage(makeThumbnail(request)));
