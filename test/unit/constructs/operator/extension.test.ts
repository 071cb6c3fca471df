import { describe, expect, it } from 'vitest';
import { podSet } from '#constructs/pod-set/kind.ts';
import { InvalidOperatorError } from '#lib/errors.ts';
import { Ingress } from '#lib/kind/handles/built-in-handles.ts';
import { ConfigMap, Pod } from '#lib/kind/handles/reference.ts';
import { dnsWith, extensionOf, tenantWith } from '#test/unit/support/tenant-extension.ts';
import { made } from './made.ts';

const rulesOf = (more: Parameters<typeof tenantWith>[0] = {}) =>
  made('ClusterRole', { kinds: [tenantWith(more)] })[0]?.rules;

const ofNamespaces = (more?: Parameters<typeof tenantWith>[0]) =>
  rulesOf(more)?.filter(({ resources }) => resources.some((name) => name.startsWith('namespaces')));

const escalationsOf = (annotation: boolean): unknown =>
  made('ClusterRole', { kinds: [tenantWith({ annotation })] })[0]?.metadata.annotations?.['cdk8s-reconcile/escalation'];

describe('Operator with an extension of an existing kind', () => {
  it('makes no CustomResourceDefinition and no roles for users', () => {
    const all = { kinds: [tenantWith()], userRoles: true, argoCd: true };
    expect(made('CustomResourceDefinition', all)).toEqual([]);
    expect(made('ClusterRole', all).map(({ metadata }) => metadata.name)).toEqual(['op']);
    const both = { kinds: [tenantWith(), podSet] };
    expect(made('CustomResourceDefinition', both).map(({ metadata }) => metadata.name)).toEqual([
      'podsets.app.example.com',
    ]);
  });

  it('may read the parents, and write what the extension reports, and no more', () => {
    const read = { apiGroups: [''], resources: ['namespaces'], verbs: ['get', 'list', 'watch'] };
    expect(ofNamespaces()).toEqual([read]);
    expect(ofNamespaces({ annotation: true })).toEqual([{ ...read, verbs: ['get', 'list', 'patch', 'watch'] }]);
    expect(ofNamespaces({ condition: { type: 'Done' } })).toEqual([
      read,
      { apiGroups: [''], resources: ['namespaces/status'], verbs: ['patch'] },
    ]);
  });

  it('names the authors of the parents in its escalations, and guards no existing kind', () => {
    const kinds = [tenantWith({ owns: [Pod] })];
    const [role] = made('ClusterRole', { kinds });
    expect(role?.metadata.annotations?.['cdk8s-reconcile/escalation']).toContain(
      'authors of Namespace (by tenant-defaults) can run and delete pods through the operator',
    );
    expect(made('ValidatingAdmissionPolicy', { kinds })).toEqual([]);
  });

  it('names the right to patch parents in its escalations, when an extension writes their annotation', () => {
    expect(escalationsOf(true)).toContain(
      'the operator may patch namespaces, to write the annotation of tenant-defaults: the holder of its token may change their other fields, too',
    );
    expect(escalationsOf(false) ?? '').not.toContain('may patch namespaces');
  });

  it('accepts extensions that select by labels, although they make objects of the kind of each other', () => {
    const where = { labels: { 'acme.io/dns': 'on' } };
    const kinds = [dnsWith({ where }), extensionOf(ConfigMap, [Ingress])];
    expect(made('ClusterRole', { kinds })).toHaveLength(1);
  });

  it('refuses extensions that cannot work, with path and remedy', () => {
    const twice = { kinds: [tenantWith(), tenantWith()] };
    expect(() => made('Role', twice)).toThrow(/names tenant-defaults\.platform\.acme\.io twice.*list every kind once/s);
    const strange = { kinds: [tenantWith({ name: 'Tenant', where: { namespaces: ['a'] } })] };
    expect(() => made('Role', strange)).toThrow(InvalidOperatorError);
    expect(() => made('Role', strange)).toThrow(/Tenant name: must be a DNS label.*Tenant where\.namespaces/s);
    const podsUndeclared = { kinds: [tenantWith({ where: { labels: { 'acme.io/tenant': '1' } }, owns: [Pod] })] };
    expect(() => made('Role', podsUndeclared)).toThrow(/list the kind in owns/);
  });
});
