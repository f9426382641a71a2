import { expect, test } from 'vitest';
import { isUnchanged, requestedRange } from './byte-range.ts';
import { attachmentDisposition, servedType } from './served-type.ts';

test.each([
  ['text/html', 'a.html', 'page', 'text/html; charset=utf-8', false],
  ['application/xhtml+xml', 'a', 'page', 'application/xhtml+xml; charset=utf-8', false],
  ['image/svg+xml', 'a.svg', 'picture', 'image/svg+xml', false],
  ['image/png', 'screenshot.png', 'picture', 'image/png', false],
  ['application/pdf', 'output.pdf', 'pdf', 'application/pdf', false],
  ['application/json', 'facts.json', 'text', 'text/plain; charset=utf-8', false],
  ['application/xml', 'feed', 'text', 'text/plain; charset=utf-8', false],
  ['text/x-anything', 'a', 'text', 'text/plain; charset=utf-8', false],
  ['multipart/related', 'snapshot.mhtml', 'file', 'application/octet-stream', true],
  ['text/plain', 'snapshot.mhtml', 'file', 'application/octet-stream', true],
  ['application/x-shockwave-flash', 'a.swf', 'file', 'application/octet-stream', true],
  ['text/html; charset="x', 'a', 'page', 'text/html; charset=utf-8', false],
  ['', 'a', 'file', 'application/octet-stream', true],
])('%s named %s is %s, served as %s', (mimetype, path, kind, contentType, attachment) => {
  expect(servedType(mimetype, path)).toMatchObject({ kind, contentType, attachment });
});

test('a download is named after its path without breaking the header', () => {
  expect(attachmentDisposition('deep/na"me\r\n (1).bin')).toBe(
    `attachment; filename="na_me____1_.bin"; filename*=UTF-8''na%22me%0D%0A%20%281%29.bin`,
  );
});

test.each([
  ['bytes=0-9', { start: 0, end: 9 }],
  ['bytes=90-', { start: 90, end: 99 }],
  ['bytes=90-500', { start: 90, end: 99 }],
  ['bytes=-10', { start: 90, end: 99 }],
  ['bytes=-500', { start: 0, end: 99 }],
  ['bytes=100-', 'unsatisfiable'],
  ['bytes=-0', 'unsatisfiable'],
  ['bytes=5-4', undefined],
  ['bytes=-', undefined],
  ['bytes=0-1,3-4', undefined],
  ['lines=0-1', undefined],
])('of 100 bytes %s asks for %o', (range, expected) => {
  expect(requestedRange(new Headers({ Range: range }), 100, '"e"')).toEqual(expected);
});

test('a range of bytes that changed meanwhile is not honoured', () => {
  expect(requestedRange(new Headers({ Range: 'bytes=0-1', 'If-Range': '"old"' }), 100, '"e"')).toBeUndefined();
  expect(requestedRange(new Headers({ Range: 'bytes=0-1', 'If-Range': '"e"' }), 100, '"e"')).toEqual({
    start: 0,
    end: 1,
  });
});

test('a client that has the bytes is told so', () => {
  expect(isUnchanged(new Headers({ 'If-None-Match': '"a", W/"e"' }), '"e"')).toBe(true);
  expect(isUnchanged(new Headers({ 'If-None-Match': '"a"' }), '"e"')).toBe(false);
  expect(isUnchanged(new Headers(), '"e"')).toBe(false);
});
