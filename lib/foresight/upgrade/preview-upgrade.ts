import type { AnyKindDefinition } from '#lib/desired/definition.ts';
import { type LiveObject, nameInWords } from '#lib/foresight/cluster/live-object.ts';
import { restoreCluster } from '#lib/foresight/cluster/restore.ts';
import { FIRST_WRITES_MS, futureOf } from '#lib/foresight/plan/future.ts';
import { isSameWrite, type PlannedWrite } from '#lib/foresight/plan/planned-write.ts';
import { groupOf, type KubeObject } from '#lib/kind/handles/reference.ts';
import { refOf } from '#lib/kind/names.ts';
import { foreseenReleases } from '#lib/loop/related/held-releases.ts';

/** Options for {@link previewUpgrade}. */
export interface UpgradeOptions {
  /** The kinds of the current operator. */
  readonly from: readonly AnyKindDefinition[];
  /** The kinds of the new operator. */
  readonly to: readonly AnyKindDefinition[];
  /** Objects of the cluster or of a dump. */
  readonly live: readonly LiveObject[];
  /** The namespace of the operator, in which `elsewhere()` with `any` allows nothing. @default unknown */
  readonly ownNamespace?: string | undefined;
  /** The current time in epoch milliseconds. */
  readonly now: number;
  /** Aborts the preview with the signal's reason. @default never */
  readonly signal?: AbortSignal;
}

/** The effect of an upgrade on the resources of a kind. */
export interface KindUpgrade {
  readonly kind: string;
  /** Number of resources in the version that the new operator reads. */
  readonly objects: number;
  /** Number of resources that the cluster or dump contains only in other versions. The effect on these resources is unknown. */
  readonly leftOut: number;
  /** Number of resources for which the new operator makes writes that the old operator would not make. */
  readonly touched: number;
  readonly created: number;
  readonly changed: number;
  /** Number of changed objects whose pod template changes, so that their pods are replaced. */
  readonly restarted: number;
  readonly replaced: number;
  readonly removed: number;
  readonly statuses: number;
}

/** A kind of the old operator that the new operator does not have. */
export interface VanishedKind {
  readonly kind: string;
  /** Number of resources of this kind. No operator reconciles them after the upgrade. */
  readonly objects: number;
}

/** The consequences of an upgrade. */
export interface UpgradePreview {
  /** The effects on each kind of the new operator. */
  readonly kinds: readonly KindUpgrade[];
  /** Kinds without an operator after the upgrade. */
  readonly vanished: readonly VanishedKind[];
  /** First writes of the new operator that the old operator would not make. */
  readonly writes: readonly PlannedWrite[];
  /** Sentences about assumptions, and about objects and kinds that are left out. */
  readonly notes: readonly string[];
}

const isDefinition = ({ kind }: LiveObject): boolean => kind === 'CustomResourceDefinition';

const firstWrites = async (
  kinds: readonly AnyKindDefinition[],
  { live, ownNamespace, now, signal }: Omit<UpgradeOptions, 'from' | 'to'>,
) => {
  const { server, running, leftOut, notes } = restoreCluster({ kinds, live, now: () => now });
  const { writes } = await futureOf(
    server,
    { kinds: running, ownNamespace, now, ...(signal && { signal }) },
    { untilMs: FIRST_WRITES_MS, isAlone: true },
  );
  return { writes, leftOut, notes };
};

const restarts = ({ fields }: PlannedWrite): boolean => fields.some(({ path }) => path.startsWith('spec.template.'));

const isOfGroup = (definition: AnyKindDefinition, object: LiveObject): boolean => {
  const { kind, apiVersion } = refOf(definition);
  return object.kind === kind && groupOf(object.apiVersion) === groupOf(apiVersion);
};

const placeOf = ({ metadata: { namespace = '', name } }: LiveObject): string => `${namespace}/${name}`;

/**
 * Counts the resources that `live` contains only in other versions. A server lists each object in every version that it serves.
 */
const leftOutOf = (definition: AnyKindDefinition, live: readonly LiveObject[]): number => {
  const all = live.filter((object) => isOfGroup(definition, object));
  const seen = all.filter(({ apiVersion }) => apiVersion === refOf(definition).apiVersion);
  return new Set(all.map(placeOf)).size - new Set(seen.map(placeOf)).size;
};

const vanishedKinds = ({ from, to }: UpgradeOptions, live: readonly LiveObject[]): readonly VanishedKind[] =>
  from
    .filter((old) => !to.some(({ group, kind }) => group === old.group && kind === old.kind))
    .map((old) => {
      const objects = new Set(live.filter((object) => isOfGroup(old, object)).map(placeOf)).size;
      return { kind: old.kind, objects };
    });

const summaryOf = (
  definition: AnyKindDefinition,
  live: readonly LiveObject[],
  writes: readonly PlannedWrite[],
): KindUpgrade => {
  const { apiVersion, kind } = refOf(definition);
  const isOf = (one: { readonly apiVersion: string; readonly kind: string }): boolean =>
    one.kind === kind && one.apiVersion === apiVersion;
  const extension = definition.extension && definition.kind;
  const own = writes.filter((write) => isOf(write.owner) && write.extension === extension);
  const count = (action: PlannedWrite['action']): number => own.filter((write) => write.action === action).length;
  return {
    kind: definition.kind,
    objects: live.filter(isOf).length,
    leftOut: leftOutOf(definition, live),
    touched: new Set(own.map(({ owner }) => nameInWords(owner))).size,
    created: count('create'),
    changed: count('change'),
    restarted: own.filter((write) => write.action === 'change' && restarts(write)).length,
    replaced: count('replace'),
    removed: count('delete'),
    statuses: count('status'),
  };
};

/**
 * Previews the upgrade to another build of the kinds. The result has the first writes of the new operator that the old operator
 * would not make if it were started at the same time.
 *
 * Caveats: the function compares only the first writes, as in `planChange()`, and not the writes after pods become ready. The new
 * operator uses the CustomResourceDefinitions of its own kinds. Each operator sees only objects in the version that it reads.
 *
 * @throws {UnservedKindError} when the virtual cluster can run no kind of `from`, or no kind of `to`
 * @throws {ForesightError} for refused live manifests, and when a function of a kind does not return
 */
export const previewUpgrade = async (options: UpgradeOptions): Promise<UpgradePreview> => {
  const { from, to, live } = options;
  const objects = live.filter((object) => !isDefinition(object));
  const old = await firstWrites(from, options);
  const next = await firstWrites(to, { ...options, live: objects });
  const writes = next.writes.filter(
    (write) => write.unverified !== true && !old.writes.some((other) => isSameWrite(write, other)),
  );
  const releases = to.flatMap(
    (definition) => foreseenReleases(definition, objects as unknown as readonly KubeObject[])?.text ?? [],
  );
  return {
    kinds: to.map((definition) => summaryOf(definition, objects, writes)),
    vanished: vanishedKinds(options, objects),
    writes,
    notes: [...new Set([...old.leftOut, ...next.notes, ...releases])].toSorted(),
  };
};
