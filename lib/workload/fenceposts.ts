/** A whole number, or a percentage such as `25%`. */
export type IntOrPercent = number | string;

/** The limits of a rolling update, relative to the desired number of pods. */
export interface FencepostsInput {
  /** The desired number of pods, 0 or more. */
  readonly replicas: number;
  /** The allowed number of pods beyond `replicas`, 0 or more; percentages are rounded up. */
  readonly maxSurge: IntOrPercent;
  /** The number of pods that may be unavailable, 0 or more; percentages are rounded down. */
  readonly maxUnavailable: IntOrPercent;
}

/** The maximum number of pods beyond the desired number, and of unavailable pods. */
export interface Fenceposts {
  readonly surge: number;
  /** The number of pods that may be unavailable, at most the desired number. */
  readonly unavailable: number;
}

/** Whole hundredths give an exact result; a fraction such as 0.1 would not. */
const share = (value: IntOrPercent, replicas: number, round: 'up' | 'down'): number => {
  if (typeof value === 'number') return value;
  const hundredths = Number.parseInt(value, 10) * replicas;
  return Math.floor((hundredths + (round === 'up' ? 99 : 0)) / 100);
};

/**
 * Returns the limits of a rolling update as numbers of pods, as Deployments compute them. If both limits are zero and
 * `replicas` is not, one pod may be unavailable; otherwise the update could never begin.
 *
 * Assumptions: the schema has checked the values, as `s.intOrString()` does.
 *
 * @example
 * fencepostsOf({ replicas: 10, maxSurge: '25%', maxUnavailable: '25%' }); // { surge: 3, unavailable: 2 }
 * @see https://github.com/kubernetes/kubernetes/blob/v1.36.4/pkg/controller/deployment/util/deployment_util.go
 * (ResolveFenceposts)
 */
export const fencepostsOf = ({ replicas, maxSurge, maxUnavailable }: FencepostsInput): Fenceposts => {
  const surge = share(maxSurge, replicas, 'up');
  const unavailable = Math.min(share(maxUnavailable, replicas, 'down'), replicas);
  return surge === 0 && unavailable === 0 ? { surge, unavailable: Math.min(1, replicas) } : { surge, unavailable };
};
