import type { Toleration } from '../workload.ts';

/** A taint of a node. */
export interface Taint {
  readonly key: string;
  readonly value?: string;
  readonly effect: string;
}

/** The taint of a cordoned node. New pods without a matching toleration are not scheduled on such a node. */
export const UNSCHEDULABLE: Taint = { key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule' };

/** @see k8s.io/kubernetes v1.36.4 staging/src/k8s.io/api/core/v1/toleration.go (`ToleratesTaint`) */
const isToleration = ({ key = '', operator = '', value = '', effect = '' }: Toleration, taint: Taint): boolean => {
  if (effect !== '' && effect !== taint.effect) return false;
  if (key !== '' && key !== taint.key) return false;
  return operator === 'Exists' || ((operator === '' || operator === 'Equal') && value === (taint.value ?? ''));
};

/** Whether one of the tolerations matches a taint. */
export const tolerates = (tolerations: readonly Toleration[] | undefined, taint: Taint): boolean =>
  (tolerations ?? []).some((toleration) => isToleration(toleration, taint));

/** Whether a taint with one of the effects is not tolerated. */
export const hasUntolerated = (
  taints: readonly Taint[],
  tolerations: readonly Toleration[] | undefined,
  effects: readonly string[],
): boolean => taints.some((taint) => effects.includes(taint.effect) && !tolerates(tolerations, taint));
