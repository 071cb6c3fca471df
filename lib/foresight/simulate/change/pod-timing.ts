import type { PodBehavior } from '#lib/controllers/nodes/pod-behavior.ts';
import type { StoredPod } from '#lib/controllers/workload.ts';
import type { Script } from '#lib/foresight/simulate/script/script.ts';
import { durationMs } from '#lib/foresight/simulate/script/time-text.ts';
import { luckOf } from '#lib/foresight/simulate/targets/luck.ts';
import { fits } from '#lib/foresight/simulate/targets/pattern.ts';

type Timing = NonNullable<Script['pods']>;

const DEFAULTS = { startMs: 2000, readyMs: 4000, stopMs: 1000, spread: 30 };

const imagesOf = ({ spec }: StoredPod): readonly string[] => spec.containers.map(({ image = '' }) => image);

/** The timing of a pod: the general timing of the script, with the fields of the last rule that matches the pod's image. */
const saidOf = (pod: StoredPod, timing: Timing): Omit<Timing, 'rules'> => {
  const rule = (timing.rules ?? []).findLast(({ image }) => imagesOf(pod).some((own) => fits(image, own)));
  const { image: _image, ...said } = rule ?? { image: '' };
  return { ...timing, ...said };
};

/**
 * Returns a function that computes the behavior of the containers of a pod from the script. The times vary from pod to pod,
 * depending on the seed.
 *
 * @param isFailing - whether the readiness of a pod fails now
 */
export const podTiming = (
  timing: Timing = {},
  { seed, isFailing }: { readonly seed: number; readonly isFailing: (pod: StoredPod) => boolean },
): ((pod: StoredPod) => Partial<PodBehavior>) => {
  return (pod) => {
    const { start, ready, stop, exitAfter, exitCode, spread = DEFAULTS.spread } = saidOf(pod, timing);
    const { name, namespace = '' } = pod.metadata;
    const about = (ms: number, what: string): number =>
      Math.max(0, Math.round(ms * (1 + ((luckOf(`${seed} ${what} ${namespace}/${name}`) * 2 - 1) * spread) / 100)));
    return {
      startAfterMs: about(durationMs(start) ?? DEFAULTS.startMs, 'start'),
      readyAfterMs: about(durationMs(ready) ?? DEFAULTS.readyMs, 'ready'),
      stopAfterMs: about(durationMs(stop) ?? DEFAULTS.stopMs, 'stop'),
      neverReady: ready === 'never' || isFailing(pod),
      ...(exitAfter !== undefined && { exitAfterMs: about(durationMs(exitAfter) ?? 0, 'exit') }),
      ...(exitCode !== undefined && { exitCode }),
    };
  };
};
