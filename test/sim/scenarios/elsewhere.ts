import type { ServerObject } from '#lib/apiserver/machinery/object.ts';
import { ConfigMap } from '#lib/kind/handles/reference.ts';
import { refOf } from '#lib/kind/names.ts';
import type { ChaosOptions } from '#lib/sim/explore/chaos.ts';
import type { ClusterView, Invariant, ScriptStep } from '#lib/sim/world/scenario/scenario.ts';
import { beacon } from '#test/cluster/beacon-kind.ts';
import { type Case, casesOf } from './case.ts';

const beacons = refOf(beacon);
const namespace = 'default';

const create = (name: string, ...targets: readonly string[]): ScriptStep => ({
  label: `user creates beacon ${name}`,
  run: (user) => {
    const { apiVersion, kind } = beacons;
    const spec = { text: 'a', targets, priority: 5 };
    user.create(beacons, { apiVersion, kind, metadata: { name, namespace }, spec });
  },
});

const edit = (name: string, spec: { readonly text?: string; readonly targets?: readonly string[] }): ScriptStep => ({
  label: `user edits beacon ${name}: ${JSON.stringify(spec)}`,
  run: (user) => void user.patch({ resource: beacons, namespace, name }, { spec: { ...spec } }),
});

const remove = (name: string): ScriptStep => ({
  label: `user deletes beacon ${name}`,
  run: (user) => void user.delete({ resource: beacons, namespace, name }),
});

/** The user removes the finalizer first, so that the resource vanishes at once. */
const escape = (name: string): ScriptStep => ({
  label: `user deletes beacon ${name} without its finalizer`,
  run: (user) => {
    user.patch({ resource: beacons, namespace, name }, { metadata: { finalizers: null } });
    user.delete({ resource: beacons, namespace, name });
  },
});

/** An object of another owner with the label of a child. */
const foreign: ScriptStep = {
  label: 'user creates a ConfigMap with forged marks',
  run: (user) => {
    const labels = { 'cdk8s-reconcile/elsewhere': 'no-uid' };
    const annotations = { 'cdk8s-reconcile/parent': `demo.example.com/beacon demo.example.com/v1 Beacon default/a` };
    const metadata = { name: 'forged', namespace: 'monitoring', labels, annotations };
    user.create(ConfigMap, { apiVersion: 'v1', kind: 'ConfigMap', metadata });
  },
};

const isOurs = ({ metadata }: ServerObject): boolean => metadata.labels?.['cdk8s-reconcile/elsewhere'] !== undefined;

const awayIn = (view: ClusterView): readonly ServerObject[] => [
  ...view.objects({ group: '', plural: 'configmaps' }).filter(isOurs),
  ...view.objects({ group: 'scheduling.k8s.io', plural: 'priorityclasses' }).filter(isOurs),
];

/** The final state: the resources, and the children elsewhere with the names of their resources. */
const atRest = (view: ClusterView): unknown => {
  const parents = view.objects({ group: 'demo.example.com', plural: 'beacons' });
  const names = new Map(parents.map(({ metadata }) => [metadata.uid, metadata.name]));
  const children = awayIn(view).map(({ kind, metadata, data }) => ({
    kind,
    namespace: metadata.namespace ?? '',
    parent: names.get(metadata.labels?.['cdk8s-reconcile/elsewhere'] ?? '') ?? 'none',
    text: (data as { readonly text?: string } | undefined)?.text ?? '',
  }));
  return {
    parents: parents.map(({ metadata: { name } }) => name),
    children: children.map((child) => JSON.stringify(child)).toSorted(),
  };
};

/** The operator never changes or deletes an object whose name lacks the hash of a resource. */
const foreignStays = (): Invariant => {
  let before: string | undefined;
  return {
    name: 'objects without all marks are left alone',
    check: (view) => {
      const now = view.objects({ group: '', plural: 'configmaps' }).find(({ metadata }) => metadata.name === 'forged')
        ?.metadata.resourceVersion;
      const was = before;
      before = now;
      return was === undefined || now === was ? undefined : `the forged ConfigMap was changed by "${view.lastStep}"`;
    },
    memory: () => before,
  };
};

const caseOf = casesOf({
  prefix: 'elsewhere',
  kinds: [beacon],
  invariants: () => [foreignStays()],
  outcome: atRest,
});

/** The operator often ends and starts again. */
const oftenDown: ChaosOptions = { faults: 20, weights: { crash: 20 } };

/** Scenarios of resources with children in other namespaces, and cluster-scoped children. */
export const elsewhereCases: readonly Case[] = [
  caseOf('create', [create('a', 'monitoring', 'logging'), foreign]),
  caseOf('edit', [create('a', 'monitoring'), edit('a', { text: 'b' }), edit('a', { targets: ['logging'] })]),
  caseOf('delete', [create('a', 'monitoring', 'logging'), create('b', 'monitoring'), foreign, remove('a')]),
  caseOf('delete-while-down', [create('a', 'monitoring', 'logging'), remove('a')], { chaos: oftenDown }),
  caseOf('vanishes', [create('a', 'monitoring'), create('b', 'monitoring'), escape('a')]),
  caseOf('vanishes-while-down', [create('a', 'monitoring'), escape('a')], { chaos: oftenDown }),
  caseOf('comes-back', [create('a', 'monitoring'), escape('a'), create('a', 'logging')], { chaos: oftenDown }),
];
