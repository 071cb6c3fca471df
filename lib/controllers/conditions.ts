import type { Condition } from './workload.ts';

/** The condition of a type. */
export const conditionOf = (conditions: readonly Condition[] | undefined, type: string): Condition | undefined =>
  conditions?.find((condition) => condition.type === type);

/** The conditions without those of a type. */
export const withoutCondition = (conditions: readonly Condition[] | undefined, type: string): readonly Condition[] =>
  (conditions ?? []).filter((condition) => condition.type !== type);
