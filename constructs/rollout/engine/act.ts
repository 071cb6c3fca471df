import { after } from '#lib/desired/clock.ts';
import { apply, type ChildIntent, keep, remove } from '#lib/desired/result/intent.ts';
import { fencepostsOf } from '#lib/workload/fenceposts.ts';
import { REPLICAS_ANNOTATION, type RolloutChild } from './pods/child.ts';
import { nextSizes } from './pods/scaling.ts';
import type { RolloutMemory } from './state/memory.ts';
import { sidesOf } from './state/mode.ts';
import { liveChildren, type RolloutSituation, revisionWith } from './state/situation.ts';

type Built = ReturnType<RolloutSituation['adapter']['deploymentOf']>;

/** The annotation lets the engine detect a size that another client has set. */
const sized = ({ adapter }: RolloutSituation, hash: string, replicas: number): Built => {
  const built = adapter.deploymentOf(hash, replicas);
  const { metadata = {} } = built;
  const annotations = { ...metadata.annotations, [REPLICAS_ANNOTATION]: String(replicas) };
  return { ...built, metadata: { ...metadata, annotations } };
};

/**
 * Whether a child may be deleted: its revision is not in use, and its pods are gone. After a promotion, the child is kept for
 * `retainOldSeconds`.
 */
const isDeletable = (
  { stableHash, canaryHash, rollbackFrom, promotedAt }: RolloutMemory,
  situation: RolloutSituation,
  child: RolloutChild,
): boolean => {
  if ([stableHash, canaryHash, rollbackFrom].includes(child.hash)) return false;
  if (child.replicas > 0 || child.pods > 0 || !child.settled) return false;
  const { clock, adapter } = situation;
  return promotedAt === undefined || clock.reached(after(promotedAt, adapter.settings.retainOldSeconds));
};

const intentFor = (
  memory: RolloutMemory,
  situation: RolloutSituation,
  { child, size }: { readonly child: RolloutChild; readonly size: number | undefined },
): ChildIntent => {
  const { object, hash, replicas, settled, terminating } = child;
  if (terminating || !settled || revisionWith(situation, hash) === undefined) return keep(object);
  if (isDeletable(memory, situation, child)) return remove(object, 'Replaced');
  if (size === undefined || size === replicas) return apply(sized(situation, hash, replicas));
  return apply(sized(situation, hash, size), { ifUnchanged: object });
};

/**
 * Intents for versions that have no child yet. A version waits until its ControllerRevision exists, and no other child has its
 * name.
 */
const creations = (situation: RolloutSituation, sizes: ReadonlyMap<string, number>): ChildIntent[] => {
  const names = new Set(situation.children.map(({ name }) => name));
  const live = new Set(liveChildren(situation).map(({ hash }) => hash));
  return [...sizes]
    .filter(([hash]) => !live.has(hash))
    .flatMap(([hash, size]) => {
      const revision = revisionWith(situation, hash);
      return revision === undefined || revision.isNew || names.has(revision.name)
        ? []
        : [apply(sized(situation, hash, size))];
    });
};

const inUse = (
  { stableHash, canaryHash, rollbackFrom }: RolloutMemory,
  { children, adapter }: RolloutSituation,
): ReadonlySet<string> =>
  new Set(
    [stableHash, canaryHash, rollbackFrom, adapter.requested.hash, ...children.map(({ hash }) => hash)].filter(
      (hash) => hash !== undefined,
    ),
  );

/**
 * Computes the intents for the Deployments and ControllerRevisions of a rollout from its decisions. Pure.
 *
 * @param options - `isHeld`: the rollout of the requested version has not begun, so there are no intents for ControllerRevisions
 */
export const act = (
  memory: RolloutMemory,
  situation: RolloutSituation,
  options: { readonly isHeld?: boolean } = {},
): ChildIntent[] => {
  const { settings } = situation.adapter;
  const sizes = nextSizes({
    replicas: settings.replicas,
    ...fencepostsOf(settings),
    ...sidesOf(settings, memory),
    children: liveChildren(situation),
  });
  const snapshots = options.isHeld === true ? [] : situation.adapter.snapshots(inUse(memory, situation));
  return [
    ...situation.children.map((child) => intentFor(memory, situation, { child, size: sizes.get(child.hash) })),
    ...creations(situation, sizes),
    ...snapshots,
  ];
};
