import type { Readable } from 'node:stream';
import path from 'node:path';
import { HoldfastError } from '../../../shared/errors/holdfast-error.ts';
import {
  chunkFieldsSchema,
  resultChangesSchema,
  type ChunkFields,
  type ResultChangesRequest,
} from '../../../shared/protocol/result-fields.ts';
import { checkOutputPath } from '../../collection/layout.ts';
import type { ArchiveResultRow } from '../../collection/records/tables.ts';
import type { ChunkCount, ChunkUpload } from '../../uploads/chunk-upload.ts';
import type { FileBatch, NamedFile, StagedFile } from '../../uploads/file-batch.ts';
import { checkBodySize } from '../../uploads/room.ts';
import type { UploadTarget } from '../../uploads/targets.ts';
import type { WireChanges } from '../../uploads/upload-record.ts';
import type { Uploads } from '../../uploads/uploads.ts';
import { parseFields, type FormFields } from './form-fields.ts';
import { readMultipart, type FilePart } from './read-multipart.ts';

export interface Form {
  bytes: Readable;
  contentType: string;
  /** Announced length of the body in bytes, 0 when unknown. */
  length: number;
  /** Names the token or session. */
  token: string;
  signal: AbortSignal;
  /** Finds the result once its fields are known; undefined while they are not. Called again after all fields. */
  target: (fields: FormFields, complete: boolean) => Promise<UploadTarget | undefined>;
  /** Status of a request that names none. */
  defaultStatus: 'succeeded' | undefined;
}

/** What a form did: the row afterwards, or only changes without files. */
export interface FormOutcome {
  target: UploadTarget;
  result: ArchiveResultRow;
  changes: ResultChangesRequest;
  chunk?: { path: string; received: number; complete: boolean; count: ChunkCount };
  /** No file came; the caller merges the changes. */
  withoutFiles: boolean;
}

interface ReceivedFile {
  staged: StagedFile;
  part: Omit<FilePart, 'bytes'>;
}

/** Takes a multipart request of the reference: one chunk, or whole files that become visible together. */
export async function receiveForm(uploads: Uploads, form: Form): Promise<FormOutcome> {
  return new FormReceiver(uploads, form).receive();
}

class FormReceiver {
  private readonly uploads: Uploads;
  private readonly form: Form;
  private readonly batch: FileBatch;
  private readonly files: ReceivedFile[] = [];
  private chunk: { upload: ChunkUpload; target: UploadTarget; declaredType: string } | undefined;

  constructor(uploads: Uploads, form: Form) {
    this.uploads = uploads;
    this.form = form;
    this.batch = uploads.batch();
  }

  async receive(): Promise<FormOutcome> {
    const { form, uploads } = this;
    checkBodySize(form.length, uploads.limits);
    try {
      const fields = await readMultipart(form.bytes, form.contentType, uploads.limits, (file, before) =>
        this.takeFile(file, before),
      );
      const target = this.chunk?.target ?? (await form.target(fields, true));
      if (!target) throw new HoldfastError('bad_request', 'The form does not say which result it belongs to.');
      const changes = parseFields(resultChangesSchema, fields.toObject());
      changes.status ??= form.defaultStatus;
      if (fields.has('chunk_output_path')) return await this.finishChunk(target, fields, changes);
      if (this.files.length === 0) return { target, result: target.result, changes, withoutFiles: true };
      const named = this.files.map((file, index) => nameFile(file, index, fields));
      refuseTwins(named);
      const result = await this.batch.finish(target, named, toWireChanges(changes));
      return { target, result, changes, withoutFiles: false };
    } finally {
      await this.chunk?.upload.close();
      await this.batch.close();
    }
  }

  /** Streams a chunk to its place when its fields came first, as they should; everything else is staged. */
  private async takeFile(file: FilePart, before: FormFields): Promise<void> {
    if (this.files.length > 0 && before.has('chunk_output_path')) throw oneFile();
    const target =
      before.has('chunk_total_size') && before.has('chunk_output_path')
        ? await this.form.target(before, false)
        : undefined;
    if (target) return this.takeChunk(target, file, before);
    if (this.chunk) throw oneFile();
    const staged = await this.batch.add(file.bytes, this.form.length, this.form.signal);
    this.files.push({ staged, part: { filename: file.filename, declaredType: file.declaredType } });
  }

  private async takeChunk(target: UploadTarget, file: FilePart, before: FormFields): Promise<void> {
    if (this.chunk) throw oneFile();
    const fields = parseFields(chunkFieldsSchema, before.toObject());
    const upload = await this.uploads.begin(target, {
      resultId: target.result.id,
      path: checkOutputPath(fields.chunk_output_path),
      total: fields.chunk_total_size,
      token: this.form.token,
    });
    const declaredType = before.list('mime_types', 'mime_type')[0] ?? file.declaredType;
    this.chunk = { upload, target, declaredType };
    await upload.receive(file.bytes, {
      offset: fields.chunk_offset,
      chunkDigest: fields.chunk_sha256,
      clientDigest: fields.sha256,
      declaredType,
    });
  }

  private async finishChunk(
    target: UploadTarget,
    form: FormFields,
    changes: ResultChangesRequest,
  ): Promise<FormOutcome> {
    const fields = parseFields(chunkFieldsSchema, form.toObject());
    const late = this.files[0];
    if (this.files.length + (this.chunk ? 1 : 0) !== 1) throw oneFile();
    if (late) await this.takeChunk(target, { ...late.part, bytes: this.batch.read(late.staged) }, form);
    const upload = this.chunk!.upload;
    const count = { index: fields.chunk_index, count: fields.chunk_count };
    const digests = { chunkDigest: fields.chunk_sha256, clientDigest: fields.sha256 };
    const outcome = await upload.finish(digests, toWireChanges(changes), count);
    if (!outcome.complete && count.index + 1 === count.count) refuseShort(fields, outcome.received);
    const chunk = {
      path: checkOutputPath(fields.chunk_output_path),
      received: outcome.received,
      complete: outcome.complete,
      count,
    };
    return { target, result: outcome.result, changes, chunk, withoutFiles: false };
  }
}

export function toWireChanges(changes: ResultChangesRequest): WireChanges {
  const { status, output_str: outputStr, output_json: outputJson, error } = changes;
  return { status, outputStr, outputJson, error: error ?? (status === 'succeeded' ? null : undefined) };
}

function nameFile(file: ReceivedFile, index: number, fields: FormFields): NamedFile {
  const given = fields.list('output_paths', 'output_path')[index];
  const declaredType = fields.list('mime_types', 'mime_type')[index] ?? file.part.declaredType;
  const name = given === undefined || given === '' ? path.posix.basename(file.part.filename) : given;
  return { staged: file.staged, path: checkOutputPath(name), declaredType };
}

/** Two files of one request at one path, or one inside the other, cannot both be kept. */
function refuseTwins(files: readonly NamedFile[]): void {
  const paths = new Set<string>();
  for (const file of files) {
    if (paths.has(file.path))
      throw new HoldfastError('invalid_path', `Two files of this request are called ${JSON.stringify(file.path)}.`);
    paths.add(file.path);
  }
  for (const name of paths) {
    const parts = name.split('/');
    const folder = parts.map((_part, index) => parts.slice(0, index).join('/')).find((parent) => paths.has(parent));
    if (folder === undefined) continue;
    throw new HoldfastError(
      'invalid_path',
      `${JSON.stringify(name)} and ${JSON.stringify(folder)} cannot both be files.`,
    );
  }
}

function refuseShort(fields: ChunkFields, received: number): void {
  const sentence = `This was the last chunk, but only ${received} of ${fields.chunk_total_size} bytes have arrived.`;
  throw new HoldfastError('conflict', sentence, { details: { received } });
}

function oneFile(): HoldfastError {
  return new HoldfastError('bad_request', 'A chunk is exactly one file.');
}
