import { describe, expect, it } from 'vitest';
import { chunkFieldsSchema, rawChunkQuerySchema, resultChangesSchema, toResultStatus } from './result-fields.ts';

describe('toResultStatus', () => {
  it.each([
    ['succeeded', 'succeeded'],
    ['success', 'succeeded'],
    [' Succeded ', 'succeeded'],
    ['queued', 'started'],
    ['paused', 'started'],
    ['backoff', 'started'],
    ['started', 'started'],
    ['noresults', 'noresults'],
    ['skipped', 'skipped'],
    ['exploded', 'failed'],
    ['', 'failed'],
  ])('%j is %s', (text, status) => {
    expect(toResultStatus(text)).toBe(status);
  });
});

describe('fields of a result', () => {
  it('takes output_json as text and as an object, and nothing else', () => {
    expect(resultChangesSchema.parse({ output_json: '{"a":1}' }).output_json).toEqual({ a: 1 });
    expect(resultChangesSchema.parse({ output_json: { a: 1 } }).output_json).toEqual({ a: 1 });
    for (const wrong of ['[1]', '1', '{', 'null'])
      expect(resultChangesSchema.safeParse({ output_json: wrong }).success).toBe(false);
  });

  it('refuses chunk numbers that are none, or do not fit each other', () => {
    const good = {
      chunk_output_path: 'a',
      chunk_index: '0',
      chunk_count: '2',
      chunk_offset: '0',
      chunk_total_size: '10',
    };
    expect(chunkFieldsSchema.parse(good)).toMatchObject({ chunk_index: 0, chunk_total_size: 10 });
    for (const wrong of [
      { chunk_index: '-1' },
      { chunk_index: '2' },
      { chunk_count: '0' },
      { chunk_offset: '11' },
      { chunk_total_size: 'x' },
    ]) {
      expect(chunkFieldsSchema.safeParse({ ...good, ...wrong }).success).toBe(false);
    }
  });

  it('reads digests with and without their prefix', () => {
    const hex = 'A'.repeat(64);
    expect(rawChunkQuerySchema.parse({ path: 'a', sha256: hex }).sha256).toBe(`sha256:${'a'.repeat(64)}`);
    expect(rawChunkQuerySchema.safeParse({ path: 'a', sha256: 'abc' }).success).toBe(false);
  });
});
