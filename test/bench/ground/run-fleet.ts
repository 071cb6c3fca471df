import type { Contender, Converger } from '../floor/bare-process.ts';
import { percentile } from '../report/measure.ts';
import { clearNamespace } from './fleet.ts';
import type { Ground } from './ground.ts';
import { driveFleet, PODS_EACH } from './pod-sets.ts';
import { cpuSecondsOf, type ProcessUsage, usageOf } from './process-usage.ts';
import { countByClass, ofLoop, untilQuiet } from './requests.ts';
import { type Settled, watchSettled } from './settled.ts';

/** Time from the creation of a PodSet to its first status, as a part of the time until all PodSets have converged. */
export interface FirstStatus {
  readonly p50: number;
  readonly p99: number;
}

/** One run in which a process converged a fleet. */
export interface FleetRun {
  readonly seconds: number;
  /** CPU time of the process while the clock ran. */
  readonly cpuSeconds: number;
  /** CPU time of the process including its start, in seconds. */
  readonly cpuSecondsWithStart: number;
  readonly peakMiB: number;
  /** CPU time of the process, driver and the complete control plane in that time. */
  readonly allCpuSeconds: number;
  /** Requests of the process's loop for each PodSet, without the lists at the start. */
  readonly requestsPerPodSet: number;
  /** Only where the process runs before the PodSets are created. */
  readonly firstStatus?: FirstStatus;
}

/** The program that converges PodSets, and their number. */
export interface FleetRunOptions {
  readonly contender: Contender;
  readonly count: number;
}

interface Clocked {
  readonly namespace: string;
  readonly count: number;
  readonly converger: Converger;
  readonly seconds: number;
  readonly before: ProcessUsage;
  readonly after: ProcessUsage;
  readonly sharedCpuSeconds: number;
}

const finish = async (ground: Ground, clocked: Clocked): Promise<FleetRun> => {
  const { namespace, count, converger, seconds, before, after, sharedCpuSeconds } = clocked;
  await untilQuiet(ground);
  await converger.stop();
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

/**
 * Divides the waits for a first status by the duration of the run.
 *
 * @param sentAt - when each PodSet was created, in milliseconds
 * @param firstStatus - when the first status of each PodSet was seen, on the same clock
 */
export const firstStatusOf = (
  sentAt: ReadonlyMap<string, number>,
  firstStatus: ReadonlyMap<string, number>,
  seconds: number,
): FirstStatus => {
  const shares = [...sentAt].map(([name, at]) => ((firstStatus.get(name) ?? Number.NaN) - at) / 1000 / seconds);
  return { p50: percentile(shares, 0.5), p99: percentile(shares, 0.99) };
};

/** @throws {Error} when the process ends before the state is reached */
const reachedBy = async ({ exited }: Converger, { reached }: Settled): Promise<number> => {
  const ended = exited.then((code) => {
    throw new Error(`The process ended before all PodSets settled, with ${String(code)}`);
  });
  return Promise.race([reached, ended]);
};

/** The process runs; the clock runs from the driver's first create until all PodSets report their pods. */
export const runRunning = async (ground: Ground, { contender, count }: FleetRunOptions): Promise<FleetRun> => {
  const namespace = await ground.plane.createNamespace('running');
  await using converger = await contender.start();
  await using settled = await watchSettled(ground, namespace, { count, replicas: PODS_EACH });
  const before = usageOf(converger.pid);
  const sharedBefore = cpuSecondsOf(ground.sharedPids);
  const startedAt = performance.now();
  const sentAt = await driveFleet(ground, namespace, count);
  const seconds = ((await reachedBy(converger, settled)) - startedAt) / 1000;
  const after = usageOf(converger.pid);
  const sharedCpuSeconds = cpuSecondsOf(ground.sharedPids) - sharedBefore;
  const run = await finish(ground, { namespace, count, converger, seconds, before, after, sharedCpuSeconds });
  return { ...run, firstStatus: firstStatusOf(sentAt, settled.firstStatus, seconds) };
};

/** The PodSets exist; the clock runs from the start of the process. */
export const runLate = async (ground: Ground, { contender, count }: FleetRunOptions): Promise<FleetRun> => {
  const namespace = await ground.plane.createNamespace('late');
  await driveFleet(ground, namespace, count);
  await using settled = await watchSettled(ground, namespace, { count, replicas: PODS_EACH });
  const sharedBefore = cpuSecondsOf(ground.sharedPids);
  const startedAt = performance.now();
  await using converger = contender.spawn();
  const seconds = ((await reachedBy(converger, settled)) - startedAt) / 1000;
  const before = { cpuSeconds: 0, residentMiB: 0, peakMiB: 0 };
  const after = usageOf(converger.pid);
  const sharedCpuSeconds = cpuSecondsOf(ground.sharedPids) - sharedBefore;
  return finish(ground, { namespace, count, converger, seconds, before, after, sharedCpuSeconds });
};
