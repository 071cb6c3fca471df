import type { OperatorProcess } from '#test/control-plane/operator-process.ts';
import { clearNamespace } from './fleet.ts';
import type { Ground } from './ground.ts';
import { driveFleet, PODS_EACH } from './pod-sets.ts';
import { cpuSecondsOf, type ProcessUsage, usageOf } from './process-usage.ts';
import { countByClass, ofLoop, untilQuiet } from './requests.ts';
import { watchSettled } from './settled.ts';

/** One run in which the operator converged a fleet. */
export interface OperatorRun {
  readonly seconds: number;
  /** CPU time of the operator while the clock ran. */
  readonly cpuSeconds: number;
  /** The same including its start. */
  readonly cpuSecondsWithStart: number;
  readonly peakMiB: number;
  /** CPU time of operator, driver and the complete control plane in that time. */
  readonly allCpuSeconds: number;
  /** Requests of its loop for each PodSet, start-up lists not counted. */
  readonly requestsPerPodSet: number;
}

interface Clocked {
  readonly operator: OperatorProcess;
  readonly seconds: number;
  readonly before: ProcessUsage;
  readonly after: ProcessUsage;
  readonly sharedCpuSeconds: number;
}

const finish = async (
  ground: Ground,
  { namespace, count }: { readonly namespace: string; readonly count: number },
  clocked: Clocked,
): Promise<OperatorRun> => {
  const { operator, seconds, before, after, sharedCpuSeconds } = clocked;
  await untilQuiet(ground);
  await operator.stop();
  const requests = countByClass(await ground.plane.auditEntries({ user: ground.user, namespace }));
  await clearNamespace(ground, namespace);
  return {
    seconds,
    cpuSeconds: after.cpuSeconds - before.cpuSeconds,
    allCpuSeconds: sharedCpuSeconds + after.cpuSeconds - before.cpuSeconds,
    cpuSecondsWithStart: after.cpuSeconds,
    peakMiB: after.peakMiB,
    requestsPerPodSet: ofLoop(requests) / count,
  };
};

/** The operator runs; the clock runs from the driver's first create until all PodSets report their pods. */
export const runRunning = async (ground: Ground, count: number): Promise<OperatorRun> => {
  const namespace = await ground.plane.createNamespace('running');
  await using operator = await ground.startOperator();
  await using settled = await watchSettled(ground, namespace, { count, replicas: PODS_EACH });
  const before = usageOf(operator.pid);
  const sharedBefore = cpuSecondsOf(ground.sharedPids);
  const startedAt = performance.now();
  await driveFleet(ground, namespace, count);
  const seconds = ((await settled.reached) - startedAt) / 1000;
  const after = usageOf(operator.pid);
  const sharedCpuSeconds = cpuSecondsOf(ground.sharedPids) - sharedBefore;
  return finish(ground, { namespace, count }, { operator, seconds, before, after, sharedCpuSeconds });
};

/** The PodSets exist; the clock runs from the start of the operator's process. */
export const runLate = async (ground: Ground, count: number): Promise<OperatorRun> => {
  const namespace = await ground.plane.createNamespace('late');
  await driveFleet(ground, namespace, count);
  await using settled = await watchSettled(ground, namespace, { count, replicas: PODS_EACH });
  const sharedBefore = cpuSecondsOf(ground.sharedPids);
  const startedAt = performance.now();
  await using operator = ground.spawnOperator();
  const seconds = ((await settled.reached) - startedAt) / 1000;
  const before = { cpuSeconds: 0, residentMiB: 0, peakMiB: 0 };
  const after = usageOf(operator.pid);
  const sharedCpuSeconds = cpuSecondsOf(ground.sharedPids) - sharedBefore;
  return finish(ground, { namespace, count }, { operator, seconds, before, after, sharedCpuSeconds });
};
