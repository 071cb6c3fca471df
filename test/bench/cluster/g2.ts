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

/** Removes the error of a difference of binary fractions, which could miss a goal that is met. */
const hundredths = (seconds: number): number => Math.round(seconds * 100) / 100;

interface RestOptions {
  readonly operator: number;
  /** It has the watches of the operator, and renews a Lease as often: its CPU time shows the speed of the machine. */
  readonly bare: number;
  readonly podSets: number;
  readonly windowSeconds: number;
  /** What came before the window, in words. */
  readonly after: string;
}

/**
 * The CPU time of the operator and of the bare operator in a window at rest. The parts of its threads show whether the loop or V8
 * needed it.
 */
const measureWindow = async (options: RestOptions): Promise<readonly Row[]> => {
  const { operator: pid, bare, podSets, windowSeconds, after } = options;
  const [before, bareBefore, threadsBefore] = [usageOf(pid).cpuSeconds, usageOf(bare).cpuSeconds, threadSecondsOf(pid)];
  await sleep(windowSeconds * 1000);
  const cpuSeconds = hundredths(usageOf(pid).cpuSeconds - before);
  const bareSeconds = hundredths(usageOf(bare).cpuSeconds - bareBefore);
  const threads = Object.entries(threadSecondsOf(pid))
    .map(([name, seconds]) => [name, seconds - (threadsBefore[name] ?? 0)] as const)
    .filter(([, seconds]) => seconds > 0);
  const [percent, barePercent] = [(100 * cpuSeconds) / windowSeconds, (100 * bareSeconds) / windowSeconds];
  const parts = threads.map(([name, seconds]) => `${name} ${rounded(seconds)}`).join(', ');
  const size = `at rest for ${windowSeconds} s${after} with ${podSets} PodSets × ${PODS_EACH} pods, % of a core`;
  return [
    {
      id: 'P6',
      measure: `CPU ${size}`,
      goal: `≤ ${CPU_GOAL} %`,
      result: `${rounded(percent)} % (${rounded(cpuSeconds)} s: ${parts})`,
      ...(windowSeconds >= GOAL_WINDOW_SECONDS ? atMost(percent, CPU_GOAL) : ({ verdict: 'note' } as const)),
      figures: { cpuSeconds, threads: Object.fromEntries(threads), podSets, windowSeconds },
      headline: percent,
    },
    {
      id: 'P6',
      measure: `CPU of the bare operator ${size}`,
      goal: '',
      result: `${rounded(barePercent)} % (${rounded(bareSeconds)} s)`,
      verdict: 'note',
      figures: { cpuSeconds: bareSeconds, podSets, windowSeconds },
      headline: barePercent,
    },
  ];
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
  await using bare = await ground.bareOperator.start();
  progress(`G2: twice ${windowSeconds} s at rest`);
  const since = new Date();
  const rest = { operator: operator.pid, bare: bare.pid, podSets, windowSeconds };
  const windows = [
    ...(await measureWindow({ ...rest, after: ' right after a burst' })),
    ...(await measureWindow({ ...rest, after: '' })),
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
