import { deepFreeze } from '#lib/desired/canonical/freeze.ts';
import type { AnyResource } from '#lib/desired/definition.ts';
import type { ChildIntent } from '#lib/desired/result/intent.ts';
import { isPlainObject } from '#lib/json.ts';
import { type KindRef, type KubeObject, Pod } from '#lib/kind/handles/reference.ts';
import type { FieldTree } from '#lib/plan/fields/pin.ts';
import type { PlanInput } from '#lib/plan/input.ts';
import { stamp } from '#lib/plan/stamp.ts';
import type { Child } from '#lib/plan/step.ts';

/** A kind that can be changed after creation. */
export const Settings: KindRef = {
  apiVersion: 'v1',
  kind: 'ConfigMap',
  plural: 'configmaps',
  scope: 'Namespaced',
};

/** A kind that holds data. */
export const Claim: KindRef = {
  apiVersion: 'v1',
  kind: 'PersistentVolumeClaim',
  plural: 'persistentvolumeclaims',
  scope: 'Namespaced',
  holdsData: true,
};

/** An object as a function declares it. */
export const intentOf = (kind: KindRef, name: string, more: object = {}): KubeObject => ({
  apiVersion: kind.apiVersion,
  kind: kind.kind,
  metadata: { name },
  ...more,
});

/** An observed object. */
export const childOf = (kind: KindRef, name: string, metadata: NonNullable<KubeObject['metadata']> = {}): Child => ({
  kind,
  object: {
    apiVersion: kind.apiVersion,
    kind: kind.kind,
    metadata: { name, namespace: 'default', uid: `uid-${kind.plural}-${name}`, resourceVersion: '7', ...metadata },
  },
});

/** All fields of an object, lists as one field each. */
const treeOf = (value: unknown): FieldTree =>
  isPlainObject(value)
    ? Object.fromEntries(Object.entries(value).map(([name, member]) => [`f:${name}`, treeOf(member)]))
    : {};

/** An observed child that was created from an intent. */
export const madeOf = (kind: KindRef, intent: KubeObject): Child => {
  const { object } = stamp(planInput([]), intent);
  const { name = '', annotations = {} } = object.metadata ?? {};
  const owned = { set: { id: 'all', tree: treeOf(object) }, values: 1 };
  return { ...childOf(kind, name, { annotations }), owned };
};

/** The parent of the children. */
export const parent = (annotations: Readonly<Record<string, string>> = {}): AnyResource => ({
  metadata: {
    name: 'web',
    namespace: 'default',
    uid: 'uid-web',
    generation: 3,
    creationTimestamp: '2026-11-21T09:00:00Z',
    labels: {},
    annotations,
    annotationManagers: {},
  },
  spec: {},
});

/** The frozen input of a plan; owns pods, settings and claims by default. */
export const planInput = (
  intents: readonly ChildIntent[],
  { children = [], orphans = [], resource = parent(), partial, owns = [Pod, Settings, Claim] }: PlanTraits = {},
): PlanInput =>
  deepFreeze({
    definition: { group: 'app.example.com', version: 'v1alpha1', kind: 'PodSet', owns },
    resource,
    children,
    orphans,
    desired: { children: intents, ...(partial === undefined ? {} : { partial }) },
  });

/** The parts of the input that differ from case to case. */
export interface PlanTraits {
  readonly children?: readonly Child[];
  readonly orphans?: readonly Child[];
  readonly resource?: AnyResource;
  readonly partial?: string;
  readonly owns?: readonly KindRef[];
}
