import { isPlainObject } from '#lib/kind/json.ts';
import type { Pod } from './workload.ts';

const hasContent = (value: unknown): boolean =>
  Array.isArray(value) ? value.length > 0 : isPlainObject(value) && Object.values(value).some(hasContent);

/** What the virtual scheduler does not consider and a pod asks for, such as `spec.affinity`; a pod that does is not scheduled. */
export const unconsideredField = ({ spec }: Pod): string | undefined => {
  const { affinity, topologySpreadConstraints, resourceClaims } = spec as unknown as Readonly<Record<string, unknown>>;
  const asked = Object.entries({ affinity, topologySpreadConstraints, resourceClaims }).find(([, value]) =>
    hasContent(value),
  );
  return asked && `spec.${asked[0]}`;
};
