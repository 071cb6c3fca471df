import { describe, expect, it } from 'vitest';
import type { RequestAttributes } from '#lib/apiserver/access/user.ts';
import { AccessBench, answerOf, listPods, userOf } from './bench.ts';

const eve = { kind: 'User', name: 'eve' };

/** Whether a rule with a cluster-wide binding allows a request. */
const allows = (
  rule: object,
  wanted: Partial<Record<'verb' | 'group' | 'resource' | 'subresource' | 'name' | 'namespace', string>>,
): boolean => {
  const bench = new AccessBench();
  bench.grant('test', eve, [{ apiGroups: [''], resources: ['pods'], verbs: ['get'], ...rule }]);
  return bench.may(userOf('eve'), { verb: 'get', group: '', resource: 'pods', ...wanted });
};

const path = (name: string, verb = 'get'): RequestAttributes => ({ verb, path: name });

describe('Authorizer.decide()', () => {
  it.each([
    ['the very thing', {}, {}, true],
    ['another verb', {}, { verb: 'list' }, false],
    ['any verb', { verbs: ['*'] }, { verb: 'impersonate' }, true],
    ['another group', {}, { group: 'apps' }, false],
    ['any group', { apiGroups: ['*'] }, { group: 'apps' }, true],
    ['a subresource of it', {}, { subresource: 'status' }, false],
    ['the subresource alone', { resources: ['pods/status'] }, { subresource: 'status' }, true],
    ['the object of a subresource', { resources: ['pods/status'] }, {}, false],
    ['a subresource of anything', { resources: ['*/scale'] }, { subresource: 'scale' }, true],
    ['another one of anything', { resources: ['*/scale'] }, { subresource: 'status' }, false],
    ['no subresource of "pods/*"', { resources: ['pods/*'] }, { subresource: 'status' }, false],
    ['anything', { resources: ['*'] }, { resource: 'secrets', subresource: 'a' }, true],
    ['a name', { resourceNames: ['a', 'b'] }, { name: 'b' }, true],
    ['another name', { resourceNames: ['a', 'b'] }, { name: 'c' }, false],
    ['a list, by names', { resourceNames: ['a'], verbs: ['list'] }, { verb: 'list' }, false],
    ['a list of that name alone', { resourceNames: ['a'], verbs: ['list'] }, { verb: 'list', name: 'a' }, true],
    ['a create, by names', { resourceNames: ['a'], verbs: ['create'] }, { verb: 'create' }, false],
    ['no star as a name', { resourceNames: ['*'] }, { name: 'a' }, false],
  ])('%s', (_, rule, wanted, expected) => {
    expect(allows(rule, wanted)).toBe(expected);
  });

  it('knows users, groups and service accounts, in a namespace those of its own', () => {
    const bench = new AccessBench();
    const rules = [{ apiGroups: [''], resources: ['pods'], verbs: ['list'] }];
    bench.grant('a', { kind: 'Group', name: 'system:serviceaccounts:default' }, rules, 'default');
    bench.grant('b', { kind: 'ServiceAccount', name: 'x', namespace: 'default' }, rules, 'other');
    bench.account('x');
    bench.account('y');
    const [x, y] = ['x', 'y'].map((name) => bench.access.authenticate(`Bearer ${bench.token(name)}`));
    if (!x || !y) throw new Error('no tokens');
    const inOther = { ...listPods, namespace: 'other' };
    const everywhere = { ...listPods, namespace: '' };
    expect([x, y].map((user) => bench.may(user, listPods))).toEqual([true, true]);
    expect([x, y].map((user) => bench.may(user, inOther))).toEqual([true, false]);
    expect([x, y].map((user) => bench.may(user, everywhere))).toEqual([false, false]);
    expect(bench.may(userOf('system:serviceaccount:default:x'), inOther)).toBe(true);
    expect(bench.may(userOf('x'), inOther)).toBe(false);
    bench.grant('c', { kind: 'Group', name: 'system:authenticated' }, rules);
    expect(bench.may(userOf('anybody'), everywhere)).toBe(true);
    expect(bench.may({ name: 'system:anonymous', groups: ['system:unauthenticated'] }, everywhere)).toBe(false);
  });

  it('lets a role of a namespace reach no paths, and paths follow their stars', () => {
    const bench = new AccessBench();
    bench.grant('a', eve, [{ nonResourceURLs: ['/metrics', '/logs/*'], verbs: ['get'] }]);
    const user = userOf('eve');
    const paths = ['/metrics', '/metrics/a', '/logs', '/logs/', '/logs/a/b', '/api', '/secret'];
    expect(paths.filter((name) => bench.may(user, path(name)))).toEqual(['/metrics', '/logs/', '/logs/a/b', '/api']);
    expect(bench.may(user, path('/metrics', 'post'))).toBe(false);
    expect(bench.may({ name: 'system:anonymous', groups: ['system:unauthenticated'] }, path('/healthz'))).toBe(true);
  });

  it('names the roles that do not exist, each once', () => {
    const bench = new AccessBench();
    const bind = (name: string, kind: string, role: string): void => {
      const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind, name: role };
      bench.create('rolebindings', { metadata: { name }, subjects: [eve], roleRef }, { namespace: 'default' });
    };
    const refusal = (): unknown => answerOf(() => bench.access.authorize(userOf('eve'), listPods));
    const cannot = 'User "eve" cannot list resource "pods" in API group "" in the namespace "default"';
    bind('a', 'Role', 'gone');
    bind('b', 'Role', 'gone');
    expect(refusal()).toBe(`403 pods is forbidden: ${cannot}: RBAC: role.rbac.authorization.k8s.io "gone" not found`);
    bind('c', 'ClusterRole', 'gone');
    expect(refusal()).toBe(
      `403 pods is forbidden: ${cannot}: RBAC: [role.rbac.authorization.k8s.io "gone" not found, clusterrole.rbac.authorization.k8s.io "gone" not found]`,
    );
  });
});
