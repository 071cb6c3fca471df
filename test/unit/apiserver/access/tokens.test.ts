import { beforeEach, describe, expect, it } from 'vitest';
import { AccessBench } from './bench.ts';

const UNAUTHORIZED = '401 Unauthorized';
const ANONYMOUS = 'system:anonymous [system:unauthenticated]';
const BUILDER =
  'system:serviceaccount:default:builder [system:serviceaccounts system:serviceaccounts:default system:authenticated]';

let bench: AccessBench;
let token: string;

beforeEach(() => {
  bench = new AccessBench();
  bench.account('builder');
  token = bench.token('builder', { expirationSeconds: 600 });
});

const shown = (text = token): string => bench.userOfHeader(`Bearer ${text}`);

describe('Access.authenticate()', () => {
  it('recognizes the administrator, service accounts and anonymous requests', () => {
    expect(shown('admin-token')).toBe('admin [system:masters system:authenticated]');
    expect(shown()).toBe(BUILDER);
    expect(bench.userOfHeader(undefined)).toBe(ANONYMOUS);
  });

  it('looks at bearer tokens alone, by the first word', () => {
    expect(bench.userOfHeader(`bEaReR ${token} and more`)).toBe(BUILDER);
    for (const header of ['', ' ', 'Bearer', 'Bearer ', 'Basic YTpi', `Basic ${token}`])
      expect(bench.userOfHeader(header)).toBe(ANONYMOUS);
    for (const text of ['x', 'admin-tokem', 'a.b.c', '..', `${token}x`]) expect(shown(text)).toBe(UNAUTHORIZED);
  });

  it('refuses a token that was changed, or signed with another key', () => {
    const [head = '', payload = '', signature = ''] = token.split('.');
    const claims = JSON.parse(Buffer.from(payload, 'base64url').toString()) as Record<string, unknown>;
    const changed = Buffer.from(JSON.stringify({ ...claims, exp: 2 ** 40 })).toString('base64url');
    expect(shown(`${head}.${changed}.${signature}`)).toBe(UNAUTHORIZED);
    const other = new AccessBench('another secret');
    other.account('builder');
    expect(other.userOfHeader(`Bearer ${token}`)).toBe(UNAUTHORIZED);
  });

  it('refuses a token a minute after its time, and before it', () => {
    bench.clock += 600_000 + 59_000;
    expect(shown()).toBe(BUILDER);
    bench.clock += 2_000;
    expect(shown()).toBe(UNAUTHORIZED);
    bench.clock -= 661_000 + 61_000;
    expect(shown()).toBe(UNAUTHORIZED);
  });

  it('refuses a token for others', () => {
    const issuer = 'https://kubernetes.default.svc.cluster.local';
    expect(shown(bench.token('builder', { audiences: ['vault'] }))).toBe(UNAUTHORIZED);
    expect(shown(bench.token('builder', { audiences: ['vault', issuer] }))).toBe(BUILDER);
  });

  it('refuses a token of an account that was deleted, also when one of its name is made', () => {
    bench.removeAccount('builder');
    expect(shown()).toBe(UNAUTHORIZED);
    bench.account('builder');
    expect(shown()).toBe(UNAUTHORIZED);
    expect(shown(bench.token('builder'))).toBe(BUILDER);
  });

  it('refuses a token of an account that has been going for a minute', () => {
    bench.account('leaving', { finalizers: ['example.com/wait'] });
    token = bench.token('leaving');
    bench.removeAccount('leaving');
    bench.clock += 60_000;
    expect(shown()).toMatch(/^system:serviceaccount:default:leaving/);
    bench.clock += 1_000;
    expect(shown()).toBe(UNAUTHORIZED);
  });
});

describe('Access.answer() to a TokenRequest', () => {
  it('says what is wrong with it', () => {
    expect(bench.token('nobody')).toBe('404 serviceaccounts "nobody" not found');
    expect(bench.token('builder', { expirationSeconds: 599 })).toBe(
      '422 TokenRequest.authentication.k8s.io "" is invalid: spec.expirationSeconds: Invalid value: 599: may not specify a duration less than 10 minutes',
    );
    expect(bench.token('builder', { boundObjectRef: { kind: 'Pod', name: 'a' } })).toMatch(
      /^501 .*a token that is bound to an object/,
    );
  });
});
