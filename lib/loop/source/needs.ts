import type { AnyKindDefinition } from '#lib/desired/definition.ts';
import { definedKinds } from '#lib/desired/extension/parents.ts';
import { ELSEWHERE_LABEL } from '#lib/desired/marks/elsewhere.ts';
import { ownerLabel } from '#lib/desired/marks/names.ts';
import { annotationsKeptFor } from '#lib/desired/observe/declared-annotations.ts';
import { quotasOf, WatchedQuota } from '#lib/desired/rights/quota.ts';
import { groupOf, type KindRef, type OwnerReference, resourceName } from '#lib/kind/handles/reference.ts';
import { refOf } from '#lib/kind/names.ts';
import { fieldOwnersOf } from '#lib/loop/cache/field-manager.ts';
import { withFingerprint } from '#lib/loop/cache/projection/fingerprint.ts';
import {
  type Projection,
  parentProjectionOf,
  projectionOf,
  projectResource,
} from '#lib/loop/cache/projection/projection.ts';
import { withWhole } from '#lib/loop/cache/projection/view.ts';
import { type BudgetShare, SizeBudget } from '#lib/loop/cache/size/budget.ts';
import { withOnDemand } from '#lib/loop/cache/size/on-demand.ts';
import { withRoomLimit } from '#lib/loop/cache/size/room.ts';
import { withSizeLimit } from '#lib/loop/cache/size/size-limit.ts';
import { withLevelLimit } from '#lib/loop/cache/size/stub.ts';

/** A resource that the loop watches, and the rules for its cache. */
export interface Need {
  /** See {@link sourceId} and {@link readSourceId}. */
  readonly id: string;
  readonly kind: KindRef;
  readonly project: Projection;
  /** The label selector of the watch, in the syntax of kubectl. Absent when all objects are watched. */
  readonly labelSelector?: string;
  /**
   * The namespaces to watch, for objects elsewhere; `all` for one watch of all namespaces. Absent to watch the namespaces of the
   * operator.
   */
  readonly namespaces?: readonly string[] | 'all';
  /** Whether the loop can run without the resource. The loop then does not wait until the cache of the resource is filled. */
  readonly isOptional: boolean;
  /**
   * Whether the operator has the right to `get` the objects. For objects that are only looked up, the operator has only `list`
   * and `watch`.
   */
  readonly mayGet: boolean;
  /** The memory budget of the objects. Absent without a memory limit. */
  readonly budget?: BudgetShare;
  /** Whether an owner is an object of a cluster-scoped kind of this loop. */
  readonly isClusterScoped: (owner: OwnerReference) => boolean;
}

const READ_ELSEWHERE = ' read elsewhere';

/** The namespaces with a watch of their own; undefined for one watch. @param own - the namespaces of the operator */
export const namespacesOf = (
  { kind, namespaces }: Pick<Need, 'kind' | 'namespaces'>,
  own: readonly string[] | undefined,
): readonly string[] | undefined =>
  kind.scope === 'Cluster' || namespaces === 'all' ? undefined : (namespaces ?? own);

/**
 * The name of a source in logs and metrics, such as `pods`, `pods elsewhere` for children elsewhere, or `pods read elsewhere` for
 * objects that functions look up elsewhere.
 */
export const sourceName = ({ kind, mayGet }: Pick<Need, 'kind' | 'mayGet'>): string =>
  `${resourceName(kind)}${kind.elsewhere === undefined ? '' : mayGet ? ' elsewhere' : READ_ELSEWHERE}`;

/** Returns a function that checks whether the kind of an owner is one of the given kinds. */
const ownerAmong =
  (kinds: readonly AnyKindDefinition[]): ((owner: OwnerReference) => boolean) =>
  (owner) =>
    kinds.some((definition) => {
      const { kind, apiVersion } = refOf(definition);
      return kind === owner.kind && groupOf(apiVersion) === groupOf(owner.apiVersion);
    });

/** Returns a function that checks whether an owner is an object of one of the given kinds, and cluster-scoped. */
export const clusterScopedAmong = (definitions: readonly AnyKindDefinition[]): Need['isClusterScoped'] =>
  ownerAmong(definitions.filter(({ scope }) => scope === 'Cluster'));

/**
 * The identity of the source of a kind in `owns`, or of a kind of resources. Handles with the same identity share a source. Children
 * elsewhere have a source of their own.
 */
export const sourceId = (kind: Pick<KindRef, 'apiVersion' | 'plural' | 'elsewhere'>): string =>
  `${resourceName(kind)} ${kind.apiVersion}${kind.elsewhere === undefined ? '' : ' elsewhere'}`;

/**
 * The identity of the source of a kind in `reads`. Objects that functions look up elsewhere have a source of their own, because the
 * source of children elsewhere has only objects with the label of such children.
 */
export const readSourceId = (kind: Pick<KindRef, 'apiVersion' | 'plural' | 'elsewhere'>): string =>
  kind.elsewhere === undefined ? sourceId(kind) : `${resourceName(kind)} ${kind.apiVersion}${READ_ELSEWHERE}`;

/**
 * The watch of objects elsewhere: the namespaces that the handles allow, and for children a selector for the label of such
 * children. Empty for other handles.
 */
const elsewhereOf = (kinds: readonly KindRef[], isRead: boolean): Pick<Need, 'namespaces' | 'labelSelector'> => {
  const places = kinds.flatMap((kind) => (kind.elsewhere ? [kind.elsewhere.namespaces ?? 'any'] : []));
  if (places.length === 0) return {};
  const names = places.flatMap((place) => (place === 'any' ? [] : place));
  const namespaces = places.includes('any') ? 'all' : [...new Set(names)].toSorted();
  return { namespaces, ...(!isRead && { labelSelector: ELSEWHERE_LABEL }) };
};

/** The union of the fields that several handles of one resource keep; undefined, for all fields, if one handle keeps all. */
const unionOfFields = (kinds: readonly KindRef[]): readonly string[] | undefined =>
  kinds.some((kind) => kind.fields === undefined)
    ? undefined
    : [...new Set(kinds.flatMap((kind) => kind.fields ?? []))];

/**
 * The member `KindRef.onDemand`, if all handles of the resource declare the same one and no `fields`. Undefined for objects that
 * functions look up, because later results of a look-up are compared with the whole object.
 */
const onDemandOf = (kinds: readonly KindRef[], isRead: boolean): string | undefined => {
  const [first, ...others] = kinds.map(({ onDemand, fields }) => (fields === undefined ? onDemand : undefined));
  return isRead || others.some((other) => other !== first) ? undefined : first;
};

/**
 * The label selector for a resource: the owner label of a kind. There is no selector if several kinds need the resource, or if
 * one kind also reads it. There is none if children of the resource may lack the owner label.
 */
const selectorFor = (id: string, definitions: readonly AnyKindDefinition[]): { readonly labelSelector?: string } => {
  const needing = definitions.filter((definition) =>
    [refOf(definition), ...definition.owns, ...(definition.reads ?? [])].some((kind) => sourceId(kind) === id),
  );
  const [only, ...others] = needing;
  if (only === undefined || others.length > 0) return {};
  const isRead = [refOf(only), ...(only.reads ?? [])].some((kind) => sourceId(kind) === id);
  const isLabelled = only.owns.every((kind) => sourceId(kind) !== id || kind.labelled === true);
  if (isRead || !isLabelled) return {};
  return { labelSelector: ownerLabel(only) };
};

/** Options of {@link needsOf}. */
export interface NeedsOptions {
  /** Whether a read of a field that the kind does not declare throws. @default false */
  readonly remembersWholes?: boolean;
  /**
   * Whether the cache keeps only a digest of a large field of `KindRef.onDemand`. The loop then reads the field from the API
   * server when a function needs the field.
   *
   * @default false
   */
  readonly readsOnDemand?: boolean;
  /**
   * The memory limit of one resource, in bytes. The cache keeps a stub of a larger resource; see `size-limit.ts`.
   *
   * @default Infinity
   */
  readonly maxResourceBytes?: number;
  /**
   * The memory limit of all resources together, in bytes. A second limit of the same size is for large children and objects that
   * are looked up. Beyond a limit, the cache keeps stubs; see `budget.ts`.
   *
   * @default Infinity
   */
  readonly maxResourcesBytes?: number;
}

/** The memory limits of one resource and of all resources together, in bytes; Infinity without a limit. */
type MemoryLimits = Readonly<Record<'resource' | 'all', number>>;

/** The needs without memory limits, by the list of kinds and the other options. Simulations start the same kinds many times. */
const known = new WeakMap<readonly AnyKindDefinition[], Map<string, ReadonlyMap<string, Need>>>();

/**
 * The resources to watch for some kinds. Each resource and API version occurs once, even if several kinds need it. Children
 * elsewhere have a need of their own. The cache keeps the union of the fields that the kinds declare.
 *
 * @param definitions - a list that does not change
 * @returns the needs, by {@link sourceId} and {@link readSourceId}; without memory limits, the same result for the same list
 */
export const needsOf = (
  definitions: readonly AnyKindDefinition[],
  options: NeedsOptions = {},
): ReadonlyMap<string, Need> => {
  const { remembersWholes = false, readsOnDemand = false, maxResourceBytes, maxResourcesBytes } = options;
  const limits = { resource: maxResourceBytes ?? Infinity, all: maxResourcesBytes ?? Infinity };
  // A memory budget belongs to one loop.
  if (Math.min(limits.resource, limits.all) < Infinity) return computeNeeds(definitions, { ...options, limits });
  const byOptions = known.get(definitions) ?? new Map<string, ReadonlyMap<string, Need>>();
  const key = `${remembersWholes} ${readsOnDemand}`;
  const needs = byOptions.get(key) ?? computeNeeds(definitions, { ...options, limits });
  known.set(definitions, byOptions.set(key, needs));
  return needs;
};

const computeNeeds = (
  definitions: readonly AnyKindDefinition[],
  { remembersWholes = false, readsOnDemand = false, limits }: NeedsOptions & { readonly limits: MemoryLimits },
): ReadonlyMap<string, Need> => {
  const own = new Set(definitions.map((definition) => sourceId(refOf(definition))));
  const defined = new Set(definedKinds(definitions).map((definition) => sourceId(refOf(definition))));
  const groups = definitions.map(({ group }) => group);
  const written = new Set([...own, ...definitions.flatMap(({ owns }) => owns.map(sourceId))]);
  const looked = new Set(
    definitions.flatMap((each) => [...(each.reads ?? []).map(readSourceId), ...quotasOf(each).map(sourceId)]),
  );
  const ownerOf = fieldOwnersOf(definitions);
  const all = definitions.flatMap((definition) => [
    ...[refOf(definition), ...definition.owns].map((kind) => [sourceId(kind), kind] as const),
    ...(definition.reads ?? []).map((kind) => [readSourceId(kind), kind] as const),
    ...quotasOf(definition).map((kind) => [sourceId(kind), kind] as const),
  ]);
  const isClusterScoped = clusterScopedAmong(definitions);
  const isBounded = Math.min(limits.resource, limits.all) < Infinity;
  const [resourceBytes, otherBytes] = [new SizeBudget(limits.all), new SizeBudget(limits.all)];
  const isOurs = ownerAmong(definitions);
  const needs = [...Map.groupBy(all, ([id]) => id)].map(([id, same]) => {
    const kinds = same.map(([, kind]) => kind);
    const budget = isBounded ? (own.has(id) ? resourceBytes : otherBytes).share() : undefined;
    const fields = unionOfFields(kinds);
    const keep = [fields, annotationsKeptFor(kinds, groups)] as const;
    const reduceResource = defined.has(id) ? projectResource : parentProjectionOf(...keep);
    const reduceOwn = budget ? withSizeLimit(reduceResource, { maxBytes: limits.resource, budget }) : reduceResource;
    const reduceOther = projectionOf(...keep);
    const isRead = looked.has(id);
    const onDemand = readsOnDemand ? onDemandOf(kinds, isRead) : undefined;
    const reduceOwned = onDemand === undefined ? reduceOther : withOnDemand(reduceOther, onDemand);
    const reduceChild = budget ? withRoomLimit(reduceOwned, { budget, isOurs, isRead }) : reduceOwned;
    const reduce = own.has(id) ? reduceOwn : reduceChild;
    const project = withFingerprint(withLevelLimit(remembersWholes ? withWhole(reduce) : reduce), ownerOf, fields);
    const isOptional = kinds.every((kind) => kind === WatchedQuota);
    return [
      id,
      {
        id,
        kind: kinds[0] as KindRef,
        project,
        isOptional,
        mayGet: written.has(id),
        isClusterScoped,
        ...(budget && { budget }),
        ...selectorFor(id, definitions),
        ...elsewhereOf(kinds, isRead),
      },
    ] as const;
  });
  return new Map(needs);
};
