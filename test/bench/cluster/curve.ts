import { writeFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import type { OperatorProcess } from '#test/control-plane/operator-process.ts';
import { waitFor } from '#test/control-plane/poll.ts';
import { inFlight } from '../floor/bare-client.ts';
import { clearNamespace } from '../ground/fleet.ts';
import type { Ground } from '../ground/ground.ts';
import { driveFleet, fleetNames, PODS_EACH, podSetPath } from '../ground/pod-sets.ts';
import { usageOf } from '../ground/process-usage.ts';
import { untilQuiet } from '../ground/requests.ts';
import { watchSettled } from '../ground/settled.ts';
import { curvePicture, type MemoryPhase, type MemorySample } from '../report/curve-picture.ts';
import { atMost, type PlaneMeasure, type Row, rounded } from '../report/measure.ts';

const GOAL_MIB = 200;
const SAMPLE_MS = 500;
/** The log line of a replica that is ready and does not lead. */
const STANDBY = 'caches filled, running for leader';
const PICTURE = new URL('../../../docs/pictures/memory.svg', import.meta.url);

const rssOf = (pid: number): number | undefined => {
  try {
    // A process that has ended, and that its parent has not collected, has no memory.
    return usageOf(pid).residentMiB || undefined;
  } catch {
    // The process has ended.
    return undefined;
  }
};

/** Samples the memory of one operator at a time, which `follow` selects. */
const startSampling = () => {
  const samples: MemorySample[] = [];
  const phases: MemoryPhase[] = [];
  const startedAt = performance.now();
  const seconds = (): number => (performance.now() - startedAt) / 1000;
  let pid = 0;
  const timer = setInterval(() => {
    const mib = rssOf(pid);
    if (mib !== undefined) samples.push({ seconds: seconds(), mib });
  }, SAMPLE_MS);
  return {
    samples,
    phases,
    follow: (operator: OperatorProcess): void => {
      pid = operator.pid;
    },
    begin: (name: string): void => {
      phases.push({ name, seconds: seconds() });
    },
    end: (): number => {
      clearInterval(timer);
      return seconds();
    },
  };
};

const scale = async (ground: Ground, namespace: string, names: readonly string[], replicas: number): Promise<void> => {
  await inFlight(names, (name) =>
    ground.bare.send({
      method: 'PATCH',
      path: podSetPath(namespace, name),
      body: JSON.stringify({ spec: { replicas } }),
      token: ground.adminToken,
      contentType: 'application/merge-patch+json',
    }),
  );
};

const peakIn = (samples: readonly MemorySample[], from: number, until: number): number =>
  Math.max(0, ...samples.filter(({ seconds }) => seconds >= from && seconds < until).map(({ mib }) => mib));

/**
 * The memory of the operator of the bundle, under the limit of the bundle, over the life of a large fleet: idle, created,
 * a tenth changed, failed over to a second replica, restarted. `--large` sets the number of PodSets; `--save` writes the picture.
 */
export const measureCurve: PlaneMeasure = async ({ ground, options, progress }) => {
  const count = options.large;
  const changed = fleetNames(Math.ceil(count / 10));
  const namespace = await ground.plane.createNamespace('curve');
  const sampling = startSampling();
  const settles = async (number: number, replicas: number, work: () => Promise<unknown>): Promise<void> => {
    await using settled = await watchSettled(ground, namespace, { count: number, replicas, timeoutMs: 1_500_000 });
    await work();
    await settled.reached;
    await untilQuiet(ground);
  };
  const first = await ground.startOperator();
  sampling.follow(first);
  sampling.begin('idle');
  await sleep(5000);
  progress(`CURVE: ${count} PodSets are created`);
  sampling.begin('created');
  await settles(count, PODS_EACH, () => driveFleet(ground, namespace, count));
  sampling.begin('changed');
  await settles(changed.length, PODS_EACH + 1, () => scale(ground, namespace, changed, PODS_EACH + 1));
  progress('CURVE: fail-over and restart');
  const second = ground.spawnOperator();
  // The standby fills its caches before it runs for the lease.
  await waitFor('a standby', async () => second.log.some(({ msg }) => msg === STANDBY));
  sampling.begin('failed over');
  await first.stop('SIGKILL');
  sampling.follow(second);
  await settles(changed.length, PODS_EACH, () => scale(ground, namespace, changed, PODS_EACH));
  await second.stop();
  sampling.begin('restarted');
  const third = ground.spawnOperator();
  sampling.follow(third);
  await settles(1, PODS_EACH + 1, () => scale(ground, namespace, changed.slice(0, 1), PODS_EACH + 1));
  await sleep(10_000);
  const rss = rssOf(third.pid);
  await third.stop();
  const end = sampling.end();
  await clearNamespace(ground, namespace);
  const { samples, phases } = sampling;
  if (options.save)
    await writeFile(
      PICTURE,
      curvePicture({ samples, phases, end, title: `${count.toLocaleString('en')} PodSets of ${PODS_EACH} pods` }),
    );
  return phases.map(({ name, seconds }, index): Row => {
    const peakMiB = peakIn(samples, seconds, phases[index + 1]?.seconds ?? end);
    const isJudged = name !== 'idle' && count === 10_000;
    return {
      id: 'P5',
      measure: `peak RSS under the limit of the bundle, ${count} PodSets × ${PODS_EACH} pods ${name}`,
      goal: isJudged ? `≤ ${GOAL_MIB} MiB` : '',
      result: `${rounded(peakMiB)} MiB`,
      ...(isJudged ? atMost(peakMiB, GOAL_MIB) : { verdict: 'note' as const }),
      figures: { peakMiB, count, ...(name === 'restarted' && rss !== undefined && { endMiB: rss }) },
      headline: peakMiB,
    };
  });
};
