import { App, Chart, Testing } from 'cdk8s';
import { describe, expect, it } from 'vitest';
import { Operator } from '#constructs/operator/operator.ts';
import { podSet } from '#constructs/pod-set/kind.ts';
import type { AnyKindDefinition } from '#lib/desired/definition.ts';
import { extendKind } from '#lib/desired/extension/extend-kind.ts';
import { ready } from '#lib/desired/result/state.ts';
import {
  Ingress,
  PersistentVolumeClaim,
  PriorityClass,
  RoleBinding,
  Secret,
} from '#lib/kind/handles/built-in-handles.ts';
import { type Elsewhere, elsewhere } from '#lib/kind/handles/elsewhere.ts';
import { ConfigMap, type KindRef, Pod } from '#lib/kind/handles/reference.ts';
import { refOf } from '#lib/kind/names.ts';
import { shelf } from '#test/unit/support/shelf-kind.ts';
import { made } from './made.ts';

const all = ['create', 'delete', 'get', 'list', 'patch', 'watch'];

const owning = (...owns: KindRef[]): AnyKindDefinition => ({
  ...(shelf as unknown as AnyKindDefinition),
  description: 'Owns something.',
  owns,
});

const reading = (...reads: KindRef[]): AnyKindDefinition => ({ ...owning(), reads });

interface RoleManifest {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
  readonly rules: readonly { readonly resources: readonly string[]; readonly verbs: readonly string[] }[];
}

/** The rules of all roles except for those of the lease, by kind, namespace and name. */
const rulesFor = (props: Partial<ConstructorParameters<typeof Operator>[2]>) => {
  const chart = new Chart(new App(), 'chart');
  new Operator(chart, 'operator', { kinds: [], image: 'registry.example.com/operator:1', name: 'op', ...props });
  const roles = (Testing.synth(chart) as RoleManifest[]).filter(
    ({ kind }) => kind === 'Role' || kind === 'ClusterRole',
  );
  const entries = roles.map(({ kind, metadata: { namespace = '', name }, rules }) => {
    const verbs = rules.flatMap((rule) => rule.resources.map((resource) => [resource, rule.verbs] as const));
    return [`${kind} ${namespace}/${name}`, Object.fromEntries(verbs)] as const;
  });
  return Object.fromEntries(entries.filter(([id]) => !id.endsWith('leader-election')));
};

const refused = (definition: AnyKindDefinition): unknown => {
  try {
    rulesFor({ kinds: [definition] });
    return undefined;
  } catch (error) {
    return error;
  }
};

describe('an Operator with children elsewhere', () => {
  it('has rights on them in the named namespaces alone, and may set the finalizer of the resources', () => {
    const away = elsewhere(ConfigMap, { namespaces: ['logging', 'monitoring'] });
    const rules = rulesFor({ kinds: [owning(away)] });
    expect(rules).toEqual({
      'ClusterRole /op': {
        shelves: ['get', 'list', 'patch', 'watch'],
        'shelves/status': ['patch'],
        events: ['create', 'patch'],
      },
      'Role logging/op-elsewhere': { configmaps: all },
      'Role monitoring/op-elsewhere': { configmaps: all },
    });
  });

  it('has the rights on cluster-scoped children, and on children in any namespace, in its ClusterRole alone', () => {
    const kinds = [owning(Pod, elsewhere(PriorityClass), elsewhere(ConfigMap, { namespaces: 'any' }))];
    const {
      'ClusterRole /op': cluster,
      'Role team-a/op': team,
      ...others
    } = rulesFor({ kinds, namespaces: ['team-a'] });
    expect(cluster).toEqual({ configmaps: all, priorityclasses: all });
    expect(team).not.toHaveProperty('configmaps');
    expect(team).toMatchObject({ pods: all, 'shelves/finalizers': ['update'] });
    expect(others).toEqual({});
  });

  it('may bind the granted roles only where it writes the bindings', () => {
    const kinds = [owning(elsewhere(RoleBinding, { namespaces: ['monitoring'] }))];
    const rules = rulesFor({ kinds, grants: { bind: ['ClusterRole/view'] } });
    expect(rules['ClusterRole /op']).not.toHaveProperty('clusterroles');
    expect(rules['Role monitoring/op-elsewhere']).toEqual({ rolebindings: all, clusterroles: ['bind'] });
  });

  it.each<{ kind: KindRef; places?: Elsewhere; says: string }>([
    { kind: ConfigMap, says: 'elsewhere() of configmaps has no namespaces' },
    {
      kind: PersistentVolumeClaim,
      places: { namespaces: ['a'] },
      says: 'elsewhere() of persistentvolumeclaims holds data, and children elsewhere are deleted without consent',
    },
    { kind: ConfigMap, places: { namespaces: [] }, says: 'elsewhere() of configmaps has an empty list of namespaces' },
    { kind: ConfigMap, places: { namespaces: ['A B'] }, says: 'names "A B", which cannot be the name of a namespace' },
    { kind: PriorityClass, places: { namespaces: 'any' }, says: 'has namespaces, and the kind is cluster-scoped' },
  ])('refuses wrong places: $says', ({ kind, places, says }) => {
    expect(String(refused(owning(elsewhere(kind, places))))).toContain(says);
  });

  it('accepts a namespace whose name begins with a digit', () => {
    expect(refused(owning(elsewhere(ConfigMap, { namespaces: ['2026-team'] })))).toBeUndefined();
  });

  it.each([
    { what: 'a cluster-scoped kind', kind: { ...owning(elsewhere(PriorityClass)), scope: 'Cluster' as const } },
    { what: 'look-ups without namespaces', kind: reading(elsewhere(ConfigMap)) },
    { what: 'look-ups of a cluster-scoped kind', kind: reading(elsewhere(PriorityClass)) },
    { what: 'look-ups in an empty list', kind: reading(elsewhere(ConfigMap, { namespaces: [] })) },
    { what: 'look-ups of Secrets in any namespace', kind: reading(elsewhere(Secret, { namespaces: 'any' })) },
    {
      what: 'look-ups of a cluster-scoped resource',
      kind: { ...reading(elsewhere(ConfigMap, { namespaces: ['a'] })), scope: 'Cluster' as const },
    },
    { what: 'a kind named twice', kind: owning(elsewhere(PriorityClass), elsewhere(PriorityClass)) },
    { what: 'a cluster-scoped child without consent', kind: owning(PriorityClass) },
  ])('refuses elsewhere() for $what', ({ kind }) => {
    expect(refused(kind)).toMatchObject({ code: expect.stringMatching(/^Invalid/) });
  });

  it('may list and watch what it looks up in the named namespaces alone, and does not write there', () => {
    const kinds = [
      reading(ConfigMap, elsewhere(ConfigMap, { namespaces: ['platform'] })),
      { ...reading(elsewhere(Ingress, { namespaces: 'any' })), kind: 'Rack', plural: 'racks' },
    ];
    const {
      'ClusterRole /op': cluster,
      'Role team-a/op': team,
      ...others
    } = rulesFor({ kinds, namespaces: ['team-a'] });
    expect(cluster).toEqual({ ingresses: ['list', 'watch'] });
    expect(team).toMatchObject({ configmaps: ['list', 'watch'] });
    expect(others).toEqual({ 'Role platform/op-elsewhere': { configmaps: ['list', 'watch'] } });
  });

  it('names for reviewers what authors can have read elsewhere', () => {
    const chart = new Chart(new App(), 'chart');
    const kinds = [reading(ConfigMap, elsewhere(ConfigMap, { namespaces: ['platform'] }))];
    const operator = new Operator(chart, 'operator', { kinds, image: 'registry.example.com/operator:1' });
    expect(operator.escalations).toEqual([
      'authors of Shelf can have configmaps read in platform through the operator, also without rights there',
    ]);
  });

  it('names for reviewers what authors reach elsewhere through a kind that their resources own, and not the own namespace', () => {
    const inner = owning(elsewhere(PriorityClass), elsewhere(Pod, { namespaces: 'any' }));
    const owned = {
      ...inner,
      kind: 'Inner',
      plural: 'inners',
      reads: [elsewhere(ConfigMap, { namespaces: ['platform'] })],
    };
    const app = new App();
    const operator = new Operator(new Chart(app, 'chart'), 'operator', {
      kinds: [owning(refOf(owned)), owned],
      image: 'op:1',
      name: 'op',
    });
    const away = operator.escalations.filter((text) => text.endsWith('also without rights there'));
    const end = 'through the operator, also without rights there';
    const reach = (kind: string): readonly string[] => [
      `authors of ${kind} can have priorityclasses.scheduling.k8s.io written for the whole cluster ${end}`,
      `authors of ${kind} can have pods written in any namespace except kube-* and that of the operator ${end}`,
      `authors of ${kind} can have configmaps read in platform ${end}`,
    ];
    expect(away).toEqual([...reach('Shelf'), ...reach('Inner')]);
  });

  it('names for reviewers what authors can have written elsewhere', () => {
    const kinds = [owning(elsewhere(ConfigMap, { namespaces: ['monitoring'] }), elsewhere(PriorityClass))];
    const chart = new Chart(new App(), 'chart');
    const operator = new Operator(chart, 'operator', { kinds, image: 'registry.example.com/operator:1' });
    expect(operator.escalations).toEqual([
      'authors of Shelf can have configmaps written in monitoring through the operator, also without rights there',
      'authors of Shelf can have priorityclasses.scheduling.k8s.io written for the whole cluster through the operator, also without rights there',
    ]);
  });

  it.each([
    { what: 'children elsewhere', owns: elsewhere(ConfigMap, { namespaces: ['monitoring'] }) },
    { what: 'cluster-scoped children', owns: elsewhere(PriorityClass) },
    { what: 'rights', owns: RoleBinding },
  ])('userRoles gives users with the role edit no right to write a kind with $what, and warns', ({ owns }) => {
    const grants = owns === RoleBinding ? { grants: { bind: ['ClusterRole/cluster-admin' as const] } } : {};
    const props = { kinds: [owning(owns), podSet], userRoles: true, ...grants };
    const rules = rulesFor(props);
    expect(rules['ClusterRole /op-view']).toHaveProperty('shelves');
    expect(rules['ClusterRole /op-edit']).toEqual({
      podsets: expect.anything() as unknown,
      'podsets/scale': expect.anything() as unknown,
    });
    const operator = new Operator(new Chart(new App(), 'chart'), 'operator', { image: 'op:1', ...props });
    expect(operator.warnings).toEqual([expect.stringContaining('userRoles does not add Shelf')]);
  });

  it.each([
    { places: ['batch'], namespaces: ["'batch'"], says: 'pods in batch' },
    { places: 'any' as const, namespaces: ["''"], says: 'pods in all namespaces' },
  ])('the pod guard asks for rights where the pods are: $places', ({ places, namespaces, says }) => {
    const kinds = [owning(elsewhere(Pod, { namespaces: places }))];
    expect(guardOf(kinds)).toEqual([{ namespaces, says: expect.stringContaining(says) }]);
  });

  it('the pod guard asks for rights where extensions of a kind have pods', () => {
    const own = owning(Pod);
    const extension = extendKind({
      of: refOf(own),
      name: 'sidecars',
      group: 'platform.acme.io',
      owns: [elsewhere(Pod, { namespaces: ['batch'] })],
      desired: () => ({ children: [], state: ready('Done', '') }),
    });
    const guards = guardOf([own, extension]);
    expect(guards.map(({ namespaces }) => namespaces)).toEqual([
      ["'batch'"],
      ["object.metadata.?namespace.orValue('')"],
    ]);
  });

  it('an extension with children elsewhere gets no right to write its parents', () => {
    const extension = extendKind({
      of: Ingress,
      name: 'certificates',
      group: 'platform.acme.io',
      owns: [elsewhere(ConfigMap, { namespaces: ['monitoring'] })],
      desired: () => ({ children: [], state: ready('Done', '') }),
    });
    const rules = rulesFor({ kinds: [extension] });
    expect(rules['ClusterRole /op']).toMatchObject({ ingresses: ['get', 'list', 'watch'] });
    expect(rules['Role monitoring/op-elsewhere']).toEqual({ configmaps: all });
  });
});

interface Policy {
  readonly validations: readonly { readonly expression: string; readonly messageExpression: string }[];
}

const guardOf = (kinds: readonly AnyKindDefinition[]) =>
  made<Policy>('ValidatingAdmissionPolicy', { kinds }).flatMap(({ spec }) =>
    spec.validations.map(({ expression, messageExpression }) => ({
      namespaces: [...new Set([...expression.matchAll(/\.namespace\((.*?)\)\.check/g)].map(([, place]) => place))],
      says: messageExpression,
    })),
  );
