import type { AnyKindDefinition, AnyResource } from '#lib/desired/definition.ts';
import { isSameKind } from '#lib/desired/observe/declared-kind.ts';
import { scopedName } from '#lib/desired/observe/scoped-name.ts';
import type { Desired } from '#lib/desired/result/desired.ts';
import { isElsewhere } from '#lib/kind/handles/elsewhere.ts';
import { groupOf, type KindRef, type KubeObject } from '#lib/kind/handles/reference.ts';
import type { Immutable, Pin } from './fields/pin.ts';
import type { Child } from './step.ts';

/** The complete input of a plan. */
export interface PlanInput {
  readonly definition: Pick<AnyKindDefinition, 'group' | 'version' | 'kind' | 'owns' | 'extension'>;
  readonly resource: AnyResource;
  /** The observed children of this resource. */
  readonly children: readonly Child[];
  /** Observed objects without a controller that the resource may adopt. */
  readonly orphans: readonly Child[];
  readonly desired: Pick<Desired<unknown>, 'children' | 'partial' | 'effects'>;
  /** The pins of children, by uid. @default none */
  readonly pins?: ReadonlyMap<string, Pin>;
  /** The intents that the API server refused because of an immutable field, by uid of the child. @default none */
  readonly immutables?: ReadonlyMap<string, Immutable>;
  /** The namespace of the operator. `elsewhere()` with `any` does not include this namespace. @default unknown */
  readonly ownNamespace?: string | undefined;
}

/** The resource of a plan, and its definition. */
export type Parent = Pick<PlanInput, 'definition' | 'resource'>;

/** The identity of a child of a resource, such as `Deployment.apps/web`. */
const childId = (kind: Pick<KindRef, 'apiVersion' | 'kind'>, name: string): string =>
  `${kind.kind}.${groupOf(kind.apiVersion)}/${name}`;

/**
 * The handle in `owns` that an object belongs to; `undefined` when the kind is not owned. If the definition owns the kind both in
 * the namespace of the resource and elsewhere, the namespace of the object decides.
 */
export const ownedKind = ({ definition: { owns }, resource }: Parent, object: KubeObject): KindRef | undefined => {
  const first = owns.find((kind) => isSameKind(kind, object));
  if (first === undefined) return undefined;
  const isAway = isElsewhere(object, first, resource.metadata.namespace);
  const fits = (kind: KindRef): boolean => (kind.elsewhere !== undefined) === isAway;
  return fits(first) ? first : (owns.find((kind) => fits(kind) && isSameKind(kind, object)) ?? first);
};

/** True while the parent is being deleted. */
export const isDeleting = ({ resource }: Pick<PlanInput, 'resource'>): boolean =>
  resource.metadata.deletionTimestamp !== undefined;

/**
 * The name of a child, or the empty string for a child without one. The name of a child in another namespace than the resource
 * includes the namespace: `<namespace>/<name>`.
 */
export const nameOf = (object: KubeObject, { resource }: Pick<PlanInput, 'resource'>): string =>
  scopedName(object, { from: resource.metadata.namespace });

/**
 * Indexes of an input by child identity. They are made once for each plan, because they take noticeable time with ten thousand
 * children.
 */
export interface InputIndex {
  readonly live: ReadonlyMap<string, Child>;
  readonly orphans: ReadonlyMap<string, Child>;
  /** The identities of the objects of the intents, in the order of the intents. */
  readonly intentIds: readonly string[];
}

const byId = (children: readonly Child[], input: PlanInput): ReadonlyMap<string, Child> =>
  new Map(children.map((child) => [childId(child.kind, nameOf(child.object, input)), child]));

const idOf = (object: KubeObject, input: PlanInput): string =>
  childId({ apiVersion: object.apiVersion ?? '', kind: object.kind ?? '' }, nameOf(object, input));

/** Indexes the children, orphans and intents of an input by child identity. */
export const indexInput = (input: PlanInput): InputIndex => ({
  live: byId(input.children, input),
  orphans: byId(input.orphans, input),
  intentIds: input.desired.children.map(({ object }) => idOf(object, input)),
});
