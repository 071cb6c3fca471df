/** A whole number, or a percentage such as `25%`. */
export type IntOrPercent = number | string;

/** How far the pods of an update may go from the number that is wanted. */
export interface FencepostsInput {
  /** Pods that are wanted, 0 or more. */
  readonly replicas: number;
  /** Pods beyond `replicas`, 0 or more; percentages are rounded up. */
  readonly maxSurge: IntOrPercent;
  /** Pods that may be missing, 0 or more; percentages are rounded down. */
  readonly maxUnavailable: IntOrPercent;
}

/** How many pods there may be beyond the wanted number, and how many of them may be missing. */
export interface Fenceposts {
  readonly surge: number;
  /** Never more than are wanted. */
  readonly unavailable: number;
}

/** The product is whole, so that no number is rounded the wrong way. */
const share = (value: IntOrPercent, replicas: number, round: 'up' | 'down'): number => {
  if (typeof value === 'number') return value;
  const hundredths = Number.parseInt(value, 10) * replicas;
  return Math.floor((hundredths + (round === 'up' ? 99 : 0)) / 100);
};

/**
 * The bounds of an update in pods, as Deployments compute them: when both are zero, one pod may be unavailable, because an
 * update could otherwise never begin.
 *
 * Assumptions: the schema has checked the values, as `s.intOrString()` does.
 *
 * @example
 * fencepostsOf({ replicas: 10, maxSurge: '25%', maxUnavailable: '25%' }); // { surge: 3, unavailable: 2 }
 * @see https://github.com/kubernetes/kubernetes/blob/v1.36.4/pkg/controller/deployment/util/deployment_util.go (ResolveFenceposts)
 */
export const fencepostsOf = ({ replicas, maxSurge, maxUnavailable }: FencepostsInput): Fenceposts => {
  const surge = share(maxSurge, replicas, 'up');
  const unavailable = Math.min(share(maxUnavailable, replicas, 'down'), replicas);
  return surge === 0 && unavailable === 0 ? { surge, unavailable: Math.min(1, replicas) } : { surge, unavailable };
};
