import type { IntOrPercent, Settings } from './settings.ts';

/** How many pods there may be beyond the wanted number, and how many of them may be missing. */
export interface Fenceposts {
  readonly surge: number;
  readonly unavailable: number;
}

/** How many pods each side of a rollout should have. */
export interface Split {
  readonly canary: number;
  readonly stable: number;
}

const share = (value: IntOrPercent, replicas: number, round: 'up' | 'down'): number => {
  if (typeof value === 'number') return value;
  const hundredths = Number.parseInt(value, 10) * replicas;
  return Math.floor((hundredths + (round === 'up' ? 99 : 0)) / 100);
};

/**
 * The limits of a rollout in pods. When both come to nothing, one pod may be missing, as Deployments have it: else
 * nothing could ever move.
 *
 * @see k8s.io/kubernetes pkg/controller/deployment/util/deployment_util.go (`ResolveFenceposts`)
 */
export const fencepostsOf = ({
  replicas,
  maxSurge,
  maxUnavailable,
}: Pick<Settings, 'replicas' | 'maxSurge' | 'maxUnavailable'>): Fenceposts => {
  const surge = share(maxSurge, replicas, 'up');
  const unavailable = Math.min(share(maxUnavailable, replicas, 'down'), replicas);
  return surge === 0 && unavailable === 0 ? { surge, unavailable: Math.min(1, replicas) } : { surge, unavailable };
};

/** One pod cannot be split: both versions run when there is room for two, otherwise the nearer end counts. */
const splitOne = (percent: number, surge: number): Split => {
  if (surge > 0) return { canary: 1, stable: 1 };
  return percent >= 50 ? { canary: 1, stable: 0 } : { canary: 0, stable: 1 };
};

/**
 * How many pods of each version a percentage means. Integers only: half a pod counts as one, and neither side is left
 * without a pod before the last step.
 *
 * @param percent - 0 to 100
 * @param options - `replicas`: 0 or more; `surge`: pods that there may be beyond them
 * @example
 * splitOf(30, { replicas: 10, surge: 3 }); // { canary: 3, stable: 7 }
 */
export const splitOf = (
  percent: number,
  { replicas, surge }: { readonly replicas: number; readonly surge: number },
): Split => {
  if (replicas === 0 || percent <= 0) return { canary: 0, stable: replicas };
  if (percent >= 100) return { canary: replicas, stable: 0 };
  if (replicas === 1) return splitOne(percent, surge);
  const rounded = Math.floor((2 * replicas * percent + 100) / 200);
  const canary = Math.min(Math.max(rounded, 1), replicas - 1);
  return { canary, stable: replicas - canary };
};
