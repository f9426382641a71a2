import { describe, expect, it } from 'vitest';
import { parseAllowList } from './allow-list.ts';
import { checkAddress } from './check-address.ts';
import { refuseByName } from './resolve-target.ts';
import { normalizeHost } from './normalize-host.ts';
import { privateSpellings, publicSpellings } from './spellings.fixture.ts';

const nothing = parseAllowList('');

describe('addresses that are not public', () => {
  it.each(privateSpellings)('%s is refused', (host) => {
    const normal = normalizeHost(host);
    expect(normal === undefined || refuseByName(normal, 80, nothing)?.code === 'refused').toBe(true);
  });

  it.each(publicSpellings)('%s is not refused', (host) => {
    const normal = normalizeHost(host);
    expect(normal).toBeDefined();
    expect(refuseByName(normal ?? '', 80, nothing)).toBeUndefined();
  });
});

describe('checkAddress', () => {
  it('says why, and how to permit it', () => {
    expect(checkAddress('http://127.1:8080/x', nothing)).toEqual({
      ok: false,
      reason:
        '127.0.0.1 belongs to this machine, and private addresses are not fetched; the setting EGRESS_ALLOW = "127.0.0.1" in holdfast.toml permits it, from the next start of Holdfast on',
    });
    expect(checkAddress('http://user@[::1]/', nothing)).toMatchObject({ ok: false });
    expect(checkAddress('https://example.org/', nothing)).toEqual({ ok: true });
    expect(checkAddress('file:///etc/passwd', nothing)).toMatchObject({
      ok: false,
      reason: expect.stringContaining('file:'),
    });
    expect(checkAddress('nonsense', nothing)).toMatchObject({ ok: false });
  });
});

describe('parseAllowList', () => {
  it.each([
    ['127.0.0.1', 'http://127.0.0.1:81/', true],
    ['127.0.0.1:81', 'http://2130706433:81/', true],
    ['127.0.0.1:81', 'http://127.0.0.1:82/', false],
    ['127.0.0.0/8', 'http://127.9.9.9/', true],
    ['127.0.0.0/8', 'http://a.localhost/', true],
    ['10.0.0.0/8, 192.168.0.0/16', 'http://192.168.3.4/', true],
    ['10.0.0.0/8', 'http://11.0.0.1/', true],
    ['10.0.0.0/8', 'http://192.168.3.4/', false],
    ['fd00::/8', 'http://[fd00::5]/', true],
    ['[fd00::5]:80', 'http://[fd00:0::5]/', true],
    ['fd00::5', 'http://[fd00::6]/', false],
    ['a.localhost:80', 'http://a.localhost/', true],
    ['a.localhost', 'http://b.localhost/', false],
    ['*.localhost', 'http://b.localhost:8745/', true],
    ['nas.local', 'http://NAS.local./', true],
    ['nas', 'http://nas/', true],
  ])('%s, asked for %s: %s', (allow, url, isOk) => {
    expect(checkAddress(url, parseAllowList(allow)).ok).toBe(isOk);
  });

  it.each(['10.0.0.0/33', 'host/8', 'http://x', 'a b/c'])('refuses the entry %s', (entry) => {
    expect(() => parseAllowList(entry)).toThrow(/EGRESS_ALLOW holds ".+", which is no host/);
  });
});
