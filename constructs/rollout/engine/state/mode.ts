import { splitOf } from '#constructs/rollout/engine/pods/replica-rule.ts';
import type { Side } from '#constructs/rollout/engine/pods/scaling.ts';
import type { RolloutSettings } from '#constructs/rollout/engine/settings.ts';
import { fencepostsOf } from '#lib/workload/fenceposts.ts';
import type { RolloutMemory } from './memory.ts';
import { childWith, liveChildren, type RolloutSituation } from './situation.ts';

/**
 * The state of a rollout:
 *
 * - `idle`: no version has begun
 * - `initial`: the first version is created, without steps
 * - `stepping`: a new version is rolled out in steps
 * - `aborted`: the new version was aborted, and the stable version gets all pods
 * - `steppingBack`: a rollback to the stable version, in steps
 * - `steady`: the current version is the stable one; other versions are scaled down
 */
export type Mode = 'idle' | 'initial' | 'stepping' | 'aborted' | 'steppingBack' | 'steady';

/** Derives the state of a rollout from its stored decisions. */
export const modeOf = ({ stableHash, canaryHash, rollbackFrom, abortedAt }: RolloutMemory): Mode => {
  if (canaryHash === undefined) return 'idle';
  if (stableHash === undefined) return 'initial';
  if (stableHash === canaryHash) return rollbackFrom === undefined ? 'steady' : 'steppingBack';
  return abortedAt === undefined ? 'stepping' : 'aborted';
};

/** The stable version and the canary with their desired numbers of pods. Any other version is scaled to zero. */
export interface Sides {
  readonly stable?: Side;
  readonly canary?: Side;
}

const splitSides = (
  settings: RolloutSettings,
  { stableHash = '', percent = 0 }: RolloutMemory,
  hash: string,
): Sides => {
  const { surge } = fencepostsOf(settings);
  const { canary, stable } = splitOf(percent, { replicas: settings.replicas, surge });
  return { canary: { hash, replicas: canary }, stable: { hash: stableHash, replicas: stable } };
};

/** Returns the desired number of pods of each version in the current state of the rollout. */
export const sidesOf = (settings: RolloutSettings, memory: RolloutMemory): Sides => {
  const { stableHash = '', canaryHash = '', rollbackFrom = '' } = memory;
  switch (modeOf(memory)) {
    case 'idle':
      return {};
    case 'initial':
      return { canary: { hash: canaryHash, replicas: settings.replicas } };
    case 'stepping':
      return splitSides(settings, memory, canaryHash);
    case 'steppingBack':
      return splitSides(settings, memory, rollbackFrom);
    case 'aborted':
    case 'steady':
      return { stable: { hash: stableHash, replicas: settings.replicas } };
  }
};

const hasSize = (situation: RolloutSituation, { hash, replicas }: Side): boolean => {
  const child = childWith(situation, hash);
  return child !== undefined && child.settled && child.replicas === replicas;
};

/** Whether each version in `sides` has a settled child of the desired size, and other versions have no pods. */
export const hasSizes = (situation: RolloutSituation, sides: Sides): boolean => {
  const wanted = [sides.stable, sides.canary].filter((side) => side !== undefined);
  const others = liveChildren(situation).filter(({ hash }) => !wanted.some((side) => side.hash === hash));
  return (
    wanted.every((side) => hasSize(situation, side)) &&
    others.every(({ replicas, pods, settled }) => replicas === 0 && pods === 0 && settled)
  );
};

/**
 * Whether the desired number of canary pods is available. Pods of the stable version do not count, because a broken stable
 * version must be replaceable.
 */
export const hasAvailable = (situation: RolloutSituation, { canary }: Sides): boolean => {
  if (canary === undefined || canary.replicas === 0) return true;
  const { available = 0, replicas = 0 } = childWith(situation, canary.hash) ?? {};
  return Math.min(available, replicas) >= canary.replicas;
};
