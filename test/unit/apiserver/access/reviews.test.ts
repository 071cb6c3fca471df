import { beforeEach, describe, expect, it } from 'vitest';
import { AccessBench, userOf } from './bench.ts';

const eve = { kind: 'User', name: 'eve' };
const rule = { apiGroups: [''], resources: ['pods'], resourceNames: ['a'], verbs: ['get'] };
const admin = { name: 'admin', groups: ['system:masters'] };

let bench: AccessBench;

beforeEach(() => {
  bench = new AccessBench();
  bench.grant('reader', eve, [rule, { nonResourceURLs: ['/metrics'], verbs: ['get'] }]);
});

const can = (spec: object, user = userOf('eve')): unknown => bench.review(user, 'selfsubjectaccessreviews', spec);

describe('Access.answer() to a SelfSubjectAccessReview', () => {
  it('answers whether, and why', () => {
    const resourceAttributes = { verb: 'get', resource: 'pods', name: 'a', namespace: 'default' };
    expect(can({ resourceAttributes })).toEqual({
      kind: 'SelfSubjectAccessReview',
      apiVersion: 'authorization.k8s.io/v1',
      metadata: {},
      spec: { resourceAttributes },
      status: {
        allowed: true,
        reason: 'RBAC: allowed by ClusterRoleBinding "reader" of ClusterRole "reader" to User "eve"',
      },
    });
    expect(can({ resourceAttributes: { ...resourceAttributes, name: 'b' } })).toMatchObject({
      status: { allowed: false },
    });
    expect(can({ nonResourceAttributes: { verb: 'get', path: '/metrics' } })).toMatchObject({
      status: { allowed: true },
    });
    expect(can({ resourceAttributes }, admin)).toMatchObject({ status: { allowed: true } });
  });

  it('names binding, role and subject of a namespace', () => {
    const account = { kind: 'ServiceAccount', name: 'x', namespace: 'default' };
    bench.grant('local', account, [{ ...rule, resourceNames: [] }], 'default');
    const resourceAttributes = { verb: 'get', resource: 'pods', namespace: 'default' };
    expect(can({ resourceAttributes }, userOf('system:serviceaccount:default:x'))).toMatchObject({
      status: { reason: 'RBAC: allowed by RoleBinding "local/default" of Role "local" to ServiceAccount "x/default"' },
    });
  });

  it('wants one of resource and path', () => {
    expect(can({})).toMatch(
      /^422 \.authorization.k8s.io "" is invalid: spec.resourceAttributes: Invalid value: .*: exactly one of nonResourceAttributes or resourceAttributes must be specified$/,
    );
    expect(can({ resourceAttributes: {}, nonResourceAttributes: {} })).toMatch(
      /^422 .* spec.nonResourceAttributes: .*: cannot be specified in combination with resourceAttributes$/,
    );
  });
});

const about = (spec: object): unknown => bench.review(admin, 'subjectaccessreviews', spec);

describe('Access.answer() to a SubjectAccessReview', () => {
  const resourceAttributes = { verb: 'get', resource: 'pods', name: 'a', namespace: 'default' };

  it('returns the rights of another user, by name or by group', () => {
    const asked = about({ user: 'eve', resourceAttributes });
    expect(asked).toMatchObject({ kind: 'SubjectAccessReview', status: { allowed: true } });
    expect(about({ user: 'mallory', resourceAttributes })).toMatchObject({ status: { allowed: false } });
    expect(about({ groups: ['system:masters'], resourceAttributes })).toMatchObject({ status: { allowed: true } });
  });

  it('requires a user or a group', () => {
    expect(about({ resourceAttributes })).toBe(
      '422 .authorization.k8s.io "" is invalid: spec.user: Invalid value: "": at least one of user or group must be specified',
    );
  });
});

describe('Access.answer() to a SelfSubjectRulesReview', () => {
  it('lists what holds in a namespace, and which roles there are not', () => {
    const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'gone' };
    bench.create('rolebindings', { metadata: { name: 'b' }, subjects: [eve], roleRef }, { namespace: 'default' });
    const answer = bench.review({ name: 'eve', groups: [] }, 'selfsubjectrulesreviews', { namespace: 'default' });
    expect(answer).toEqual({
      apiVersion: 'authorization.k8s.io/v1',
      kind: 'SelfSubjectRulesReview',
      metadata: {},
      spec: {},
      status: {
        resourceRules: [rule],
        nonResourceRules: [{ nonResourceURLs: ['/metrics'], verbs: ['get'] }],
        incomplete: false,
        evaluationError: 'role.rbac.authorization.k8s.io "gone" not found',
      },
    });
    expect(bench.review(userOf('eve'), 'selfsubjectrulesreviews', {})).toBe('400 no namespace on request');
  });
});

describe('Access.answer() to a SelfSubjectReview', () => {
  it('returns the user of a token', () => {
    bench.account('x');
    const user = bench.access.authenticate(`Bearer ${bench.token('x')}`);
    expect(bench.review(user, 'selfsubjectreviews', {})).toMatchObject({
      status: {
        userInfo: {
          username: 'system:serviceaccount:default:x',
          uid: user.uid,
          extra: { 'authentication.kubernetes.io/credential-id': [expect.stringMatching(/^JTI=[0-9a-f-]{36}$/)] },
        },
      },
    });
  });
});
