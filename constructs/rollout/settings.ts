import type { RolloutSettings } from './engine/settings.ts';

/** The fields of a spec from which {@link rolloutSettingsOf} makes the settings of the rollout engine. */
export type RolloutSpec = Omit<RolloutSettings, 'replicas' | 'rollbackWindow'> & {
  readonly rollbackWindow?: { readonly revisions: number } | undefined;
};

/** Makes the settings of the rollout engine from a spec and the desired number of pods. */
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
