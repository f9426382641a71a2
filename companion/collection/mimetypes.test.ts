import { describe, expect, it } from 'vitest';
import { sniffMimetype } from './mimetypes.ts';

const bytes = (text: string): Uint8Array => Buffer.from(text);
const png = Buffer.from('89504e470d0a1a0a0000000d49484452000000010000000108060000001f15c489', 'hex');

describe('sniffMimetype', () => {
  it.each([
    ['a page', bytes('<!-- kept --> <!DOCTYPE html><html></html>'), 'a.txt', 'text/html'],
    ['a page without doctype', bytes('<html lang="de"><p>x'), 'page', 'text/html'],
    ['text named .html', bytes('hello'), 'output.html', 'text/html'],
    ['a drawing', bytes('<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg"/>'), 'a.png', 'image/svg+xml'],
    ['xhtml', bytes('<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"/>'), 'a', 'application/xhtml+xml'],
    ['a feed', bytes('<?xml version="1.0"?><rss/>'), 'a.html', 'application/xml'],
    [
      'a page archive',
      bytes(
        'From: <Saved by Blink>\r\nMIME-Version: 1.0\r\nContent-Type: multipart/related;\r\n\tboundary="x"\r\n\r\n--x',
      ),
      'snapshot.mhtml',
      'multipart/related',
    ],
    ['a picture called a page', png, 'a.html', 'image/png'],
    ['pdf', bytes('%PDF-1.7\n\u0001\u0002'), 'a.txt', 'application/pdf'],
    [
      'pdf without control characters',
      Buffer.from('%PDF-1.7\n%\xe2\xe3\xcf\xd3\n', 'latin1'),
      'a.txt',
      'application/pdf',
    ],
    ['a page in an old encoding', Buffer.from('<html><title>Gr\xfcn', 'latin1'), 'a', 'text/html'],
    ['json', bytes('{"a":1}'), 'facts.json', 'application/json'],
    ['text with a cut character', Buffer.from('grün').subarray(0, 3), 'a.md', 'text/markdown'],
    ['zeros', Buffer.alloc(64), 'a.html', 'application/octet-stream'],
    ['nothing', Buffer.alloc(0), 'a.txt', 'text/plain'],
  ])('%s', async (_what, head, name, type) => {
    expect(await sniffMimetype(head, name)).toBe(type);
  });
});
