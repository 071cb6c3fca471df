import type { Ground } from '../ground/ground.ts';
import { createPodSet, fleetNames, PODS_EACH } from '../ground/pod-sets.ts';
import { cpuSecondsOf } from '../ground/process-usage.ts';
import { inFlight } from './bare-client.ts';
import type { CreatedPodSet } from './templates.ts';
import { writeAsOperator } from './writes.ts';

/** One run of the floor. */
export interface FloorRun {
  readonly seconds: number;
  /** CPU time of the client and of the whole control plane meanwhile. */
  readonly allCpuSeconds: number;
}

/**
 * Runs the floor: the same five writes per PodSet as driver and operator send together, by a client that reads nothing.
 * The driver's user creates the PodSet, and the operator's user the rest, as with an operator.
 *
 * The clock runs from the first request to the last answer.
 */
export const runFloor = async (ground: Ground, namespace: string, count: number): Promise<FloorRun> => {
  const { bare, operatorToken: token, sharedPids, templates } = ground;
  const before = cpuSecondsOf(sharedPids);
  const startedAt = performance.now();
  await inFlight(fleetNames(count), async (name) => {
    const answer = await createPodSet(ground, namespace, { name, replicas: PODS_EACH });
    const { metadata } = JSON.parse(answer) as { readonly metadata: CreatedPodSet };
    await writeAsOperator({ bare, templates, token }, metadata);
  });
  const seconds = (performance.now() - startedAt) / 1000;
  return { seconds, allCpuSeconds: cpuSecondsOf(sharedPids) - before };
};
