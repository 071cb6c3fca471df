import { describe, expect, it } from 'vitest';
import { ConfigurationError } from '#lib/errors.ts';
import { allowedHostsOf, isHostAllowed } from '#lib/loop/effects/allowed-hosts.ts';

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
  ])('allowedHostsOf() throws ConfigurationError for "%s", naming the setting', (entry) => {
    expect(() => allowedHostsOf(['fine', entry], 'EFFECT_HOSTS')).toThrow(ConfigurationError);
    expect(() => allowedHostsOf(['fine', entry], 'EFFECT_HOSTS')).toThrow('EFFECT_HOSTS');
  });
});
