import type { Fenceposts } from '#lib/workload/fenceposts.ts';
import type { Sized } from './child.ts';

/** The stable version or the canary of a rollout, with its desired number of pods. */
export interface Side {
  readonly hash: string;
  readonly replicas: number;
}

/** The input of {@link nextSizes}: the limits, the desired numbers of pods, and the observed children. */
export interface Scaling extends Fenceposts {
  /** The desired number of pods in total. */
  readonly replicas: number;
  readonly stable?: Side;
  readonly canary?: Side;
  /**
   * Children that are not being deleted, at most one for each revision. A child whose revision is neither `stable` nor `canary`
   * shrinks to zero.
   */
  readonly children: readonly Sized[];
}

/** The sum of a count over all children. */
export const sumOf = <Child>(children: readonly Child[], count: (child: Child) => number): number =>
  children.reduce((sum, child) => sum + count(child), 0);

/** Available pods above `replicas` do not count, because they are about to be deleted. */
const availableIn = ({ available, replicas }: Sized): number => Math.min(available, replicas);

/** Surplus pods count until they no longer exist. */
const roomOf = ({ replicas, pods }: Sized): number => Math.max(replicas, pods);

const targetOf = ({ hash }: Sized, { stable, canary }: Scaling): number =>
  [stable, canary].find((side) => side?.hash === hash)?.replicas ?? 0;

/**
 * The new sizes of children that may grow, and the first sizes of missing children. The stable version grows before the canary.
 * Pods for a child that is not settled stay reserved for that child.
 */
const growth = (scaling: Scaling): Map<string, number> => {
  const { replicas, surge, children, stable, canary } = scaling;
  const sizes = new Map<string, number>();
  let room = Math.max(0, replicas + surge - sumOf(children, roomOf));
  for (const side of [stable, canary]) {
    if (side === undefined) continue;
    const child = children.find(({ hash }) => hash === side.hash);
    const size = child?.replicas ?? 0;
    const more = Math.min(room, Math.max(0, side.replicas - size));
    room -= more;
    if (child === undefined || (child.settled && more > 0)) sizes.set(side.hash, size + more);
  }
  return sizes;
};

/**
 * The new sizes of children that must shrink: first other versions, then the canary, then the stable version. Unavailable pods
 * can be removed even when too few pods are available. Otherwise, a rollout could not continue while the pods of all versions
 * fail.
 */
const shrinkage = (scaling: Scaling): Map<string, number> => {
  const { replicas, unavailable, children, stable, canary } = scaling;
  const sizes = new Map<string, number>();
  if (!children.every(({ settled }) => settled)) return sizes;
  let budget = Math.max(0, sumOf(children, availableIn) - (replicas - unavailable));
  const rank = ({ hash }: Sized): number => (hash === stable?.hash ? 2 : hash === canary?.hash ? 1 : 0);
  for (const child of children.toSorted((a, b) => rank(a) - rank(b))) {
    const excess = child.replicas - targetOf(child, scaling);
    const free = child.replicas - availableIn(child);
    const less = Math.min(excess, free + budget);
    if (less <= 0 || !child.counted) continue;
    budget -= Math.max(0, less - free);
    sizes.set(child.hash, child.replicas - less);
  }
  return sizes;
};

/**
 * Computes the sizes that the child Deployments can get in this pass.
 *
 * Guarantees: the sizes plus the terminating pods never exceed `replicas + surge`, unless they already do. A shrink never takes
 * the number of available pods below `replicas - unavailable`. A child grows only when it is settled. A child shrinks only when
 * all children are settled and its own pods are counted.
 *
 * Assumptions: the observed children include all writes of the loop.
 *
 * Caveats: an unavailable pod can become available after its child shrinks, and be deleted anyway.
 *
 * @returns new sizes by hash, for children whose size changes and for versions that have no child yet
 */
export const nextSizes = (scaling: Scaling): ReadonlyMap<string, number> =>
  new Map([...growth(scaling), ...shrinkage(scaling)]);
