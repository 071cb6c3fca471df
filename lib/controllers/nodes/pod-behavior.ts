import { memberOf } from '#lib/json.ts';
import type { StoredPod } from '../workload.ts';

/** How the containers of a pod behave. Times in milliseconds; they count from timestamps with whole seconds. */
export interface PodBehavior {
  /** From scheduling until the containers run (pulling images). @default 0 */
  readonly startAfterMs: number;
  /** From the start until the containers are ready, and from becoming unready until they are ready again. @default 0 */
  readonly readyAfterMs: number;
  /** @default false */
  readonly neverReady: boolean;
  /** The containers exit by themselves this long after their start. */
  readonly exitAfterMs?: number;
  /** @default 0 */
  readonly exitCode: number;
  /** From the request to terminate until the containers stop; limited by the grace period. @default 0 */
  readonly stopAfterMs: number;
  /** The pod never stops terminating. @default false */
  readonly neverStops: boolean;
}

const defaults: PodBehavior = {
  startAfterMs: 0,
  readyAfterMs: 0,
  neverReady: false,
  exitCode: 0,
  stopAfterMs: 0,
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
 * `kubelet.sim/never-ready: "true"`, take precedence over the behavior that is configured for the cluster.
 */
export const behaviorOf = (pod: StoredPod, given: Partial<PodBehavior> = {}): PodBehavior => ({
  ...defaults,
  ...given,
  ...Object.fromEntries(read(pod, numbers, Number)),
  ...Object.fromEntries(read(pod, flags, (text) => text === 'true')),
});
