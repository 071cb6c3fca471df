import { isPlainObject } from '#lib/json.ts';
import type { StoredPod } from '../workload.ts';

const hasContent = (value: unknown): boolean =>
  Array.isArray(value) ? value.length > 0 : isPlainObject(value) && Object.values(value).some(hasContent);

/** Whether a topology spread constraint is mandatory. Kubernetes also schedules pods that violate other constraints. */
const isHard = (constraint: unknown): boolean =>
  isPlainObject(constraint) && constraint['whenUnsatisfiable'] !== 'ScheduleAnyway';

/**
 * The first field of a pod that the virtual scheduler does not support, such as `spec.affinity`; undefined if there is none. A
 * pod with such a field is not scheduled.
 */
export const unconsideredField = ({ spec }: StoredPod): string | undefined => {
  const { affinity, topologySpreadConstraints, resourceClaims } = spec as unknown as Readonly<Record<string, unknown>>;
  const hard = Array.isArray(topologySpreadConstraints) ? topologySpreadConstraints.filter(isHard) : undefined;
  const { nodeAffinity: _, ...others } = isPlainObject(affinity) ? affinity : {};
  const wishes = { affinity: others, topologySpreadConstraints: hard, resourceClaims };
  const asked = Object.entries(wishes).find(([, value]) => hasContent(value));
  return asked && `spec.${asked[0]}`;
};
