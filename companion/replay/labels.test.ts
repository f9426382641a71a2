import { expect, test } from 'vitest';
import { limits } from '../../shared/limits.ts';
import { newId } from '../../shared/model/ids.ts';
import { fromBase32, toBase32 } from './base32.ts';
import { Labels } from './labels.ts';

const id = newId();
const secret = Buffer.alloc(32, 7);
const labelsAt = (now: number, key: Uint8Array = secret) => new Labels(key, () => now);

test('a label is a host name, also with the suffix of the WACZ host', () => {
  const label = labelsAt(1_790_000_000_000).make(id, 'host');
  expect(label).toMatch(/^[a-z0-9]{1,61}$/);
  expect(label).not.toContain(id.slice(0, 8));
});

test('a label opens its snapshot until it ends, also after a restart with the same secret', () => {
  const made = 1_790_000_000_000;
  const label = labelsAt(made).make(id, 'host');
  expect(labelsAt(made + limits.replayLabelMs).read(label, 'host')).toBe(id);
  expect(labelsAt(made + 2 * limits.replayLabelMs).read(label, 'host')).toBeUndefined();
});

test('a label of another secret, kind or with one letter changed opens nothing', () => {
  const now = 1_790_000_000_000;
  const label = labelsAt(now).make(id, 'host');
  expect(labelsAt(now, Buffer.alloc(32, 8)).read(label, 'host')).toBeUndefined();
  expect(labelsAt(now).read(label, 'path')).toBeUndefined();
  for (let at = 0; at < label.length; at += 1) {
    const other = label.slice(0, at) + (label[at] === 'a' ? 'b' : 'a') + label.slice(at + 1);
    expect(labelsAt(now).read(other, 'host')).toBeUndefined();
  }
  expect(labelsAt(now).read('', 'host')).toBeUndefined();
  expect(labelsAt(now).read(id.replaceAll('-', ''), 'host')).toBeUndefined();
});

test('base32 gives back every byte and takes nothing else', () => {
  for (let length = 0; length < 40; length += 1) {
    const bytes = crypto.getRandomValues(new Uint8Array(length));
    expect(fromBase32(toBase32(bytes))).toEqual(bytes);
  }
  expect(fromBase32('AB')).toBeUndefined();
  expect(fromBase32('ab1')).toBeUndefined();
  // Bits that no byte holds.
  expect(fromBase32('ab')).toBeUndefined();
});
