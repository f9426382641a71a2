import path from 'node:path';
import type { ArchiveResultRecord } from '../../../shared/model/api-records.ts';
import { finalResultStatuses } from '../../../shared/model/states.ts';
import type { ResultChangesRequest } from '../../../shared/protocol/result-fields.ts';
import type { PendingFile } from '../../uploads/uploads.ts';

type OutputFile = ArchiveResultRecord['output_files'][string];

/** Shows files under way beside the recorded ones; a recorded file stays shown until the new one is complete. */
export function withPendingFiles(record: ArchiveResultRecord, pending: readonly PendingFile[]): ArchiveResultRecord {
  const files: Record<string, OutputFile> = { ...record.output_files };
  for (const file of pending) files[file.path] ??= pendingFile(file);
  return withFiles(record, files);
}

/**
 * The merged view that an intermediate chunk is answered with (reference 1.4): what the row would say if the request
 * were written down, although nothing is.
 */
export function withChunk(
  record: ArchiveResultRecord,
  changes: ResultChangesRequest,
  pending: PendingFile | undefined,
  count: { index: number; count: number } | undefined,
): ArchiveResultRecord {
  const final = finalResultStatuses.includes(record.status);
  const status =
    changes.status === undefined || (final && changes.status === 'started') ? record.status : changes.status;
  const merged = {
    ...record,
    status,
    output_str: changes.output_str ?? record.output_str,
    output_json: changes.output_json ?? record.output_json,
  };
  return pending ? withFiles(merged, { ...record.output_files, [pending.path]: pendingFile(pending, count) }) : merged;
}

function pendingFile(
  file: PendingFile,
  count = { index: Math.max(0, file.chunks - 1), count: file.chunks },
): OutputFile {
  return {
    extension: path.posix.extname(file.path).slice(1).toLowerCase(),
    mimetype: file.declaredType || 'application/octet-stream',
    size: file.received,
    upload: {
      chunked: true,
      chunk_index: count.index,
      chunk_count: count.count,
      chunks_received: file.chunks,
      complete: false,
      received: file.received,
    },
  };
}

function withFiles(record: ArchiveResultRecord, files: Record<string, OutputFile>): ArchiveResultRecord {
  return {
    ...record,
    output_files: files,
    output_size: Object.values(files).reduce((sum, file) => sum + file.size, 0),
  };
}
