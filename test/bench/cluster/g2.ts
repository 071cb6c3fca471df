import { setTimeout as sleep } from 'node:timers/promises';
import { clearNamespace, createConvergedFleet } from '../ground/fleet.ts';
import { PODS_EACH } from '../ground/pod-sets.ts';
import { threadSecondsOf, usageOf } from '../ground/process-usage.ts';
import { listed, ofLoop, requestsSince, untilQuiet } from '../ground/requests.ts';
import { atMost, exactly, type PlaneMeasure, type Row, rounded } from '../report/measure.ts';

/** Percentage of a core, including the renewals of the Lease. */
const CPU_GOAL = 0.2;

/** The operating system counts CPU time in hundredths of a second: a shorter window is not accurate. */
const GOAL_WINDOW_SECONDS = 60;

interface RestOptions {
  readonly podSets: number;
  readonly windowSeconds: number;
  /** What came before the window, in words. */
  readonly after: string;
}

/** The CPU time of a window at rest. The parts of its threads show whether the loop or V8 needed it. */
const measureWindow = async (pid: number, { podSets, windowSeconds, after }: RestOptions): Promise<Row> => {
  const [before, threadsBefore] = [usageOf(pid).cpuSeconds, threadSecondsOf(pid)];
  await sleep(windowSeconds * 1000);
  const cpuSeconds = usageOf(pid).cpuSeconds - before;
  const threads = Object.entries(threadSecondsOf(pid))
    .map(([name, seconds]) => [name, seconds - (threadsBefore[name] ?? 0)] as const)
    .filter(([, seconds]) => seconds > 0);
  const percent = (100 * cpuSeconds) / windowSeconds;
  const parts = threads.map(([name, seconds]) => `${name} ${rounded(seconds)}`).join(', ');
  return {
    id: 'P6',
    measure: `CPU at rest for ${windowSeconds} s${after} with ${podSets} PodSets × ${PODS_EACH} pods, % of a core`,
    goal: `≤ ${CPU_GOAL} %`,
    result: `${rounded(percent)} % (${rounded(cpuSeconds)} s: ${parts})`,
    ...(windowSeconds >= GOAL_WINDOW_SECONDS ? atMost(percent, CPU_GOAL) : ({ verdict: 'note' } as const)),
    figures: { cpuSeconds, threads: Object.fromEntries(threads), podSets, windowSeconds },
    headline: percent,
  };
};

/**
 * Measures requests and CPU time of the operator at rest, in two windows. In the first one, V8 can still collect the garbage of the
 * burst of creations.
 */
export const measureG2: PlaneMeasure = async ({ ground, options, progress }) => {
  const { podSets, windowSeconds } = options;
  progress(`G2: ${podSets} PodSets come to rest`);
  await using operator = await ground.startOperator();
  const namespace = await createConvergedFleet(ground, podSets);
  await untilQuiet(ground);
  progress(`G2: twice ${windowSeconds} s at rest`);
  const since = new Date();
  const windows = [
    await measureWindow(operator.pid, { podSets, windowSeconds, after: ' right after a burst' }),
    await measureWindow(operator.pid, { podSets, windowSeconds, after: '' }),
  ];
  const requests = await requestsSince(ground, since);
  await operator.stop();
  await clearNamespace(ground, namespace);
  return [
    {
      id: 'G2',
      measure: `at rest for ${2 * windowSeconds} s with ${podSets} PodSets: requests`,
      goal: '0 reads, 0 writes',
      result: `${requests.lists + requests.gets} reads, ${requests.writes} writes; watches opened again: ${requests.watches}; Lease requests: ${requests.leases}`,
      ...exactly(ofLoop(requests) === 0, ofLoop(requests)),
      figures: { ...requests, listed: listed(requests), podSets, windowSeconds },
      headline: ofLoop(requests),
    },
    ...windows,
  ];
};
