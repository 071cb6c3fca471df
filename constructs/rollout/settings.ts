import type { Settings } from './engine/settings.ts';

/** A spec with the fields that kinds of rollouts share; see `rolloutFields`. */
export type RolloutSpec = Omit<Settings, 'replicas' | 'rollbackWindow'> & {
  readonly rollbackWindow?: { readonly revisions: number } | undefined;
};

/** What the engine goes by. */
export const settingsOf = (spec: RolloutSpec, replicas: number): Settings => ({
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
