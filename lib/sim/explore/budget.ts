import type { FaultClass, StepTouches, WorldStep } from '#lib/sim/world/step/step.ts';
import type { World } from '#lib/sim/world/world.ts';

/** The types of steps that a search limits: classes of faults, advances of time, and harmless steps such as bookmarks. */
export type BudgetKey = FaultClass | 'time' | 'harmless';

/** For each limited type of step, how often it may still happen. An absent type may not happen. */
export type Budget = Readonly<Partial<Record<BudgetKey, number>>>;

/** A step that a search may take. `key` is the entry of the budget that decreases; absent for a step without a limit. */
export interface Move {
  readonly label: string;
  readonly key?: BudgetKey;
  readonly touches?: StepTouches;
}

const isLeft = (budget: Budget, key: BudgetKey): boolean => (budget[key] ?? 0) > 0;

/** Returns the budget that is left after one step of a type. */
export const spend = (budget: Budget, key: BudgetKey): Budget => ({ ...budget, [key]: (budget[key] ?? 0) - 1 });

const keyOf = ({ nature, fault }: WorldStep): BudgetKey => (nature === 'harmless' ? 'harmless' : (fault ?? 'actor'));

const moveOf = ({ label, touches }: WorldStep): Move => ({ label, ...(touches && { touches }) });

/** The steps that a search tries next in a world, within its budget. */
export const moves = (world: World, budget: Budget): readonly Move[] => {
  const script = world.scriptStep();
  const time = isLeft(budget, 'time') ? world.cluster.timeStep() : undefined;
  const isPoor = Object.entries(budget).every(([key, left]) => key === 'time' || left === 0);
  const others = isPoor
    ? []
    : world.cluster.others().map((step): Move & { readonly key: BudgetKey } => ({ ...moveOf(step), key: keyOf(step) }));
  return [
    ...world.cluster.progress().map(moveOf),
    ...(script ? [moveOf(script)] : []),
    ...(time ? [{ label: time.label, key: 'time' } as const] : []),
    ...others.filter(({ key }) => isLeft(budget, key)),
  ];
};
