/** The number of pods of each version in a rollout. */
export interface Split {
  readonly canary: number;
  readonly stable: number;
}

/**
 * The split for one replica, between 0 and 100 percent. If a surge is allowed, each version runs one pod. Otherwise, the only pod
 * runs the new version from 50 percent on, and the stable version below.
 */
const splitOne = (percent: number, surge: number): Split => {
  if (surge > 0) return { canary: 1, stable: 1 };
  return percent >= 50 ? { canary: 1, stable: 0 } : { canary: 0, stable: 1 };
};

/**
 * Converts a percentage to a number of pods for each version. Numbers are rounded, and half a pod counts as one. Between 0 and
 * 100 percent, each version has at least one pod if there are at least two replicas.
 *
 * @param percent - 0 to 100
 * @param options - `replicas`: 0 or more; `surge`: the number of pods allowed in addition to `replicas`
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
