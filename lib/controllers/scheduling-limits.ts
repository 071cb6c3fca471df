import { isPlainObject } from '#lib/json.ts';
import type { Pod } from './workload.ts';

const hasContent = (value: unknown): boolean =>
  Array.isArray(value) ? value.length > 0 : isPlainObject(value) && Object.values(value).some(hasContent);

/** Constraints that may be left unfulfilled are fulfilled, as far as anybody can tell. */
const isHard = (constraint: unknown): boolean =>
  isPlainObject(constraint) && constraint['whenUnsatisfiable'] !== 'ScheduleAnyway';

/** What the virtual scheduler does not consider and a pod asks for, such as `spec.affinity`; a pod that does is not scheduled. */
export const unconsideredField = ({ spec }: Pod): string | undefined => {
  const { affinity, topologySpreadConstraints, resourceClaims } = spec as unknown as Readonly<Record<string, unknown>>;
  const hard = Array.isArray(topologySpreadConstraints) ? topologySpreadConstraints.filter(isHard) : undefined;
  const wishes = { affinity, topologySpreadConstraints: hard, resourceClaims };
  const asked = Object.entries(wishes).find(([, value]) => hasContent(value));
  return asked && `spec.${asked[0]}`;
};
