import { expect, test } from 'vitest';
import { rewriteStream } from './rewrite-stream.ts';

const context = { documentUrl: 'https://site.example/', linkPrefix: 'http://holdfast.localhost:1/web/', xml: false };

async function served(bytes: Uint8Array, pieceBytes = bytes.length, xml = false): Promise<Buffer> {
  async function* source(): AsyncGenerator<Uint8Array> {
    for (let at = 0; at < bytes.length; at += pieceBytes) yield bytes.subarray(at, at + pieceBytes);
  }
  const out: Uint8Array[] = [];
  for await (const piece of rewriteStream(source(), { ...context, xml })) out.push(piece);
  return Buffer.concat(out);
}

test('UTF-8 keeps every byte, also its byte order mark and letters cut between two chunks', async () => {
  const page = Buffer.from('\ufeff<!doctype html>\r\n<p>ü漢😀\0&eacute;<img src="data:image/png;base64,AAAA">\r</p>');
  expect(await served(page)).toEqual(page);
  expect(await served(page, 1 + 24)).toEqual(page);
});

test.each([
  ['<meta charset="windows-1251"><p>', [0xcf], 'П'],
  ['<meta http-equiv=content-type content="text/html; charset=shift_jis"><p>', [0x83, 0x5c], 'ソ'],
  ['<p>', [0xe9, 0x20, 0x80], 'é €'],
  ['<meta charset=utf-16><p>', [0xc3, 0xa9], 'é'],
  ['<meta charset=unheard-of><p>', [0xc3, 0xa9], 'é'],
])('%s with bytes %o is read as a browser would and sent as UTF-8', async (html, bytes, letters) => {
  const page = Buffer.concat([Buffer.from(html), Buffer.from(bytes)]);
  expect((await served(page)).toString()).toBe(html + letters);
});

test('UTF-16 is known by its byte order mark', async () => {
  const page = Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from('<a href="/ü">ü</a>', 'utf16le')]);
  expect((await served(page)).toString()).toBe(
    '<a href="http://holdfast.localhost:1/web/https%3A%2F%2Fsite.example%2F%25C3%25BC" target="_top">ü</a>',
  );
});

test('XML says its encoding in its first line', async () => {
  const page = Buffer.concat([
    Buffer.from('<?xml version="1.0" encoding="ISO-8859-1"?><p>'),
    Buffer.from([0xfc]),
    Buffer.from('</p>'),
  ]);
  expect((await served(page, page.length, true)).toString()).toContain('<p>ü</p>');
});

test('an empty page stays empty', async () => {
  expect(await served(Buffer.alloc(0))).toEqual(Buffer.alloc(0));
});
