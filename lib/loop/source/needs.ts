import type { AnyKindDefinition } from '#lib/desired/definition.ts';
import { definedKinds } from '#lib/desired/extension/parents.ts';
import { ownerLabel } from '#lib/desired/marks/names.ts';
import { annotationsKeptFor } from '#lib/desired/observe/declared-annotations.ts';
import { quotasOf, ResourceQuota } from '#lib/desired/rights/quota.ts';
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

/** A resource that has to be watched, with all that has to be kept of its objects. */
export interface Need {
  readonly kind: KindRef;
  readonly project: Projection;
  /** The objects that are needed, as kubectl writes it; all when absent. */
  readonly labelSelector?: string;
  /** The loop can do without it, and does not wait until it is filled. */
  readonly isOptional: boolean;
  /** False for what is only looked up: the operator has the right to list and watch it, and not to get it. */
  readonly mayGet: boolean;
  /** Where the sizes of its objects are counted, if they are limited. */
  readonly budget?: BudgetShare;
  /** Whether an owner is cluster-scoped. */
  readonly isClusterScoped: (owner: OwnerReference) => boolean;
}

/** Whether the kind of an owner is among some. */
const ownerAmong =
  (kinds: readonly AnyKindDefinition[]): ((owner: OwnerReference) => boolean) =>
  (owner) =>
    kinds.some((definition) => {
      const { kind, apiVersion } = refOf(definition);
      return kind === owner.kind && groupOf(apiVersion) === groupOf(owner.apiVersion);
    });

/** Which owners are cluster-scoped, among the kinds that run here; other owners do not matter. */
export const clusterScopedAmong = (definitions: readonly AnyKindDefinition[]): Need['isClusterScoped'] =>
  ownerAmong(definitions.filter(({ scope }) => scope === 'Cluster'));

/** The identity of a source: two handles with the same one share a watch. */
export const sourceId = (kind: Pick<KindRef, 'apiVersion' | 'plural'>): string =>
  `${resourceName(kind)} ${kind.apiVersion}`;

/** The fields that several kinds keep of the same child kind: the union; everything as soon as one keeps everything. */
const unionOfFields = (kinds: readonly KindRef[]): readonly string[] | undefined =>
  kinds.some((kind) => kind.fields === undefined)
    ? undefined
    : [...new Set(kinds.flatMap((kind) => kind.fields ?? []))];

/** The member that is read on demand. Objects that are looked up are held whole: answers are compared with later ones. */
const onDemandOf = (kinds: readonly KindRef[], isRead: boolean): string | undefined => {
  const [first, ...others] = kinds.map(({ onDemand, fields }) => (fields === undefined ? onDemand : undefined));
  return isRead || others.some((other) => other !== first) ? undefined : first;
};

/** The label of the only kind that needs a resource, if it asked for no more than what carries its label. */
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

/** How what is needed is kept. */
export interface NeedsOptions {
  /** Looks at what a kind does not read shall throw, see `cache/whole.ts`. @default false */
  readonly remembersWholes?: boolean;
  /** Whether large members are read on demand, see `KindRef.onDemand`: the caller has to read them. @default false */
  readonly readsOnDemand?: boolean;
  /** The size beyond which only a stub of a resource is kept, see `size/size-limit.ts`. @default Infinity */
  readonly maxResourceBytes?: number;
  /**
   * The size of all resources together beyond which stubs are kept, see `size/budget.ts`; and that of all children and objects that
   * are looked up. @default Infinity
   */
  readonly maxResourcesBytes?: number;
}

/**
 * The resources that have to be watched for some kinds: each resource once, however many kinds need it, with the union of the fields that are read.
 *
 * @returns by {@link sourceId}
 */
export const needsOf = (
  definitions: readonly AnyKindDefinition[],
  {
    remembersWholes = false,
    readsOnDemand = false,
    maxResourceBytes = Infinity,
    maxResourcesBytes = Infinity,
  }: NeedsOptions = {},
): ReadonlyMap<string, Need> => {
  const own = new Set(definitions.map((definition) => sourceId(refOf(definition))));
  const defined = new Set(definedKinds(definitions).map((definition) => sourceId(refOf(definition))));
  const groups = definitions.map(({ group }) => group);
  const written = new Set([...own, ...definitions.flatMap(({ owns }) => owns.map(sourceId))]);
  const looked = new Set(definitions.flatMap((each) => [...(each.reads ?? []), ...quotasOf(each)].map(sourceId)));
  const ownerOf = fieldOwnersOf(definitions);
  const all = definitions.flatMap((definition) => [
    refOf(definition),
    ...definition.owns,
    ...(definition.reads ?? []),
    ...quotasOf(definition),
  ]);
  const isClusterScoped = clusterScopedAmong(definitions);
  const isBounded = Math.min(maxResourceBytes, maxResourcesBytes) < Infinity;
  const [resourceBytes, otherBytes] = [new SizeBudget(maxResourcesBytes), new SizeBudget(maxResourcesBytes)];
  const isOurs = ownerAmong(definitions);
  const needs = [...Map.groupBy(all, sourceId)].map(([id, kinds]) => {
    const budget = isBounded ? (own.has(id) ? resourceBytes : otherBytes).share() : undefined;
    const keep = [unionOfFields(kinds), annotationsKeptFor(kinds, groups)] as const;
    const reduceResource = defined.has(id) ? projectResource : parentProjectionOf(...keep);
    const reduceOwn = budget ? withSizeLimit(reduceResource, { maxBytes: maxResourceBytes, budget }) : reduceResource;
    const reduceOther = projectionOf(...keep);
    const isRead = looked.has(id);
    const onDemand = readsOnDemand ? onDemandOf(kinds, isRead) : undefined;
    const reduceOwned = onDemand === undefined ? reduceOther : withOnDemand(reduceOther, onDemand);
    const reduceChild = budget ? withRoomLimit(reduceOwned, { budget, isOurs, isRead }) : reduceOwned;
    const reduce = own.has(id) ? reduceOwn : reduceChild;
    const project = withFingerprint(remembersWholes ? withWhole(reduce) : reduce, ownerOf);
    const isOptional = kinds.every((kind) => kind === ResourceQuota);
    return [
      id,
      {
        kind: kinds[0] as KindRef,
        project,
        isOptional,
        mayGet: written.has(id),
        isClusterScoped,
        ...(budget && { budget }),
        ...selectorFor(id, definitions),
      },
    ] as const;
  });
  return new Map(needs);
};
