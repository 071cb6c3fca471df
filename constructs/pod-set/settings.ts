/** What becomes of failed pods. */
export interface FailedPodSettings {
  /** So many of them stay, to be looked at. */
  readonly keepLast: number;
  /** Delay of the next pod after the first failure, in seconds; doubled with every failure in a row. */
  readonly initialSeconds: number;
  readonly maxSeconds: number;
}

/** What is asked of a set of pods, in numbers of pods and seconds. */
export interface Settings {
  readonly replicas: number;
  /** Pods beyond the replicas while there are two revisions. */
  readonly maxSurge: number;
  /** Pods short of the replicas that an update may cause. */
  readonly maxUnavailable: number;
  readonly minReadySeconds: number;
  readonly progressDeadlineSeconds: number;
  /** Pods of an old revision are replaced when somebody else deletes them. */
  readonly isOnDelete: boolean;
  readonly isPaused: boolean;
  /** Pods that are being deleted still take up room. */
  readonly waitsForTermination: boolean;
  readonly failedPods: FailedPodSettings;
}

/** What holds for failed pods where nothing else is said. */
const defaultFailedPods: FailedPodSettings = { keepLast: 1, initialSeconds: 10, maxSeconds: 300 };

/** A set of pods that all look the same for ever. */
export const plainSettings = (replicas: number): Settings => ({
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

/** The part of a spec that the settings are made of. */
export interface SettingsSpec {
  readonly replicas: number;
  readonly minReadySeconds: number;
  readonly progressDeadlineSeconds: number;
  readonly paused: boolean;
  readonly podReplacementPolicy: 'TerminationStarted' | 'TerminationComplete';
  readonly updateStrategy: {
    readonly type: 'RollingUpdate' | 'OnDelete';
    readonly maxSurge: number | string;
    readonly maxUnavailable: number | string;
  };
  readonly failedPods: FailedPodSettings;
}

/** The product is whole, so that the quotient is exact where it is whole: no number is rounded the wrong way. */
const share = (value: number | string, of: number): number =>
  typeof value === 'number' ? value : (of * Number.parseInt(value, 10)) / 100;

/**
 * The bounds of an update, in pods: of a percentage the surge is rounded up, the unavailable ones are rounded down. If both
 * come out as zero, one may be unavailable, or nothing would ever move.
 *
 * @see https://github.com/kubernetes/kubernetes/blob/v1.36.4/pkg/controller/deployment/util/deployment_util.go (ResolveFenceposts)
 */
const boundsOf = ({ replicas, updateStrategy }: Pick<SettingsSpec, 'replicas' | 'updateStrategy'>) => {
  const maxSurge = Math.ceil(share(updateStrategy.maxSurge, replicas));
  const unavailable = Math.floor(share(updateStrategy.maxUnavailable, replicas));
  return { maxSurge, maxUnavailable: Math.min(replicas, maxSurge === 0 ? Math.max(1, unavailable) : unavailable) };
};

/** The settings that a spec asks for. */
export const settingsOf = (spec: SettingsSpec): Settings => ({
  replicas: spec.replicas,
  ...boundsOf(spec),
  minReadySeconds: spec.minReadySeconds,
  progressDeadlineSeconds: spec.progressDeadlineSeconds,
  isOnDelete: spec.updateStrategy.type === 'OnDelete',
  isPaused: spec.paused,
  waitsForTermination: spec.podReplacementPolicy === 'TerminationComplete',
  failedPods: spec.failedPods,
});
