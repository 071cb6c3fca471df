import { describe, expect, it } from 'vitest';
import { podSet } from '#constructs/pod-set/kind.ts';
import { clusterEventRules, policyRules } from '#lib/desired/rights/policy-rules.ts';
import { ConfigMap, Deployment, Pod, reading } from '#lib/kind/handles/reference.ts';
import { shelf } from '#test/unit/support/shelf-kind.ts';

const childVerbs = ['create', 'delete', 'get', 'list', 'patch', 'watch'];
const onPods = { apiGroups: [''], resources: ['pods'], verbs: childVerbs };

const onQuotas = { apiGroups: [''], resources: ['resourcequotas'], verbs: ['list', 'watch'] };

const onRevisions = { apiGroups: ['apps'], resources: ['controllerrevisions'], verbs: childVerbs };
const onEvents = { apiGroups: ['events.k8s.io'], resources: ['events'], verbs: ['create', 'patch'] };

describe('policyRules()', () => {
  it('policyRules() asks for exactly what the loop uses when it runs PodSet', () => {
    expect(policyRules([podSet])).toEqual([
      onPods,
      onQuotas,
      { apiGroups: ['app.example.com'], resources: ['podsets'], verbs: ['get', 'list', 'watch'] },
      { apiGroups: ['app.example.com'], resources: ['podsets/status'], verbs: ['patch'] },
      { apiGroups: ['app.example.com'], resources: ['podsets/finalizers'], verbs: ['update'] },
      onRevisions,
      onEvents,
    ]);
  });

  it('policyRules() asks once for the rights on a child kind that two kinds own', () => {
    expect(policyRules([podSet, { ...shelf, owns: [reading(Pod, ['spec.nodeName'])] }])).toEqual([
      onPods,
      onQuotas,
      { apiGroups: ['app.example.com'], resources: ['podsets'], verbs: ['get', 'list', 'watch'] },
      { apiGroups: ['app.example.com'], resources: ['podsets/status'], verbs: ['patch'] },
      { apiGroups: ['app.example.com'], resources: ['podsets/finalizers'], verbs: ['update'] },
      onRevisions,
      { apiGroups: ['demo.example.com'], resources: ['shelves'], verbs: ['get', 'list', 'watch'] },
      { apiGroups: ['demo.example.com'], resources: ['shelves/status'], verbs: ['patch'] },
      { apiGroups: ['demo.example.com'], resources: ['shelves/finalizers'], verbs: ['update'] },
      onEvents,
    ]);
  });

  it('policyRules() joins resources of a group for which the verbs are the same, and no others', () => {
    const rules = policyRules([{ ...shelf, owns: [Pod, ConfigMap, Deployment] }]);
    expect(rules).toContainEqual({ ...onPods, resources: ['configmaps', 'pods'] });
    expect(rules).toContainEqual({ ...onPods, apiGroups: ['apps'], resources: ['deployments'] });
  });

  it('policyRules() joins the rights when one kind is the child of another', () => {
    const sets = {
      apiVersion: 'app.example.com/v1alpha1',
      kind: 'PodSet',
      plural: 'podsets',
      scope: 'Namespaced',
    } as const;
    const rules = policyRules([podSet, { ...shelf, owns: [sets] }]);
    expect(rules.filter(({ resources }) => resources.includes('podsets'))).toEqual([
      { apiGroups: ['app.example.com'], resources: ['podsets'], verbs: childVerbs },
    ]);
  });

  it.each([
    { owns: [Pod], asks: true },
    { owns: [ConfigMap, reading(Pod, ['spec.nodeName'])], asks: true },
    { owns: [ConfigMap, Deployment], asks: false },
    { owns: [], asks: false },
  ])('policyRules() asks for quotas where pods are created, and nowhere else ($asks)', ({ owns, asks }) => {
    const quotas = policyRules([{ ...shelf, owns }]).filter(({ resources }) => resources.includes('resourcequotas'));
    expect(quotas).toEqual(asks ? [onQuotas] : []);
  });

  it.each([
    { owns: [Pod], asks: true },
    { owns: [], asks: false },
  ])(
    'policyRules() asks to update finalizers where children are created, and nowhere else ($asks)',
    ({ owns, asks }) => {
      const resources = policyRules([{ ...shelf, owns }]).flatMap((rule) => rule.resources);
      expect(resources.includes('shelves/finalizers')).toBe(asks);
    },
  );

  it('policyRules() asks to list and watch what is read, and for no more', () => {
    expect(policyRules([{ ...shelf, owns: [], reads: [ConfigMap] }])).toContainEqual({
      apiGroups: [''],
      resources: ['configmaps'],
      verbs: ['list', 'watch'],
    });
  });

  it('policyRules() is the same in whatever order the kinds come', () => {
    expect(policyRules([shelf, podSet])).toEqual(policyRules([podSet, shelf]));
  });

  it.each([
    { kinds: [podSet], reason: 'PodSet alone' },
    { kinds: [podSet, shelf], reason: 'two kinds' },
    { kinds: [{ ...shelf, owns: [Pod, ConfigMap, Deployment] }], reason: 'a kind with many children' },
  ])('policyRules() never asks for everything, for secrets, or for more than it uses ($reason)', ({ kinds }) => {
    const rules = policyRules(kinds);
    const words = rules.flatMap(({ apiGroups, resources, verbs }) => [...apiGroups, ...resources, ...verbs]);
    const tooMuch = new Set(['*', 'secrets', 'deletecollection', 'escalate', 'bind', 'impersonate']);
    expect(words.filter((word) => tooMuch.has(word) || word.includes('*'))).toEqual([]);
    const updated = rules.flatMap(({ resources, verbs }) => (verbs.includes('update') ? resources : []));
    expect(updated.filter((resource) => !resource.endsWith('/finalizers'))).toEqual([]);
  });

  it('policyRules() never allows to write the resources that users write', () => {
    const own = policyRules([podSet]).filter(({ resources }) => resources.includes('podsets'));
    expect(own.flatMap(({ verbs }) => verbs)).toEqual(['get', 'list', 'watch']);
  });

  it('policyRules() asks to read single ConfigMaps and Secrets only where there are effects', () => {
    expect(policyRules([shelf], { hasEffects: true })).toContainEqual({
      apiGroups: [''],
      resources: ['configmaps', 'secrets'],
      verbs: ['get'],
    });
    expect(policyRules([shelf]).flatMap(({ resources }) => resources)).not.toContain('secrets');
  });

  it('policyRules() asks for no secrets when no resource is in a namespace, as none could name one', () => {
    const rules = policyRules([{ ...shelf, scope: 'Cluster' }], { hasEffects: true });
    expect(rules.flatMap(({ resources }) => resources)).not.toContain('secrets');
  });

  it('policyRules() asks for nothing when there are no kinds', () => {
    expect(policyRules([])).toEqual([]);
  });
});

describe('clusterEventRules()', () => {
  const scoped = { ...shelf, scope: 'Cluster' as const, owns: [] };

  it.each([
    { kinds: [scoped], namespaces: undefined, asks: true, reason: 'all resources are in no namespace' },
    { kinds: [scoped, podSet], namespaces: ['blue'], asks: true, reason: 'the others are in other namespaces' },
    { kinds: [scoped, podSet], namespaces: ['default'], asks: false, reason: 'it works in that namespace anyhow' },
    { kinds: [scoped, podSet], namespaces: undefined, asks: false, reason: 'it works in all namespaces anyhow' },
    { kinds: [podSet], namespaces: ['blue'], asks: false, reason: 'all resources are in namespaces' },
  ])('clusterEventRules() asks for events in one namespace: $asks, when $reason', ({ kinds, namespaces, asks }) => {
    expect(clusterEventRules(kinds, { namespaces })).toEqual(asks ? [onEvents] : []);
    if (!asks) return;
    const everywhere = policyRules(kinds, { scope: namespaces && 'Cluster' });
    expect(everywhere.flatMap(({ resources }) => resources)).not.toContain('events');
  });
});
