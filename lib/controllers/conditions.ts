import type { StatusCondition } from './workload.ts';

/** Finds the condition with a type; undefined when there is none. */
export const findCondition = (
  conditions: readonly StatusCondition[] | undefined,
  type: string,
): StatusCondition | undefined => conditions?.find((condition) => condition.type === type);

/** Returns all conditions except the condition with a type. */
export const withoutCondition = (
  conditions: readonly StatusCondition[] | undefined,
  type: string,
): readonly StatusCondition[] => (conditions ?? []).filter((condition) => condition.type !== type);
