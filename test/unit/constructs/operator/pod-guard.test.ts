import { describe, expect, it } from 'vitest';
import { podSet } from '#constructs/pod-set/kind.ts';
import { defineKind } from '#lib/desired/definition.ts';
import { ready } from '#lib/desired/result/state.ts';
import { elsewhere } from '#lib/kind/handles/elsewhere.ts';
import { ConfigMap, type KindRef } from '#lib/kind/handles/reference.ts';
import { s } from '#lib/kind/schema/schema.ts';
import { made } from './made.ts';

const owning = (kind: string, ...owns: KindRef[]) =>
  defineKind({
    group: 'demo.example.com',
    version: 'v1',
    kind,
    description: 'Owns something.',
    spec: s.object({ text: s.string({ maxLength: 10, description: 'The text.' }) }, { description: 'What to keep.' }),
    status: s.object({}, { description: 'Nothing.' }),
    owns,
    desired: () => ({ children: [], status: {}, state: ready('Done', '') }),
  });

const ref = (apiVersion: string, kind: string): KindRef => ({
  apiVersion,
  kind,
  plural: `${kind.toLowerCase()}s`,
  scope: 'Namespaced',
});

const PodSet = ref('app.example.com/v1alpha1', 'PodSet');
const Site = ref('demo.example.com/v1', 'Site');
const Certificate = ref('cert-manager.io/v1', 'Certificate');
const note = owning('Note', ConfigMap);

interface Policy {
  readonly matchConstraints: { readonly resourceRules: readonly { readonly resources: readonly string[] }[] };
  readonly validations: readonly { readonly expression: string }[];
}

interface Binding {
  readonly policyName: string;
  readonly validationActions: readonly string[];
}

/** The requests that each policy matches, and its result. */
const guards = (props: Parameters<typeof made>[1]): readonly object[] => {
  const bindings = made<Binding>('ValidatingAdmissionPolicyBinding', props);
  return made<Policy>('ValidatingAdmissionPolicy', props).map(({ metadata, spec }) => ({
    resources: spec.matchConstraints.resourceRules.flatMap(({ resources }) => resources),
    actions: bindings.find(({ spec: { policyName } }) => policyName === metadata.name)?.spec.validationActions,
  }));
};

const denied = (...resources: string[]) => ({ resources, actions: ['Deny'] });
const warned = (...resources: string[]) => ({ resources, actions: ['Warn'] });

describe('addPodGuard()', () => {
  it.each([
    { what: 'a kind that runs pods', props: {}, guarded: [denied('podsets')] },
    { what: 'a kind that runs none', props: { kinds: [note] }, guarded: [] },
    { what: 'one of each', props: { kinds: [podSet, note], podGuard: true as const }, guarded: [denied('podsets')] },
    {
      what: 'kinds that run pods through kinds of the bundle, in a circle too',
      props: { kinds: [podSet, owning('Shop', Site), owning('Site', PodSet, ref('demo.example.com/v1', 'Shop'))] },
      guarded: [denied('podsets', 'shops', 'sites')],
    },
    {
      what: 'a kind that owns a kind which nothing here defines',
      props: { kinds: [podSet, owning('Site', Certificate)] },
      guarded: [denied('podsets'), warned('sites')],
    },
    {
      what: 'a kind of the library that is not in the bundle',
      props: { kinds: [owning('Site', PodSet)] },
      guarded: [warned('sites')],
    },
    { what: "podGuard: 'warn'", props: { podGuard: 'warn' as const }, guarded: [warned('podsets')] },
    { what: 'podGuard: false', props: { kinds: [podSet, owning('Site', Certificate)], podGuard: false }, guarded: [] },
  ])('addPodGuard() guards $guarded for $what', ({ props, guarded }) => {
    expect(guards(props)).toEqual(guarded);
  });

  it('addPodGuard() asks for the rights to create and to delete pods', () => {
    const [policy] = made<Policy>('ValidatingAdmissionPolicy');
    const [validation] = policy?.spec.validations ?? [];
    expect(validation?.expression).toContain("check('create').allowed()");
    expect(validation?.expression).toContain("check('delete').allowed()");
  });

  it('addPodGuard() checks each place of pods by an expression of its own, because two more checks exceed the cost limit', () => {
    const namespaces = Array.from({ length: 15 }, (_, index) => `team-${String(index).padStart(2, '0')}`);
    const Deployment = ref('apps/v1', 'Deployment');
    const kinds = [
      owning('Shop', elsewhere(Deployment, { namespaces })),
      owning('Site', Deployment, elsewhere(Deployment, { namespaces: 'any' })),
    ];
    const policies = made<Policy>('ValidatingAdmissionPolicy', { kinds });
    const numbers = policies.map(({ spec }) => spec.validations.length);
    expect(numbers.toSorted((a, b) => a - b)).toEqual([2, 3, 12]);
    const expressions = policies.flatMap(({ spec }) => spec.validations.map(({ expression }) => expression));
    expect(expressions.filter((expression) => expression.split('.check(').length !== 3)).toEqual([]);
    for (const namespace of namespaces)
      expect(expressions.filter((expression) => expression.includes(`'${namespace}'`))).toHaveLength(1);
  });

  it.each([{ kinds: [note] }, { kinds: [owning('Site', PodSet)] }])(
    'Operator refuses podGuard: true when it guards nothing',
    ({ kinds }) => {
      expect(() => made('ValidatingAdmissionPolicy', { kinds, podGuard: true })).toThrow(
        /podGuard is true, and guards nothing: no resource of (?:Note|Site) becomes a pod/,
      );
    },
  );

  it("Operator refuses a podGuard that is none of true, 'warn' and false", () => {
    const props = { podGuard: 'deny' as never };
    expect(() => made('Deployment', props)).toThrow(/podGuard is "deny".*expected one of true, warn, false/);
  });
});

/** The sentences of the annotation. */
const sentences = (...owns: KindRef[]): string => {
  const names = new Set(owns.map(({ kind }) => kind));
  const grants = { ...(names.has('Role') && { escalate: [] }), ...(names.has('RoleBinding') && { bind: [] }) };
  const [role] = made('ClusterRole', { kinds: [owning('Site', ...owns)], grants });
  return role?.metadata.annotations?.['cdk8s-reconcile/escalation'] ?? '';
};

const CLUSTER_SCOPED = new Set([
  'MutatingWebhookConfiguration',
  'ValidatingWebhookConfiguration',
  'CustomResourceDefinition',
  'PersistentVolume',
]);

describe('escalationSentences()', () => {
  it.each([
    ['v1', 'Secret', 'receives a token of any ServiceAccount'],
    ['v1', 'ServiceAccount', 'rights that are bound to such a name'],
    ['rbac.authorization.k8s.io/v1', 'Role', 'rights granted'],
    ['rbac.authorization.k8s.io/v1', 'RoleBinding', 'rights granted'],
    ['admissionregistration.k8s.io/v1', 'MutatingWebhookConfiguration', 'requests of the whole cluster'],
    ['admissionregistration.k8s.io/v1', 'ValidatingWebhookConfiguration', 'requests of the whole cluster'],
    ['apiextensions.k8s.io/v1', 'CustomResourceDefinition', 'APIs of the cluster'],
    ['v1', 'PersistentVolume', 'files of nodes'],
    ['cert-manager.io/v1', 'Certificate', 'certificates.cert-manager.io written'],
    ['gateway.networking.k8s.io/v1', 'Gateway', 'gateways.gateway.networking.k8s.io written'],
  ])('escalationSentences() names what authors gain by %s %s', (apiVersion, kind, gain) => {
    const handle = ref(apiVersion, kind);
    const text = sentences(CLUSTER_SCOPED.has(kind) ? elsewhere({ ...handle, scope: 'Cluster' }) : handle);
    expect(text).toMatch(/^authors of Site can have /);
    expect(text).toContain(gain);
  });

  it('escalationSentences() says nothing of a kind that owns ConfigMaps, nor of kinds of the bundle by themselves', () => {
    expect(sentences(ConfigMap)).toBe('');
    const kinds = [note, owning('Site', ref('demo.example.com/v1', 'Note'))];
    expect(made('ClusterRole', { kinds })[0]?.metadata.annotations).toBeUndefined();
  });
});
