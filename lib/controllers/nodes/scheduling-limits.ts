import { isPlainObject } from '#lib/json.ts';
import type { StoredPod } from '../workload.ts';

const hasContent = (value: unknown): boolean =>
  Array.isArray(value) ? value.length > 0 : isPlainObject(value) && Object.values(value).some(hasContent);

/**
 * Whether a constraint is mandatory. A preference can be ignored, because Kubernetes also schedules a pod whose preferences are
 * not met.
 */
const isHard = (constraint: unknown): boolean =>
  isPlainObject(constraint) && constraint['whenUnsatisfiable'] !== 'ScheduleAnyway';

/**
 * The field of a pod with a constraint that the virtual scheduler does not support, such as `spec.affinity`. A pod with such a
 * field is not scheduled.
 */
export const unconsideredField = ({ spec }: StoredPod): string | undefined => {
  const { affinity, topologySpreadConstraints, resourceClaims } = spec as unknown as Readonly<Record<string, unknown>>;
  const hard = Array.isArray(topologySpreadConstraints) ? topologySpreadConstraints.filter(isHard) : undefined;
  const { nodeAffinity: _, ...others } = isPlainObject(affinity) ? affinity : {};
  const wishes = { affinity: others, topologySpreadConstraints: hard, resourceClaims };
  const asked = Object.entries(wishes).find(([, value]) => hasContent(value));
  return asked && `spec.${asked[0]}`;
};
