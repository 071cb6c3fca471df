import type { RolloutSettings, RolloutStep } from '#constructs/rollout/engine/settings.ts';
import { shortHash } from '#lib/desired/canonical/canonical.ts';
import type { RolloutMemory } from './memory.ts';

const FULL = 100;

/** The steps of the spec, with a last step of 100 percent, which the spec may omit. */
export const stepsOf = ({ steps }: Pick<RolloutSettings, 'steps'>): readonly RolloutStep[] =>
  steps.at(-1)?.percent === FULL ? steps : [...steps, { percent: FULL }];

/** A hash of the percentages, sleeps and pauses of all steps, to detect an edit. */
export const stepsHashOf = (settings: Pick<RolloutSettings, 'steps'>): string =>
  shortHash(
    stepsOf(settings).map(({ percent, sleep = 0, pause = false }) => [percent, sleep, pause]),
    10,
  );

/** The current step, its index from 0, and whether it is the last step. */
export const currentStep = (
  settings: Pick<RolloutSettings, 'steps'>,
  { currentStepIndex = 0 }: RolloutMemory,
): { readonly step: RolloutStep; readonly index: number; readonly isLast: boolean } => {
  const steps = stepsOf(settings);
  const index = Math.min(currentStepIndex, steps.length - 1);
  return { step: steps[index] ?? { percent: FULL }, index, isLast: index === steps.length - 1 };
};

/** The sleep of the current step, in seconds. In a rollback, the sleep of the step with the current percentage. */
export const sleepOf = (settings: Pick<RolloutSettings, 'steps'>, memory: RolloutMemory): number => {
  const { rollbackFrom, percent } = memory;
  const step =
    rollbackFrom === undefined
      ? currentStep(settings, memory).step
      : stepsOf(settings).find((one) => one.percent === percent);
  return step?.sleep ?? 0;
};

/**
 * The index of the first step with at least this percentage. Such a step always exists, because the last step has 100 percent.
 */
export const indexFrom = (settings: Pick<RolloutSettings, 'steps'>, percent: number): number =>
  stepsOf(settings).findIndex((step) => step.percent >= percent);

/** The last step with a smaller percentage; `undefined` when there is none. */
export const stepBelow = (settings: Pick<RolloutSettings, 'steps'>, percent: number): RolloutStep | undefined =>
  stepsOf(settings).findLast((step) => step.percent < percent);
