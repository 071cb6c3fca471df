import { describe, expect, it } from 'vitest';
import { compileDefinition } from '#lib/desired/check/compile-definition.ts';
import { assertConsistent, consistencyIssues } from '#lib/desired/check/definition-check.ts';
import type { AnyKindDefinition } from '#lib/desired/definition.ts';
import { isParent } from '#lib/desired/extension/parents.ts';
import { observationOfParent } from '#lib/desired/observe/observation-of.ts';
import { isOrphan } from '#lib/desired/observe/selection.ts';
import { ready } from '#lib/desired/result/state.ts';
import { ConfigurationError, InvalidDesiredError, UndeclaredReadError } from '#lib/errors.ts';
import type { Extension } from '#lib/kind/extension.ts';
import { Ingress } from '#lib/kind/handles/built-in-handles.ts';
import { ConfigMap } from '#lib/kind/handles/reference.ts';
import { refOf } from '#lib/kind/names.ts';
import { flag } from '#test/unit/support/fleet-kind.ts';
import { dnsWith, extensionOf as extensionFor, MARK, TENANT, tenantWith } from '#test/unit/support/tenant-extension.ts';

const rulesOf = (definition: AnyKindDefinition): (string | undefined)[] =>
  consistencyIssues(definition).map(({ rule }) => rule);

const extensionOf = ({ extension }: AnyKindDefinition): Extension => extension as Extension;

const named = (name: string, metadata: object = {}) => ({ metadata: { name, ...metadata } });

describe('extendKind()', () => {
  it.each([
    ['extension-name', dnsWith({ name: 'DNS' })],
    ['extension-group', dnsWith({ group: 'acme' })],
    ['extension-group', dnsWith({ group: 'networking.k8s.io' })],
    ['extension-handle', dnsWith({ of: { ...Ingress, plural: 'Ingresses' } })],
    ['extension-handle', dnsWith({ of: { ...Ingress, apiVersion: 'networking.k8s.io' } })],
    ['extension-selection', tenantWith({ where: { namespaces: ['a'] } })],
    ['extension-selection', dnsWith({ where: { namespaces: ['a', 'kube-system'] } })],
    ['extension-owns-itself', dnsWith({ owns: [Ingress] })],
    ['extension-condition', dnsWith({ condition: { type: 'dns ready' } })],
    ['cluster-child', dnsWith({ owns: [refOf(flag)] })],
  ])('extendKind() is refused with %s', (rule, definition) => {
    expect(rulesOf(definition)).toEqual([rule]);
    expect(() => assertConsistent(definition)).toThrow(ConfigurationError);
  });

  it('compileDefinition() refuses an extension, which has no definition', () => {
    expect(() => compileDefinition(dnsWith())).toThrow(/extension: has no CustomResourceDefinition/);
  });

  it('extendKind() is accepted with labels or names in a namespace of Kubernetes', () => {
    const where = { namespaces: ['kube-system'] };
    expect(rulesOf(dnsWith({ where: { ...where, labels: { app: 'web' } } }))).toEqual([]);
    expect(rulesOf(dnsWith({ where: { ...where, names: ['web'] } }))).toEqual([]);
  });

  it.each([
    ['Cluster', { kind: 'Crate', plural: 'crates', apiVersion: 'acme.io/v1', scope: 'Cluster' }, 'team'],
    ['Namespaced', { kind: 'Crate', plural: 'crates', apiVersion: 'acme.io/v1', scope: 'Namespaced' }, ''],
  ] as const)('desired() of an extension is refused for a handle with the wrong scope %s', (_scope, of, namespace) => {
    const definition = extensionFor(of, [ConfigMap]);
    const seen = observationOfParent(definition, named('a'));
    const metadata = { ...seen.resource.metadata, namespace };
    expect(() => definition.desired({ ...seen, resource: { ...seen.resource, metadata } })).toThrow(
      /objects of crates.* have the scope (Cluster|Namespaced)/,
    );
  });

  it.each(['status', 'conditions', 'effects'])(
    'desired() of an extension is refused with %s in its result',
    (member) => {
      const result = { children: [], state: ready('Done', 'done'), [member]: {} };
      const definition = tenantWith({ desired: () => result });
      expect(() => definition.desired(observationOfParent(definition, named('a')))).toThrow(InvalidDesiredError);
    },
  );

  it('desired() of an extension sees declared fields only, and complete metadata', () => {
    const seen: unknown[] = [];
    const definition = tenantWith({
      desired: ({ resource }) => {
        seen.push(resource.metadata.generation, resource.metadata.labels[TENANT]);
        return { children: [], state: ready('Done', resource.spec === undefined ? 'none' : 'some') };
      },
    });
    const parent = observationOfParent(definition, { ...named('a', { labels: { [TENANT]: '1' } }) });
    expect(() => definition.desired(parent)).toThrow(UndeclaredReadError);
    expect(seen).toEqual([0, '1']);
  });
});

describe('isOrphan()', () => {
  it('isOrphan() is false for a child of an extension, which no other kind may adopt', () => {
    const owner = { apiVersion: 'v1', kind: 'Namespace', name: 'a', uid: 'u-1' };
    const child = { ...named('x', { ownerReferences: [owner], labels: { [MARK]: 'u-1' } }) };
    expect(isOrphan(child)).toBe(false);
    expect(isOrphan({ metadata: { ...child.metadata, labels: { [MARK]: 'u-2' } } })).toBe(true);
  });
});

describe('isParent()', () => {
  it('isParent() selects by labels, names and namespaces together', () => {
    const where = { labels: { app: 'web' }, names: ['a', 'b'], namespaces: ['team'] };
    const extension = extensionOf(dnsWith({ where }));
    const labels = { app: 'web' };
    expect(isParent(extension, named('a', { namespace: 'team', labels }))).toBe(true);
    expect(isParent(extension, named('c', { namespace: 'team', labels }))).toBe(false);
    expect(isParent(extension, named('a', { namespace: 'other', labels }))).toBe(false);
    expect(isParent(extension, named('a', { namespace: 'team' }))).toBe(false);
  });

  it('isParent() leaves out the namespaces of Kubernetes, and objects in them, unless they are named', () => {
    const all = extensionOf(dnsWith({}));
    expect(isParent(all, named('a', { namespace: 'kube-system' }))).toBe(false);
    expect(isParent(all, named('a', { namespace: 'kubernetes' }))).toBe(true);
    const label = { 'kubernetes.io/metadata.name': 'kube-public' };
    const one = extensionOf(tenantWith({ where: { labels: label } }));
    expect(isParent(one, named('kube-public', { labels: label }))).toBe(true);
    expect(isParent(one, named('kube-system', { labels: {} }))).toBe(false);
  });
});
