import { keyText, type UploadEntry, type UploadKey } from './upload-entry.ts';

/** All uploads under way, in memory; rebuilt from the folders at start. */
export class UploadIndex {
  private readonly byKey = new Map<string, UploadEntry>();
  private readonly byResult = new Map<string, Set<UploadEntry>>();

  find(key: UploadKey): UploadEntry | undefined {
    return this.byKey.get(keyText(key));
  }

  add(entry: UploadEntry): void {
    this.byKey.set(keyText(entry.key), entry);
    const siblings = this.byResult.get(entry.key.resultId) ?? new Set();
    this.byResult.set(entry.key.resultId, siblings.add(entry));
  }

  remove(entry: UploadEntry): void {
    entry.gone = true;
    this.byKey.delete(keyText(entry.key));
    const siblings = this.byResult.get(entry.key.resultId);
    siblings?.delete(entry);
    if (siblings?.size === 0) this.byResult.delete(entry.key.resultId);
  }

  ofResult(resultId: string): UploadEntry[] {
    return [...(this.byResult.get(resultId) ?? [])];
  }

  all(): UploadEntry[] {
    return [...this.byKey.values()];
  }

  /** Bytes that uploads to this snapshot will add when they are complete. */
  announcedBytes(snapshotId: string): number {
    let bytes = 0;
    for (const entry of this.byKey.values()) if (entry.snapshotId === snapshotId) bytes += entry.key.total;
    return bytes;
  }
}
