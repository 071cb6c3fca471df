import { beforeEach, describe, expect, it } from 'vitest';
import { impersonated } from '#lib/apiserver/access/impersonation.ts';
import { AccessBench, userOf } from './bench.ts';

const eve = { kind: 'User', name: 'eve' };
const admin = { name: 'admin', groups: ['system:masters', 'system:authenticated'] };
const authentication = 'authentication.k8s.io';

let bench: AccessBench;

beforeEach(() => {
  bench = new AccessBench();
});

const grant = (...rules: readonly object[]): void => bench.grant('test', eve, rules);

const refusal = (shown: string): string =>
  `400 requested &user.DefaultInfo{Name:"", ${shown}} without impersonating a user name`;

describe('Access.impersonate()', () => {
  it('keeps the user without headers', () => {
    expect(bench.as(userOf('eve'), {})).toEqual(userOf('eve'));
    expect(bench.as(userOf('eve'), { name: '' })).toEqual(userOf('eve'));
  });

  it('hides no error that is not a refusal', () => {
    const bug = new TypeError('a bug');
    const authorize = ({ verb }: { readonly verb: string }): void => {
      if (verb === 'impersonate:user-info') throw bug;
    };
    const attributes = { verb: 'list', group: '', resource: 'pods' };
    const wanted = { name: 'bob', groups: [], uid: undefined, extra: {} };
    expect(() => impersonated(wanted, { attributes, authorize })).toThrow(bug);
  });

  it('gives the groups that a name has by itself', () => {
    const authenticated = 'system:authenticated';
    expect(bench.as(admin, { name: 'bob' })).toEqual({ name: 'bob', groups: [authenticated] });
    expect(bench.as(admin, { name: 'bob', groups: ['a', 'a'] })).toMatchObject({ groups: ['a', 'a', authenticated] });
    expect(bench.as(admin, { name: 'bob', groups: [authenticated, 'a'] })).toMatchObject({
      groups: [authenticated, 'a'],
    });
    expect(bench.as(admin, { name: 'bob', groups: ['system:unauthenticated'] })).toMatchObject({
      groups: ['system:unauthenticated'],
    });
    expect(bench.as(admin, { name: 'system:anonymous' })).toMatchObject({ groups: ['system:unauthenticated'] });
    const account = 'system:serviceaccount:default:x';
    expect(bench.as(admin, { name: account })).toEqual({
      name: account,
      groups: ['system:serviceaccounts', 'system:serviceaccounts:default', authenticated],
    });
    expect(bench.as(admin, { name: account, groups: ['a'] })).toMatchObject({ groups: ['a', authenticated] });
    expect(bench.as(admin, { name: 'system:node:n' })).toMatchObject({ groups: ['system:nodes', authenticated] });
    expect(bench.as(admin, { name: 'system:node:n', groups: ['a'] })).toMatchObject({ groups: ['a', authenticated] });
  });

  it('carries uid and extra', () => {
    const extra = { scopes: ['a', 'b'] };
    expect(bench.as(admin, { name: 'bob', uid: '1', extra })).toMatchObject({ name: 'bob', uid: '1', extra });
  });

  it('refuses groups, a uid or extra without a user', () => {
    expect(bench.as(admin, { groups: ['a', 'b'] })).toBe(
      refusal('UID:"", Groups:[]string{"a", "b"}, Extra:map[string][]string(nil)'),
    );
    expect(bench.as(admin, { uid: '1' })).toBe(
      refusal('UID:"1", Groups:[]string(nil), Extra:map[string][]string(nil)'),
    );
    expect(bench.as(admin, { extra: { b: ['x'], a: [] } })).toBe(
      refusal('UID:"", Groups:[]string(nil), Extra:map[string][]string{"a":[]string(nil), "b":[]string{"x"}}'),
    );
  });

  it('refuses in the words of the first way that was tried', () => {
    const list = 'cannot impersonate-on:user-info:list resource "pods" in API group "" in the namespace "default"';
    expect(bench.as(userOf('eve'), { name: 'bob' })).toBe(`403 pods is forbidden: User "eve" ${list}`);
    expect(bench.as(userOf('eve'), { name: 'system:serviceaccount:a:b' })).toMatch(
      /impersonate-on:serviceaccount:list resource "pods"/,
    );
    expect(bench.as(userOf('eve'), { name: 'system:serviceaccount:a:b', groups: ['a'] })).toBe(
      '403 serviceaccounts "b" is forbidden: User "eve" cannot impersonate resource "serviceaccounts" in API group "" in the namespace "a"',
    );
    expect(bench.as(userOf('eve'), { name: 'bob' }, { verb: 'get', path: '/metrics' })).toBe(
      '403 forbidden: User "eve" cannot impersonate-on:user-info:get path "/metrics"',
    );
  });

  it('takes the old right alone for everything, by names and groups', () => {
    grant(
      { apiGroups: [''], resources: ['users'], resourceNames: ['bob'], verbs: ['impersonate'] },
      { apiGroups: [''], resources: ['groups'], resourceNames: ['a', 'system:masters'], verbs: ['impersonate'] },
      { apiGroups: [authentication], resources: ['userextras/scopes'], verbs: ['impersonate'] },
    );
    const user = userOf('eve');
    expect(bench.as(user, { name: 'bob', groups: ['a', 'system:masters'] })).toMatchObject({ name: 'bob' });
    expect(bench.as(user, { name: 'alice' })).toMatch(/^403 /);
    expect(bench.as(user, { name: 'bob', groups: ['b'] })).toMatch(/^403 /);
    expect(bench.as(user, { name: 'bob', uid: '1' })).toMatch(/^403 /);
    expect(bench.as(user, { name: 'bob', extra: { scopes: ['a'] } })).toMatchObject({ name: 'bob' });
    expect(bench.as(user, { name: 'bob', extra: { other: ['a'] } })).toMatch(/^403 /);
  });

  it('takes the new rights for what they name, never for masters', () => {
    grant(
      { apiGroups: [''], resources: ['pods'], verbs: ['impersonate-on:user-info:list'] },
      { apiGroups: [authentication], resources: ['users'], verbs: ['impersonate:user-info'] },
      { apiGroups: [authentication], resources: ['groups'], verbs: ['impersonate:user-info'] },
    );
    const user = userOf('eve');
    expect(bench.as(user, { name: 'bob', groups: ['a', 'b', 'c', 'd'] })).toMatchObject({ name: 'bob' });
    expect(bench.as(user, { name: 'bob' }, { verb: 'get', group: '', resource: 'pods' })).toMatch(/^403 /);
    expect(bench.as(user, { name: 'bob', groups: ['system:masters'] })).toMatch(
      /^403 groups.authentication.k8s.io "system:masters" is forbidden: .*: impersonating the system:masters group is not allowed$/,
    );
    expect(bench.as(user, { name: 'system:serviceaccount:a:b' })).toMatch(/^403 /);
  });
});
