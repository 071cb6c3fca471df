import type { StatusCondition } from './workload.ts';

/** The condition of a type; undefined when absent. */
export const findCondition = (
  conditions: readonly StatusCondition[] | undefined,
  type: string,
): StatusCondition | undefined => conditions?.find((condition) => condition.type === type);

/** All conditions except that of a type. */
export const withoutCondition = (
  conditions: readonly StatusCondition[] | undefined,
  type: string,
): readonly StatusCondition[] => (conditions ?? []).filter((condition) => condition.type !== type);
