import { App, Chart } from 'cdk8s';
import { describe, expect, it } from 'vitest';
import { Operator, type OperatorProps } from '#constructs/operator/operator.ts';
import { defineKind } from '#lib/desired/definition.ts';
import { ready } from '#lib/desired/result/state.ts';
import { RoleBinding } from '#lib/kind/handles/built-in-handles.ts';
import { s } from '#lib/kind/schema/schema.ts';
import { refusalText } from '#lib/loop/pass/report/refusal-text.ts';

const tenant = defineKind({
  group: 'demo.example.com',
  version: 'v1',
  kind: 'Tenant',
  description: 'A team.',
  spec: s.object({}),
  status: s.object({}),
  owns: [RoleBinding],
  desired: () => ({ children: [], status: {}, state: ready('Done', '') }),
});

interface RoleManifest {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly annotations?: Readonly<Record<string, string>> };
  readonly rules: readonly { readonly resources: readonly string[]; readonly verbs: readonly string[] }[];
}

const rolesOf = (more: Partial<OperatorProps>): readonly RoleManifest[] => {
  const chart = new Chart(new App(), 'chart');
  new Operator(chart, 'operator', { kinds: [tenant], image: 'operator:1', name: 'op', ...more });
  return (chart.toJson() as RoleManifest[]).filter(
    ({ kind, metadata }) => kind.endsWith('Role') && metadata.name === 'op',
  );
};

const granting = ({ rules }: RoleManifest): readonly object[] =>
  rules.filter(({ verbs }) => verbs.includes('bind') || verbs.includes('escalate'));

const apiGroups = ['rbac.authorization.k8s.io'];

describe('grants of Operator', () => {
  it('Operator refuses a kind that owns RoleBindings, and names the option and an example', () => {
    expect(() => rolesOf({})).toThrow(
      /Tenant owns RoleBinding, and the API server forbids.*name the roles.*grants: \{ bind: \['ClusterRole\/view'\] \}/,
    );
  });

  it('Operator refuses grants that no kind uses', () => {
    expect(() => rolesOf({ grants: { bind: [], escalate: ['Role/reader'] } })).toThrow(
      'grants.escalate names Role/reader, and no kind of this operator owns roles [grants]; leave it out',
    );
  });

  it('Operator gives bind and escalate on the named roles alone, and says what that amounts to', () => {
    const [role] = rolesOf({ grants: { bind: ['ClusterRole/view', 'Role/reader', 'ClusterRole/edit'], escalate: [] } });
    expect(role && granting(role)).toEqual([
      { apiGroups, resources: ['clusterroles'], resourceNames: ['edit', 'view'], verbs: ['bind'] },
      { apiGroups, resources: ['roles'], resourceNames: ['reader'], verbs: ['bind'] },
    ]);
    expect(role?.metadata.annotations?.['cdk8s-reconcile/escalation']).toContain(
      'users with write access to Tenant can obtain the permissions of ClusterRole/edit, ClusterRole/view, Role/reader',
    );
  });

  it('Operator gives them in its namespaces when it works in some alone', () => {
    const roles = rolesOf({ namespaces: ['team-a'], grants: { bind: ['ClusterRole/view'] } });
    expect(roles.filter(({ kind }) => kind === 'Role').flatMap(granting)).toEqual([
      { apiGroups, resources: ['clusterroles'], resourceNames: ['view'], verbs: ['bind'] },
    ]);
    expect(roles.filter(({ kind }) => kind === 'ClusterRole').flatMap(granting)).toEqual([]);
  });

  it('Operator gives nothing more when the operator has the rights itself', () => {
    expect(rolesOf({ grants: { bind: [] } }).flatMap(granting)).toEqual([]);
  });

  it('refusalText() names the way out of a binding that is forbidden', () => {
    const refusal = {
      verb: 'apply',
      kind: 'RoleBinding',
      name: 'a',
      reason: 'Forbidden',
      attempts: 1,
      at: '',
    } as const;
    expect(refusalText(refusal)).toMatch(/^cannot apply RoleBinding: .*`grants` of the Operator construct/);
    expect(refusalText({ ...refusal, kind: 'ConfigMap' })).not.toContain('grants');
  });
});
