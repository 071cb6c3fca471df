import { isIP } from 'node:net';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { allowedHostsOf, hostEntryOf, isHostAllowed } from '#lib/desired/hosts/allowed-hosts.ts';
import { ConfigurationError } from '#lib/errors.ts';

describe('isHostAllowed()', () => {
  it.each([
    { list: ['api.example.com'], url: 'https://api.example.com/x', allowed: true, reason: 'it is the host' },
    { list: ['api.example.com'], url: 'https://API.example.COM/', allowed: true, reason: 'case means nothing' },
    { list: ['API.example.com'], url: 'https://api.example.com/', allowed: true, reason: 'nor in the list' },
    {
      list: ['api.example.com'],
      url: 'https://api.example.com:443/',
      allowed: true,
      reason: 'the port is the usual one',
    },
    {
      list: ['api.example.com'],
      url: 'http://api.example.com/',
      allowed: false,
      reason: 'without a port https is meant',
    },
    { list: ['api.example.com'], url: 'https://api.example.com:8443/', allowed: false, reason: 'the port is another' },
    { list: ['prom:9090'], url: 'http://prom:9090/api', allowed: true, reason: 'a port allows plain http, too' },
    { list: ['prom:80'], url: 'http://prom/api', allowed: true, reason: 'the port is the usual one of http' },
    { list: ['prom:9090'], url: 'http://prom/api', allowed: false, reason: 'the port is missing' },
    { list: ['example.com'], url: 'https://api.example.com/', allowed: false, reason: 'it is below the host' },
    {
      list: ['example.com'],
      url: 'https://example.com.evil.net/',
      allowed: false,
      reason: 'the host is a mere prefix',
    },
    { list: ['example.com'], url: 'https://evilexample.com/', allowed: false, reason: 'the host is a mere suffix' },
    { list: ['example.com'], url: 'https://example.com./', allowed: false, reason: 'a final dot makes another name' },
    { list: ['example.com'], url: 'https://example.com@evil.net/', allowed: false, reason: 'the host is a user name' },
    { list: ['example.com'], url: 'https://evil.net/?example.com', allowed: false, reason: 'the host is in the query' },
    { list: ['*.example.com'], url: 'https://a.b.example.com/', allowed: true, reason: 'it is below the domain' },
    { list: ['*.example.com'], url: 'https://example.com/', allowed: false, reason: 'it is the domain itself' },
    {
      list: ['*.example.com'],
      url: 'https://evilexample.com/',
      allowed: false,
      reason: 'no dot comes before the domain',
    },
    { list: ['*.example.com:8443'], url: 'https://a.example.com:8443/', allowed: true, reason: 'wildcards have ports' },
    { list: ['127.0.0.1:8080'], url: 'http://127.0.0.1:8080/', allowed: true, reason: 'it is the address' },
    { list: ['127.0.0.1:8080'], url: 'http://0x7f.1:8080/', allowed: true, reason: 'it is the address, spelled oddly' },
    { list: ['127.0.0.1:8080'], url: 'http://localhost:8080/', allowed: false, reason: 'a name is no address' },
    { list: ['[::1]:8080'], url: 'http://[0:0:0:0:0:0:0:1]:8080/', allowed: true, reason: 'it is the address' },
    { list: ['0x7f.1:8080'], url: 'http://127.0.0.1:8080/', allowed: true, reason: 'the list spells it oddly' },
    { list: ['[FD00:0::1]'], url: 'https://[fd00::1]/', allowed: true, reason: 'the list spells IPv6 oddly' },
    { list: ['[fd00::1]'], url: 'https://[fd00::11]/', allowed: false, reason: 'it is another IPv6 address' },
    { list: ['[fd00::1]'], url: 'https://[fd00::1]:8443/', allowed: false, reason: 'the port of IPv6 is another' },
    { list: ['[::ffff:10.0.0.1]'], url: 'https://10.0.0.1/', allowed: false, reason: 'a mapped address is another' },
    { list: ['10.0.0.1'], url: 'https://[::ffff:10.0.0.1]/', allowed: false, reason: 'nor the other way round' },
    { list: ['*.0.0.1'], url: 'https://10.0.0.1/', allowed: false, reason: 'no wildcard is over addresses' },
    { list: ['*.fd00::1'], url: 'https://[fd00::1]/', allowed: false, reason: 'nor over IPv6' },
    { list: ['http://a.b'], url: 'https://a.b/', allowed: false, reason: 'a scheme makes no entry' },
    { list: ['a.b', 'c.d/'], url: 'https://c.d/', allowed: false, reason: 'a path makes no entry' },
    { list: ['10.0.0.1'], url: 'https://10.0.0.10/', allowed: false, reason: 'it is another address' },
    { list: [], url: 'https://example.com/', allowed: false, reason: 'nothing is allowed by default' },
    { list: ['*'], url: 'https://example.com/', allowed: false, reason: 'a lone asterisk is no entry' },
  ])('isHostAllowed() is $allowed for $list and $url when $reason', ({ list, url, allowed }) => {
    expect(isHostAllowed(list, new URL(url))).toBe(allowed);
  });
});

describe('allowedHostsOf()', () => {
  it('allowedHostsOf() returns what is well-formed', () => {
    const list = ['a', 'a.example.com', '*.example.com', '10.0.0.1:80', '[fd00::1]:9090', 'xn--bcher-kva.example'];
    expect(allowedHostsOf(list, 'EFFECT_HOSTS')).toEqual(list);
  });

  it.each([
    '*',
    '*.com',
    '*.*.example.com',
    'a.*',
    'https://a',
    'a/b',
    'u@a',
    'a:0',
    'a:65536',
    'a:x',
    '',
    ' a',
    '*.10.0.0.1',
    '*.0x7f.1',
    '*.2130706433',
    '*.[fd00::1]',
    'fd00::1',
    '[fd00::1',
    '[fd00::g]',
    '[fe80::1%eth0]',
    '1.2.3.4.5',
    '10.0.0.256',
    'a.b.',
    '-a.b',
    'a b',
    'a\tb',
    'a,b',
    'a\n',
    'ａ.b',
  ])('allowedHostsOf() throws ConfigurationError for "%s", naming the setting', (entry) => {
    expect(() => allowedHostsOf(['fine', entry], 'EFFECT_HOSTS')).toThrow(ConfigurationError);
    expect(() => allowedHostsOf(['fine', entry], 'EFFECT_HOSTS')).toThrow('EFFECT_HOSTS');
  });
});

describe('hostEntryOf()', () => {
  it.each([
    { text: 'API.example.com', isWildcard: false, host: 'api.example.com', port: undefined, reason: 'a name' },
    { text: '*.example.com:080', isWildcard: true, host: 'example.com', port: 80, reason: 'a domain with a port' },
    { text: '127.1:8080', isWildcard: false, host: '127.0.0.1', port: 8080, reason: 'an address in short' },
    { text: '[FD00:0::1]', isWildcard: false, host: '[fd00::1]', port: undefined, reason: 'an IPv6 address' },
    { text: 'a.1b:443', isWildcard: false, host: 'a.1b', port: 443, reason: 'a name that ends in no number' },
  ])('hostEntryOf() is $host when $text is $reason', ({ text, isWildcard, host, port }) => {
    expect(hostEntryOf(text)).toEqual({ isWildcard, host, port });
  });

  it('hostEntryOf() recognises addresses as the system does when URLs hold them', () => {
    const part = fc.oneof(fc.integer({ min: 0, max: 300 }).map(String), fc.constantFrom('0x7f', '010', 'a', '1a', '-'));
    const hosts = fc.array(part, { minLength: 1, maxLength: 5 }).map((parts) => parts.join('.'));
    fc.assert(
      fc.property(fc.oneof(hosts, fc.ipV4(), fc.ipV4Extended()), (host) => {
        const hostname = URL.parse(`https://${host}/`)?.hostname ?? '';
        const isDomain = hostname.includes('.') && isIP(hostname) === 0 && !/^-|-$/.test(host);
        expect(hostEntryOf(`*.${host}`) !== undefined).toBe(isDomain);
      }),
    );
  });
});
