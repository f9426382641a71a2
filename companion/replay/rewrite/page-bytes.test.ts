import { expect, test } from 'vitest';
import { PageBytes } from './page-bytes.ts';

const context = { documentUrl: 'https://site.example/', linkPrefix: 'http://holdfast.localhost:1/web/', xml: false };

function served(bytes: Uint8Array, pieceBytes = bytes.length, xml = false): Buffer {
  const page = new PageBytes({ ...context, xml });
  const out: Uint8Array[] = [];
  for (let at = 0; at < bytes.length; at += pieceBytes) out.push(page.write(bytes.subarray(at, at + pieceBytes)));
  return Buffer.concat([...out, page.end()]);
}

test('UTF-8 keeps every byte, also its byte order mark and letters cut between two chunks', () => {
  const page = Buffer.from('\ufeff<!doctype html>\r\n<p>ü漢😀\0&eacute;<img src="data:image/png;base64,AAAA">\r</p>');
  expect(served(page)).toEqual(page);
  expect(served(page, 1 + 24)).toEqual(page);
});

test.each([
  ['<meta charset="windows-1251"><p>', [0xcf], 'П'],
  ['<meta http-equiv=content-type content="text/html; charset=shift_jis"><p>', [0x83, 0x5c], 'ソ'],
  ['<p>', [0xe9, 0x20, 0x80], 'é €'],
  ['<meta charset=utf-16><p>', [0xc3, 0xa9], 'é'],
  ['<meta charset=unheard-of><p>', [0xc3, 0xa9], 'é'],
])('%s with bytes %o is read as a browser would and sent as UTF-8', (html, bytes, letters) => {
  const page = Buffer.concat([Buffer.from(html), Buffer.from(bytes)]);
  expect(served(page).toString()).toBe(html + letters);
});

test('UTF-16 is known by its byte order mark', () => {
  const page = Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from('<a href="/ü">ü</a>', 'utf16le')]);
  expect(served(page).toString()).toBe(
    '<a href="http://holdfast.localhost:1/web/https%3A%2F%2Fsite.example%2F%25C3%25BC" target="_top">ü</a>',
  );
});

test('XML says its encoding in its first line', () => {
  const page = Buffer.concat([
    Buffer.from('<?xml version="1.0" encoding="ISO-8859-1"?><p>'),
    Buffer.from([0xfc]),
    Buffer.from('</p>'),
  ]);
  expect(served(page, page.length, true).toString()).toContain('<p>ü</p>');
});

test('an empty page stays empty', () => {
  expect(served(Buffer.alloc(0))).toEqual(Buffer.alloc(0));
});
