import { fencepostsOf, type IntOrPercent } from '#lib/workload/fenceposts.ts';

/** The settings for failed pods: their retention, and the delay of their replacement. */
export interface FailedPodSettings {
  /** Number of failed pods to keep for inspection. */
  readonly keepLast: number;
  /**
   * Delay of the next pod after the first failure, in seconds. The delay doubles with each consecutive failure, up to
   * `maxSeconds`.
   */
  readonly initialSeconds: number;
  readonly maxSeconds: number;
}

/** The settings of a set of pods, in numbers of pods and seconds. */
export interface PodSetSettings {
  readonly replicas: number;
  /** Maximum number of pods above `replicas` during an update. */
  readonly maxSurge: number;
  /** Maximum number of unavailable pods during an update. */
  readonly maxUnavailable: number;
  readonly minReadySeconds: number;
  readonly progressDeadlineSeconds: number;
  /** Whether pods of an old revision are replaced only after a client deleted them. */
  readonly isOnDelete: boolean;
  readonly isPaused: boolean;
  /** Whether the replacement of a terminating pod is created only after the pod is gone. */
  readonly waitsForTermination: boolean;
  readonly failedPods: FailedPodSettings;
}

const defaultFailedPods: FailedPodSettings = { keepLast: 1, initialSeconds: 10, maxSeconds: 300 };

/** The settings of a set whose pods are never updated. */
export const plainSettings = (replicas: number): PodSetSettings => ({
  replicas,
  maxSurge: 0,
  maxUnavailable: 0,
  minReadySeconds: 0,
  progressDeadlineSeconds: 600,
  isOnDelete: false,
  isPaused: false,
  waitsForTermination: false,
  failedPods: defaultFailedPods,
});

/** The fields of a spec from which the settings are computed. */
export interface SettingsSpec {
  readonly replicas: number;
  readonly minReadySeconds: number;
  readonly progressDeadlineSeconds: number;
  readonly paused: boolean;
  readonly podReplacementPolicy: 'TerminationStarted' | 'TerminationComplete';
  readonly updateStrategy: {
    readonly type: 'RollingUpdate' | 'OnDelete';
    readonly maxSurge: IntOrPercent;
    readonly maxUnavailable: IntOrPercent;
  };
  readonly failedPods: FailedPodSettings;
}

const boundsOf = ({ replicas, updateStrategy: { maxSurge, maxUnavailable } }: SettingsSpec) => {
  const { surge, unavailable } = fencepostsOf({ replicas, maxSurge, maxUnavailable });
  return { maxSurge: surge, maxUnavailable: unavailable };
};

/** Computes the settings from a spec. Percentages become numbers of pods. */
export const podSetSettingsOf = (spec: SettingsSpec): PodSetSettings => ({
  replicas: spec.replicas,
  ...boundsOf(spec),
  minReadySeconds: spec.minReadySeconds,
  progressDeadlineSeconds: spec.progressDeadlineSeconds,
  isOnDelete: spec.updateStrategy.type === 'OnDelete',
  isPaused: spec.paused,
  waitsForTermination: spec.podReplacementPolicy === 'TerminationComplete',
  failedPods: spec.failedPods,
});
