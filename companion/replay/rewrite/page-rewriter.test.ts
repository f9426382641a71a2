import fc from 'fast-check';
import { parse, type DefaultTreeAdapterTypes } from 'parse5';
import { describe, expect, test } from 'vitest';
import { PageRewriter } from './page-rewriter.ts';

const prefix = 'http://holdfast.localhost:1/web/';
const documentUrl = 'https://site.example/dir/page?q=1';
const web = (url: string) => prefix + encodeURIComponent(url);

function rewrite(html: string, options: { xml?: boolean; pieces?: number } = {}): string {
  const rewriter = new PageRewriter({ documentUrl, linkPrefix: prefix, xml: options.xml ?? false });
  const size = Math.max(1, Math.ceil(html.length / (options.pieces ?? 1)));
  let out = '';
  for (let at = 0; at < html.length; at += size) out += rewriter.write(html.slice(at, at + size));
  return out + rewriter.end();
}

describe('links', () => {
  test.each([
    [
      '<a href="https://other.example/x?a=1&amp;b=2#c">t</a>',
      `<a href="${web('https://other.example/x?a=1&b=2#c')}" target="_top">t</a>`,
    ],
    ["<a href='../up'>t</a>", `<a href='${web('https://site.example/up')}' target="_top">t</a>`],
    ['<A HREF=//cdn.example/p class=x>t</A>', `<A HREF="${web('https://cdn.example/p')}" target="_top" class=x>t</A>`],
    ['<a target=_blank href="/r">t</a>', `<a target="_top" href="${web('https://site.example/r')}">t</a>`],
    ['<a target href="/r">t</a>', `<a target="_top" href="${web('https://site.example/r')}">t</a>`],
    ['<area href="/m" shape=rect>', `<area href="${web('https://site.example/m')}" target="_top" shape=rect>`],
    [
      '<a href="/f.zip" download>t</a>',
      `<a href="${web('https://site.example/f.zip')}" target="_top" data-holdfast-download>t</a>`,
    ],
    [
      '<a href="/x" ping="https://t.example/">t</a>',
      `<a href="${web('https://site.example/x')}" target="_top" data-holdfast-ping="https://t.example/">t</a>`,
    ],
    [
      '<svg><a xlink:href="/s"><text>t</text></a></svg>',
      `<svg><a xlink:href="${web('https://site.example/s')}" target="_top"><text>t</text></a></svg>`,
    ],
    ['<a href=" \n/x\t">t</a>', `<a href="${web('https://site.example/x')}" target="_top">t</a>`],
    ['<a href>t</a>', `<a href="${web(documentUrl)}" target="_top">t</a>`],
    [
      "<a href='/it&apos;s'>t</a>",
      `<a href='${web("https://site.example/it's").replace("'", '&#39;')}' target="_top">t</a>`,
    ],
    ['<a href="/1" href="/2">t</a>', `<a href="${web('https://site.example/1')}" target="_top" href="/2">t</a>`],
  ])('%s', (html, expected) => {
    expect(rewrite(html)).toBe(expected);
  });

  test('of the same page stay fragments', () => {
    expect(rewrite('<a href="#top">t</a><a name=x>')).toBe('<a href="#top">t</a><a name=x>');
    expect(rewrite(`<a href="${documentUrl}#part">t</a>`)).toBe('<a href="#part">t</a>');
    expect(rewrite('<a href="?q=1#part">t</a>')).toBe('<a href="#part">t</a>');
    expect(rewrite('<a href="?q=2#part">t</a>')).toContain(web('https://site.example/dir/page?q=2#part'));
  });

  test.each(['mailto:a@b.example', 'tel:1', 'javascript:alert(1)', 'data:text/html,x', 'about:blank', 'http://[bad'])(
    '%s is no web address and stays',
    (href) => {
      const html = `<a href="${href}">t</a>`;
      expect(rewrite(html)).toBe(html);
    },
  );

  test('follow the first base address', () => {
    expect(rewrite('<base href="https://b.example/d/"><base href="https://c.example/"><a href="x">t</a>')).toBe(
      `<base href="https://b.example/d/"><base href="https://c.example/"><a href="${web('https://b.example/d/x')}" target="_top">t</a>`,
    );
  });

  test('in text, styles, scripts, comments and titles are no links', () => {
    const html =
      '<title><a href="/1"></title><style>/*<a href="/2">*/</style><script>"<a href=/3>"</script><!--<a href="/4">-->' +
      '<textarea><a href="/5"></textarea><xmp><a href="/6"></xmp><svg><![CDATA[<a href="/7">]]></svg>';
    expect(rewrite(html)).toBe(html);
  });

  test.each([
    '<math><svg><desc><textarea><a href="/x"></math>',
    '<svg><desc><style></style></desc><style><a href="/x"></svg>',
    '<svg><p><style></style><a href="/x">',
    '<svg></p><title></title><a href="/x">',
    '<![CDATA[><a href="/x">',
  ])('are found where browsers find them: %s', (html) => {
    expect(rewrite(html)).toContain(web('https://site.example/x'));
  });

  test('inside noscript and shadow root templates are links', () => {
    expect(rewrite('<noscript><a href="/n"></a></noscript>')).toContain(web('https://site.example/n'));
    const shadow =
      '<div><template shadowrootmode="closed" shadowrootdelegatesfocus><slot></slot><a href="/s"></a></template></div>';
    expect(rewrite(shadow)).toBe(shadow.replace('"/s"', `"${web('https://site.example/s')}" target="_top"`));
  });
});

describe('a name given twice', () => {
  // Browsers take the first attribute of a name: once that is renamed, the second would be alive.
  test.each([
    ['rel', '<link rel=preconnect rel=preconnect href="http://other.example/">'],
    ['http-equiv', '<meta http-equiv=refresh http-equiv=refresh content="0;url=http://other.example/">'],
    ['attributename', '<svg><a><set attributeName=href attributeName=href to="http://other.example/"/></a></svg>'],
    ['src', '<iframe src="http://other.example/" src="http://other.example/2"></iframe>'],
    ['ping', '<a href="/x" ping="http://other.example/" ping="http://other.example/">t</a>'],
  ])('%s is renamed in every place', (name, html) => {
    expect(rewrite(html)).not.toMatch(new RegExp(`\\s${name}=`, 'i'));
  });
});

describe('frames', () => {
  test('held in srcdoc are rewritten at every depth, all else in them kept', () => {
    const escape = (text: string) => text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;');
    const innermost = (href: string) =>
      `<p title="a&amp;b">ü</p><a href="${href}"${href.startsWith(prefix) ? ' target="_top"' : ''}>t</a>`;
    const page = (inner: string) =>
      `<iframe srcdoc="${escape(`<b>x</b><iframe srcdoc="${escape(inner)}"></iframe>`)}"></iframe>`;
    const rewritten = rewrite(page(innermost('/deep')));
    expect(rewritten).toBe(page(innermost(web('https://site.example/deep'))));
  });

  test('without anything to rewrite keep the letters of their source', () => {
    const html = `<iframe srcdoc='&lt;p title=&#34;x&#34;&gt;A&eacute;&lt;/p&gt;'></iframe>`;
    expect(rewrite(html)).toBe(html);
  });

  test('link to the page around them in full, because a fragment would mean themselves', () => {
    expect(rewrite(`<iframe srcdoc="<a href='${documentUrl}#x'>t</a>"></iframe>`)).toContain(web(`${documentUrl}#x`));
  });

  test.each([
    `data:text/html,<a href='https://x.example/'>%C3%BC</a>`,
    `data:text/html;charset=utf-8;base64,${Buffer.from("<a href='https://x.example/'>ü</a>").toString('base64')}`,
    `data:text/html;charset=iso-8859-1,<a href='https://x.example/'>%FC</a>`,
  ])('held in %s are rewritten', (address) => {
    const out = rewrite(`<iframe src="${address}"></iframe>`);
    const base64 = /^<iframe src="data:text\/html;charset=utf-8;base64,([^"]+)"><\/iframe>$/.exec(out)?.[1];
    expect(Buffer.from(base64!, 'base64').toString()).toBe(
      `<a href='${web('https://x.example/')}' target="_top">ü</a>`,
    );
  });
});

describe('frames that would reach out', () => {
  test.each([
    ['<iframe src="https://x.example/f">', '<iframe data-holdfast-src="https://x.example/f">'],
    ['<iframe src="//x.example/f">', '<iframe data-holdfast-src="//x.example/f">'],
    ["<frame src=' \\\\x.example/f'>", "<frame data-holdfast-src=' \\\\x.example/f'>"],
    ['<iframe src="mailto:a@b.example">', '<iframe data-holdfast-src="mailto:a@b.example">'],
    ['<iframe src="data:text/html">', '<iframe data-holdfast-src="data:text/html">'],
    [
      '<iframe srcdoc="<iframe src=https://x.example/f>">',
      '<iframe srcdoc="&lt;iframe data-holdfast-src=https://x.example/f>">',
    ],
  ])('%s is disarmed', (html, expected) => {
    expect(rewrite(html)).toBe(expected);
  });

  test.each(['text/html', 'image/svg+xml', 'application/xhtml+xml', 'TEXT/XML; charset=utf-8'])(
    'inside a data: address of %s are disarmed',
    (type) => {
      const inner = '<p xmlns="http://www.w3.org/1999/xhtml"><iframe src="https://x.example/f"></iframe></p>';
      const out = rewrite(`<iframe src="data:${type},${encodeURIComponent(inner)}"></iframe>`);
      const base64 = /base64,([^"]+)"/.exec(out)?.[1];
      expect(Buffer.from(base64!, 'base64').toString()).toBe(inner.replace('src', 'data-holdfast-src'));
    },
  );

  test.each([
    '<iframe src="other.html?x">',
    '<iframe src="">',
    '<iframe src="about:blank">',
    '<iframe src="data:image/png;base64,AAAA">',
    '<iframe src="data:text/html,plain">',
  ])('%s stays', (html) => {
    expect(rewrite(html)).toBe(html);
  });

  test('nested deeper than anyone looks are not shown', () => {
    const nest = (html: string, depth: number): string =>
      depth === 0
        ? html
        : nest(`<iframe srcdoc="${html.replaceAll('&', '&amp;').replaceAll('"', '&quot;')}"></iframe>`, depth - 1);
    const visible = (html: string): string => {
      const srcdoc = /<iframe srcdoc="([^"]*)"/.exec(html)?.[1];
      return srcdoc === undefined
        ? html
        : visible(srcdoc.replaceAll('&quot;', '"').replaceAll('&lt;', '<').replaceAll('&amp;', '&'));
    };
    const frame = '<iframe src="https://x.example/f">';
    expect(visible(rewrite(nest(frame, 8)))).toContain('<iframe data-holdfast-src="https');
    expect(visible(rewrite(nest(frame, 9)))).toMatch(/^<iframe data-holdfast-srcdoc/);
  });
});

describe('what would reach out', () => {
  test.each([
    ['<link rel=preconnect href="https://x.example">', '<link data-holdfast-rel=preconnect href="https://x.example">'],
    ['<link rel="icon Preload" href="/i">', '<link rel="icon" href="/i">'],
    ['<link rel="dns-prefetch" href="//x.example">', '<link data-holdfast-rel="dns-prefetch" href="//x.example">'],
    ['<link rel=modulepreload href=/m.js>', '<link data-holdfast-rel=modulepreload href=/m.js>'],
    ['<link rel=manifest href=/m>', '<link data-holdfast-rel=manifest href=/m>'],
    [
      '<link rel=preload imagesrcset="/a 1x" as=image>',
      '<link data-holdfast-rel=preload imagesrcset="/a 1x" as=image>',
    ],
    [
      '<meta http-equiv=" Refresh" content="0;url=/x">',
      '<meta data-holdfast-http-equiv=" Refresh" content="0;url=/x">',
    ],
    ['<script type="speculationrules">{}</script>', '<script type="application/x-speculationrules">{}</script>'],
    [
      '<svg><set attributeName="href" to="https://x.example"/></svg>',
      '<svg><set data-holdfast-attributeName="href" to="https://x.example"/></svg>',
    ],
    [
      '<math><mi href="https://x.example">x</mi></math>',
      '<math><mi data-holdfast-href="https://x.example">x</mi></math>',
    ],
  ])('%s is disarmed', (html, expected) => {
    expect(rewrite(html)).toBe(expected);
  });

  test.each([
    '<link rel=preload as=font href="data:font/woff2;base64,AAAA">',
    '<link rel=stylesheet href="/s.css">',
    '<link rel="canonical" href="https://x.example/">',
    '<meta http-equiv="content-security-policy" content="img-src data:">',
    '<script type=module>import "/x"</script>',
  ])('%s stays', (html) => {
    expect(rewrite(html)).toBe(html);
  });
});

describe('XHTML', () => {
  const wrap = (text: string) => `<?xml version="1.0"?><!DOCTYPE html><html xmlns="h"><title/>${text}</html>`;
  test.each([
    ['<a href="/x?a=1&amp;b">t</a>', `<a href="${web('https://site.example/x?a=1&b')}" target="_top">t</a>`],
    ['<h:a h:x="" href="/x"/>', `<h:a h:x="" href="${web('https://site.example/x')}" target="_top"/>`],
    ['<s:a l:href="/x"/>', `<s:a l:href="${web('https://site.example/x')}" target="_top"/>`],
    ['<h:iframe src="https://x.example/"/>', '<h:iframe data-holdfast-src="https://x.example/"/>'],
    ['<style><![CDATA[<a href="/x">]]></style>', '<style><![CDATA[<a href="/x">]]></style>'],
  ])('is read as XML: %s', (text, expected) => {
    expect(rewrite(wrap(text), { xml: true })).toBe(wrap(expected));
  });

  test.each([
    ['<!DOCTYPE html [<!ENTITY e "<iframe src=\'https://x.example/\'/>">]><html>&e;</html>', '">]><html>&e;</html>'],
    ['<!DOCTYPE html [ <!ATTLIST iframe src CDATA "https://x.example/">]><html/>', '<!DOCTYPE html >]><html/>'],
    ['<!DOCTYPE html SYSTEM "a>b" [<!ENTITY e "x">]><html/>', 'b" []><html/>'],
    ['<!NOTATION n SYSTEM "><!--"><!ENTITY e "x"><!-- -->', '<!--"><!ENTITY e "x"><!-- -->'],
  ])('keeps no declarations: %s', (xml, expected) => {
    expect(rewrite(xml, { xml: true })).toBe(expected);
    expect(rewrite(xml, { xml: true, pieces: xml.length })).not.toMatch(/<!ENTITY e "</);
  });
});

/** Pieces of real and broken markup; what they make together is decided by the parser that is the judge. */
const pieces = [
  '<a href="https://x.example/a">',
  '<a href=/b>',
  "<A HREF='c' ping=/p>",
  '</a>',
  '<area href=/d>',
  'text',
  ' ',
  '\r\n',
  'ü😀',
  '\0',
  '<svg>',
  '</svg>',
  '<math>',
  '</math>',
  '<foreignObject>',
  '</foreignObject>',
  '<desc>',
  '<title>',
  '</title>',
  '<mi>',
  '</mi>',
  '<style>',
  '</style>',
  '<script>',
  '</script>',
  '<textarea>',
  '</textarea>',
  '<xmp>',
  '</xmp>',
  '<noscript>',
  '</noscript>',
  '<iframe>',
  '</iframe>',
  '<iframe srcdoc="<a href=/e>">',
  '<noframes>',
  '</noframes>',
  '<!--',
  '-->',
  '<!-->',
  '--!>',
  '<![CDATA[',
  ']]>',
  '<svg><![CDATA[<a href=/i>]]>',
  '<iframe src=//x.example/j>',
  '<!doctype html>',
  '<?pi',
  '>',
  '<',
  '"',
  "'",
  '</',
  '<p>',
  '</p>',
  '<b>',
  '<table>',
  '<tr>',
  '<template>',
  '</template>',
  '<div',
  ' x="',
  ' y=',
  '/>',
  '<link rel=preconnect href=/f>',
  '<meta http-equiv=refresh content=1>',
  '<img src=/g>',
  '<br/>',
  '<a/href=/h>',
];

interface Facts {
  skeleton: string[];
  live: string[];
}

/** What a browser without scripts makes of a document: its elements and text, and what still points outside. */
function factsOf(html: string): Facts {
  const facts: Facts = { skeleton: [], live: [] };
  const visit = (node: DefaultTreeAdapterTypes.Node): void => {
    facts.skeleton.push(node.nodeName);
    if ('value' in node) facts.skeleton.push(node.value);
    if ('attrs' in node) {
      const value = (name: string) => node.attrs.find((attr) => attr.name === name)?.value;
      const href = value('href');
      const isLink = ['a', 'area'].includes(node.tagName);
      if (isLink && href !== undefined && !href.startsWith(prefix)) facts.live.push(href);
      if (isLink && value('ping') !== undefined) facts.live.push('ping');
      if (node.tagName === 'link' && value('rel') === 'preconnect') facts.live.push('preconnect');
      if (node.tagName === 'meta' && value('http-equiv') === 'refresh') facts.live.push('refresh');
      if (node.tagName === 'iframe' && value('srcdoc') !== undefined)
        facts.live.push(...factsOf(value('srcdoc')!).live);
    }
    if ('content' in node) visit(node.content);
    if ('childNodes' in node) node.childNodes.forEach(visit);
  };
  visit(parse(html, { scriptingEnabled: false }));
  return facts;
}

test('whatever the markup, a browser sees the same page with nothing left that points outside', () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...pieces), { maxLength: 25 }), (parts) => {
      const html = parts.join('');
      const out = rewrite(html);
      expect(factsOf(out)).toEqual({ skeleton: factsOf(html).skeleton, live: [] });
    }),
    { numRuns: 1_000, seed: 1 },
  );
});

test('the result is the same however the document is cut into pieces', () => {
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom(...pieces), { maxLength: 30 }),
      fc.integer({ min: 1, max: 400 }),
      (parts, count) => {
        const html = parts.join('');
        expect(rewrite(html, { pieces: count })).toBe(rewrite(html));
      },
    ),
    { numRuns: 300, seed: 1 },
  );
});
