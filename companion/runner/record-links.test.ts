import { expect, it } from 'vitest';
import { repairLink } from './record-links.ts';

it.each([
  ['http://a.example/x', 'http://a.example/x'],
  [' <http://a.example/x> ', 'http://a.example/x'],
  ['"http://a.example/?a=1&amp;b=2"', 'http://a.example/?a=1&b=2'],
  ['//b.example/x', 'https://b.example/x'],
  ['/x?y', 'https://base.example/x?y'],
  ['../x', 'https://base.example/x'],
  ['www.a.example/x', 'http://www.a.example/x'],
  ['http://a.example/x#part', 'http://a.example/x'],
  ['http://a.example/#/inbox', 'http://a.example/#/inbox'],
  ['http://a.example/#!inbox', 'http://a.example/#!inbox'],
  ['not an address', 'not an address'],
])('repairs %j', (text, repaired) => expect(repairLink(text, 'https://base.example/dir/page')).toBe(repaired));
