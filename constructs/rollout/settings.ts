import type { RolloutSettings } from './engine/settings.ts';

/** The part of a spec that all kinds with rollouts share; see `rolloutFields`. */
export type RolloutSpec = Omit<RolloutSettings, 'replicas' | 'rollbackWindow'> & {
  readonly rollbackWindow?: { readonly revisions: number } | undefined;
};

/** Converts a spec to the settings of the engine. */
export const rolloutSettingsOf = (spec: RolloutSpec, replicas: number): RolloutSettings => ({
  replicas,
  steps: spec.steps,
  maxSurge: spec.maxSurge,
  maxUnavailable: spec.maxUnavailable,
  progressDeadlineSeconds: spec.progressDeadlineSeconds,
  progressDeadlineAction: spec.progressDeadlineAction,
  revisionHistoryLimit: spec.revisionHistoryLimit,
  rollbackWindow: spec.rollbackWindow?.revisions ?? 0,
  rollbackInSteps: spec.rollbackInSteps,
  retainOldSeconds: spec.retainOldSeconds,
  paused: spec.paused,
});
