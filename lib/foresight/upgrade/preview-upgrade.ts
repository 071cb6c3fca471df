import type { AnyKindDefinition } from '#lib/desired/definition.ts';
import { type LiveObject, nameInWords } from '#lib/foresight/cluster/live-object.ts';
import { restoreCluster } from '#lib/foresight/cluster/restore.ts';
import { FIRST_WRITES_MS, futureOf } from '#lib/foresight/plan/future.ts';
import { isSameWrite, type PlannedWrite } from '#lib/foresight/plan/planned-write.ts';
import { apiVersionOf } from '#lib/kind/names.ts';
import { groupOf } from '#lib/kind/reference.ts';

/** What an upgrade is previewed with. */
export interface UpgradeOptions {
  /** The kinds of the operator that runs. */
  readonly from: readonly AnyKindDefinition[];
  /** The kinds of the operator that shall take its place. */
  readonly to: readonly AnyKindDefinition[];
  /** What is in the cluster, or in a dump of it. */
  readonly live: readonly LiveObject[];
  /** Epoch milliseconds. */
  readonly now: number;
  /** Ends the preview without a result, with the signal's reason. @default never */
  readonly signal?: AbortSignal;
}

/** What an upgrade does to the resources of one kind. */
export interface KindUpgrade {
  readonly kind: string;
  /** Resources that there are, in the version that the new operator reads. */
  readonly objects: number;
  /** Resources that there are in other versions alone: what becomes of them is unknown. */
  readonly leftOut: number;
  /** Of these, for how many something would be written that the old operator would not write. */
  readonly touched: number;
  readonly created: number;
  readonly changed: number;
  /** Of the changed ones, those whose pods are started anew: their pod template differs. */
  readonly restarted: number;
  readonly replaced: number;
  readonly removed: number;
  readonly statuses: number;
}

/** A kind of the old operator that the new one does not know. */
export interface VanishedKind {
  readonly kind: string;
  /** Resources that there are: nobody would look after them. */
  readonly objects: number;
}

/** What would follow from an upgrade. */
export interface UpgradePreview {
  /** By kind of the new operator. */
  readonly kinds: readonly KindUpgrade[];
  /** Kinds that would be left alone. */
  readonly vanished: readonly VanishedKind[];
  /** What the new operator would write first, and the old one would not. */
  readonly writes: readonly PlannedWrite[];
  /** Sentences for people. */
  readonly notes: readonly string[];
}

const isDefinition = ({ kind }: LiveObject): boolean => kind === 'CustomResourceDefinition';

const firstWrites = async (
  kinds: readonly AnyKindDefinition[],
  { live, now, signal }: Pick<UpgradeOptions, 'live' | 'now' | 'signal'>,
) => {
  const { server, notes } = restoreCluster({ kinds, live, now: () => now });
  const { writes } = await futureOf(
    server,
    { kinds, now, ...(signal && { signal }) },
    { untilMs: FIRST_WRITES_MS, isAlone: true },
  );
  return { writes, notes };
};

const restarts = ({ fields }: PlannedWrite): boolean => fields.some(({ path }) => path.startsWith('spec.template.'));

const isOfGroup = ({ group, kind }: AnyKindDefinition, object: LiveObject): boolean =>
  object.kind === kind && groupOf(object.apiVersion) === group;

const placeOf = ({ metadata: { namespace = '', name } }: LiveObject): string => `${namespace}/${name}`;

/** A server that serves several versions tells the same object in each. */
const leftOutOf = (definition: AnyKindDefinition, live: readonly LiveObject[]): number => {
  const all = live.filter((object) => isOfGroup(definition, object));
  const seen = all.filter(({ apiVersion }) => apiVersion === apiVersionOf(definition));
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
  const apiVersion = apiVersionOf(definition);
  const isOf = (one: { readonly apiVersion: string; readonly kind: string }): boolean =>
    one.kind === definition.kind && one.apiVersion === apiVersion;
  const own = writes.filter(({ owner }) => isOf(owner));
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
 * Tells what another build of the kinds would do to what is there, before it is installed: what a new operator writes first and
 * the old one, started at the same moment, does not.
 *
 * Caveats: only the first writes are compared, as in `planChange()`; what follows when pods become ready is not seen. The new operator works
 * with the CustomResourceDefinitions of its own kinds. Objects are matched in the version that each operator reads.
 *
 * @throws {ForesightError} for a kind that the virtual cluster does not serve
 */
export const previewUpgrade = async (options: UpgradeOptions): Promise<UpgradePreview> => {
  const { from, to, live, now, signal } = options;
  const objects = live.filter((object) => !isDefinition(object));
  const old = await firstWrites(from, { live, now, ...(signal && { signal }) });
  const next = await firstWrites(to, { live: objects, now, ...(signal && { signal }) });
  const writes = next.writes.filter(
    (write) => write.unverified !== true && !old.writes.some((other) => isSameWrite(write, other)),
  );
  return {
    kinds: to.map((definition) => summaryOf(definition, objects, writes)),
    vanished: vanishedKinds(options, objects),
    writes,
    notes: next.notes.toSorted(),
  };
};
