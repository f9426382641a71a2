import { newId } from '../../../shared/model/ids.ts';

/** The columns every new row starts with. */
export function newRow(
  now: number,
  id: string = newId(now),
): { id: string; created_at: number; modified_at: number; revision: number } {
  return { id, created_at: now, modified_at: now, revision: 1 };
}

export function parseObject(json: string | null): Record<string, unknown> {
  if (json === null) return {};
  const value: unknown = JSON.parse(json);
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {};
}

export function parseStringList(json: string): string[] {
  const value: unknown = JSON.parse(json);
  return Array.isArray(value) ? value.filter((item): item is string => typeof item === 'string') : [];
}

export function isoTime(ms: number): string {
  return new Date(ms).toISOString();
}

export function isoTimeOrNull(ms: number | null): string | null {
  return ms === null ? null : isoTime(ms);
}
