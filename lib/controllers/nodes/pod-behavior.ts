import { memberOf } from '#lib/json.ts';
import type { StoredPod } from '../workload.ts';
import { jobBehavior } from './job-behavior.ts';

/** The behavior of the containers of a pod. Times are in milliseconds, and count from timestamps with whole seconds. */
export interface PodBehavior {
  /** Time from `status.startTime` of the pod until its containers run; it represents the pull of images. @default 0 */
  readonly startAfterMs: number;
  /** Time until containers become ready, after their start or after they became unready. @default 0 */
  readonly readyAfterMs: number;
  /** Whether the containers never become ready. @default false */
  readonly neverReady: boolean;
  /**
   * Time from the start of the containers until they exit by themselves.
   *
   * @default for pods of Jobs the result of `jobBehavior()`, otherwise no exit
   */
  readonly exitAfterMs?: number;
  /** The exit code of containers that exit by themselves. @default 0; for pods of Jobs the result of `jobBehavior()` */
  readonly exitCode: number;
  /** Time from the deletion of the pod until its containers stop. The grace period limits this time. @default 0 */
  readonly stopAfterMs: number;
  /**
   * The exit code of containers that stop within the grace period after the deletion of their pod.
   *
   * @default 0; 143 for pods of Jobs
   */
  readonly stopExitCode: number;
  /** Whether a deleted pod stays terminating for ever. @default false */
  readonly neverStops: boolean;
}

const defaults: PodBehavior = {
  startAfterMs: 0,
  readyAfterMs: 0,
  neverReady: false,
  exitCode: 0,
  stopAfterMs: 0,
  stopExitCode: 0,
  neverStops: false,
};

const numbers = {
  startAfterMs: 'start-after-ms',
  readyAfterMs: 'ready-after-ms',
  exitAfterMs: 'exit-after-ms',
  exitCode: 'exit-code',
  stopAfterMs: 'stop-after-ms',
} as const;

const flags = { neverReady: 'never-ready', neverStops: 'never-stops' } as const;

const read = <V>(pod: StoredPod, names: Readonly<Record<string, string>>, parse: (text: string) => V): [string, V][] =>
  Object.entries(names).flatMap(([field, name]): [string, V][] => {
    const text = memberOf(pod.metadata.annotations, `kubelet.sim/${name}`);
    return text === undefined ? [] : [[field, parse(text)]];
  });

/**
 * Returns the behavior of a pod. Annotations of the pod, such as `kubelet.sim/ready-after-ms: "5000"` or
 * `kubelet.sim/never-ready: "true"`, take precedence over `given`. `given` takes precedence over {@link jobBehavior}.
 */
export const behaviorOf = (pod: StoredPod, given: Partial<PodBehavior> = {}): PodBehavior => ({
  ...defaults,
  ...jobBehavior(pod),
  ...given,
  ...Object.fromEntries(read(pod, numbers, Number)),
  ...Object.fromEntries(read(pod, flags, (text) => text === 'true')),
});
