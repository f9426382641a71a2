import busboy from 'busboy';
import type { Readable } from 'node:stream';
import { HoldfastError } from '../../../shared/errors/holdfast-error.ts';
import { limits } from '../../../shared/limits.ts';
import { bodyTooLarge, type UploadLimits } from '../../uploads/room.ts';
import { FormFields } from './form-fields.ts';

export interface FilePart {
  /** As the client says it, without folders. */
  filename: string;
  /** As the client says it. */
  declaredType: string;
  bytes: Readable;
}

/** More fields than two per file are no form of ours. */
const fieldsMax = 2 * limits.filesPerResultMax + 100;

/**
 * Reads a multipart body as it streams in. `onFile` gets each file with the fields that came before it, one after the
 * other, and must take its bytes; when it fails, or the connection breaks off, reading ends and nothing is destroyed
 * that the answer still needs.
 */
export async function readMultipart(
  bytes: Readable,
  contentType: string,
  allowed: UploadLimits,
  onFile: (file: FilePart, before: FormFields) => Promise<void>,
): Promise<FormFields> {
  const fields = new FormFields();
  const parser = makeParser(contentType);
  let files = Promise.resolve();
  let size = 0;
  try {
    await new Promise<void>((resolve, reject) => {
      const fail = (error: unknown): void => reject(error instanceof Error ? error : new Error(String(error)));
      parser.on('field', (name, value, info) =>
        info.valueTruncated ? fail(longField(name)) : fields.add(name, value),
      );
      parser.on('fieldsLimit', () => fail(new HoldfastError('bad_request', `A form may have ${fieldsMax} fields.`)));
      parser.on('file', (name, file, info) => {
        // An abandoned file fails with its form; whoever reads it hears of that by another listener.
        file.on('error', () => undefined);
        if (name !== 'files' && name !== 'file') return void file.resume();
        const part = { filename: info.filename ?? '', declaredType: info.mimeType ?? '', bytes: file };
        files = files.then(() => onFile(part, fields));
        files.catch(fail);
      });
      parser.on('error', (error) => fail(notMultipart(error)));
      parser.on('close', resolve);
      bytes.on('data', (chunk: Buffer) => {
        size += chunk.length;
        if (size > allowed.bodyBytesMax) fail(bodyTooLarge(allowed));
      });
      bytes.on('error', () => parser.destroy());
      bytes.on('close', () => (bytes.readableEnded ? undefined : parser.destroy()));
      bytes.pipe(parser);
    });
  } finally {
    bytes.unpipe(parser);
    bytes.pause();
    parser.destroy();
    // A file whose connection broke off still has its synced bytes noted.
    await files.catch(() => undefined);
  }
  await files;
  return fields;
}

function makeParser(contentType: string): busboy.Busboy {
  try {
    const sizes = { fieldSize: limits.jsonBodyBytesMax, fieldNameSize: 200, fields: fieldsMax };
    return busboy({ headers: { 'content-type': contentType }, defParamCharset: 'utf8', limits: sizes });
  } catch (error) {
    throw notMultipart(error);
  }
}

function notMultipart(cause: unknown): HoldfastError {
  return new HoldfastError('bad_request', 'The body is no complete multipart form; send it again.', { cause });
}

function longField(name: string): HoldfastError {
  return new HoldfastError('too_large', `The field ${name} is longer than ${limits.jsonBodyBytesMax} bytes.`);
}
