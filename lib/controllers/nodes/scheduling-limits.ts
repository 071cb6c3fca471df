import { isPlainObject } from '#lib/json.ts';
import type { StoredPod } from '../workload.ts';

const hasContent = (value: unknown): boolean =>
  Array.isArray(value) ? value.length > 0 : isPlainObject(value) && Object.values(value).some(hasContent);

/** Whether a constraint is mandatory. Preferred ones have no observable effect if they are not met. */
const isHard = (constraint: unknown): boolean =>
  isPlainObject(constraint) && constraint['whenUnsatisfiable'] !== 'ScheduleAnyway';

/** A constraint of a pod that the virtual scheduler does not support, such as `spec.affinity`; such a pod is not scheduled. */
export const unconsideredField = ({ spec }: StoredPod): string | undefined => {
  const { affinity, topologySpreadConstraints, resourceClaims } = spec as unknown as Readonly<Record<string, unknown>>;
  const hard = Array.isArray(topologySpreadConstraints) ? topologySpreadConstraints.filter(isHard) : undefined;
  const wishes = { affinity, topologySpreadConstraints: hard, resourceClaims };
  const asked = Object.entries(wishes).find(([, value]) => hasContent(value));
  return asked && `spec.${asked[0]}`;
};
