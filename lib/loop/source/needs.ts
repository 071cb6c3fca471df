import type { AnyKindDefinition } from '#lib/desired/definition.ts';
import { ownerLabels } from '#lib/desired/names.ts';
import { quotasOf, ResourceQuota } from '#lib/desired/quota.ts';
import { refOf } from '#lib/kind/names.ts';
import { groupOf, type KindRef, type OwnerReference, resourceName } from '#lib/kind/reference.ts';
import { withFingerprint } from '#lib/loop/cache/fingerprint.ts';
import { type Projection, projectionOf, projectResource } from '#lib/loop/cache/projection.ts';
import { withWhole } from '#lib/loop/cache/whole.ts';
import { fieldOwnersOf } from '#lib/loop/field-manager.ts';

/** A resource that has to be watched, with all that has to be kept of its objects. */
export interface Need {
  readonly kind: KindRef;
  readonly project: Projection;
  /** The objects that are needed, as kubectl writes it; all when absent. */
  readonly labelSelector?: string;
  /** The loop can do without: nobody waits for it to be filled. */
  readonly isOptional: boolean;
  /** Tells whether an owner is cluster-scoped. */
  readonly isClusterScoped: (owner: OwnerReference) => boolean;
}

/** Tells which owners are cluster-scoped, of those whose kinds run here; other owners are of no concern. */
export const clusterScopedAmong = (definitions: readonly AnyKindDefinition[]): Need['isClusterScoped'] => {
  const kinds = definitions.filter(({ scope }) => scope === 'Cluster');
  if (kinds.length === 0) return () => false;
  return (owner) => kinds.some(({ kind, group }) => kind === owner.kind && group === groupOf(owner.apiVersion));
};

/** The identity of a source: two handles with the same one share a watch. */
export const sourceId = (kind: Pick<KindRef, 'apiVersion' | 'plural'>): string =>
  `${resourceName(kind)} ${kind.apiVersion}`;

/** What several kinds keep of the same child kind: the union; everything as soon as one keeps everything. */
const unionOfFields = (kinds: readonly KindRef[]): readonly string[] | undefined =>
  kinds.some((kind) => kind.fields === undefined)
    ? undefined
    : [...new Set(kinds.flatMap((kind) => kind.fields ?? []))];

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
  return { labelSelector: Object.keys(ownerLabels(only, '')).join(',') };
};

/**
 * What has to be watched for some kinds: each resource once, whoever needs it, with the union of the fields that are read.
 *
 * @param options - `remembersWholes`: looks at what a kind does not read shall throw, see `cache/whole.ts`
 * @returns by {@link sourceId}
 */
export const needsOf = (
  definitions: readonly AnyKindDefinition[],
  { remembersWholes = false }: { readonly remembersWholes?: boolean } = {},
): ReadonlyMap<string, Need> => {
  const own = new Set(definitions.map((definition) => sourceId(refOf(definition))));
  const ownerOf = fieldOwnersOf(definitions);
  const all = definitions.flatMap((definition) => [
    refOf(definition),
    ...definition.owns,
    ...(definition.reads ?? []),
    ...quotasOf(definition),
  ]);
  const isClusterScoped = clusterScopedAmong(definitions);
  const needs = [...Map.groupBy(all, sourceId)].map(([id, kinds]) => {
    const reduce = own.has(id) ? projectResource : projectionOf(unionOfFields(kinds));
    const project = withFingerprint(remembersWholes ? withWhole(reduce) : reduce, ownerOf);
    const isOptional = kinds.every((kind) => kind === ResourceQuota);
    return [
      id,
      { kind: kinds[0] as KindRef, project, isOptional, isClusterScoped, ...selectorFor(id, definitions) },
    ] as const;
  });
  return new Map(needs);
};
