import { PODS_EACH } from '../ground/pod-sets.ts';
import { beyondLists, measureRestart, type Restart } from '../ground/restart.ts';
import { atMost, exactly, type PlaneMeasure, type Row, rounded } from '../report/measure.ts';

/** The sizes for which goals are set. */
const SMALL = 1000;
const LARGE = 10_000;

const GOALS = {
  seconds: 0.5,
  ratio: 1.3,
  idleMiB: 80,
  peakMiB: new Map([
    [SMALL, 110],
    [LARGE, 200],
  ]),
  p99Ms: 20,
  maxMs: 100,
} as const;

const unjudged = { verdict: 'note' } as const;

const timeRow = (count: number, { seconds, listSeconds, requests, ...restart }: Restart): Row => {
  const ratio = seconds / listSeconds;
  const isLarge = count > SMALL;
  const judged = isLarge ? atMost(ratio, GOALS.ratio) : atMost(seconds, GOALS.seconds);
  return {
    id: 'P3',
    measure: `restart over ${count} PodSets: exec → change handled`,
    goal: isLarge ? `≤ ${GOALS.ratio} × lists for ${LARGE}` : `≤ ${GOALS.seconds} s for ${SMALL}`,
    result: `${rounded(seconds)} s, lists alone ${rounded(listSeconds)} s, ratio ${rounded(ratio)}`,
    ...(count === SMALL || count === LARGE ? judged : unjudged),
    figures: { seconds, listSeconds, ratio, requests, ...restart },
    headline: isLarge ? ratio : seconds,
  };
};

const writesRow = (count: number, restart: Restart): Row => {
  const { writes, gets, lists } = restart.requests;
  return {
    id: 'P3',
    measure: `restart over ${count} PodSets, one of them changed meanwhile: requests`,
    goal: '2 writes, 0 gets',
    result: `${writes} writes, ${gets} gets, ${lists} lists`,
    ...exactly(writes === 2 && gets === 0, beyondLists(restart) - 2),
    figures: { ...restart.requests },
    headline: beyondLists(restart),
  };
};

const memoryRow = (count: number, { peakMiB }: Restart): Row => {
  const goal = GOALS.peakMiB.get(count);
  return {
    id: 'P5',
    measure: `peak RSS of a restart over ${count} PodSets × ${PODS_EACH} pods`,
    goal: goal === undefined ? '' : `≤ ${goal} MiB`,
    result: `${rounded(peakMiB)} MiB`,
    ...(goal === undefined ? unjudged : atMost(peakMiB, goal)),
    figures: { peakMiB, count },
    headline: peakMiB,
  };
};

const idleRow = ({ idleMiB }: Restart): Row => ({
  id: 'P5',
  measure: 'RSS of an operator with nothing to look after',
  goal: `≤ ${GOALS.idleMiB} MiB`,
  result: `${rounded(idleMiB)} MiB`,
  ...atMost(idleMiB, GOALS.idleMiB),
  figures: { idleMiB },
  headline: idleMiB,
});

const eventLoopRows = (count: number, { eventLoop: { p99Ms, maxMs } }: Restart): readonly Row[] => {
  const isGoalSize = count * PODS_EACH >= LARGE;
  const row = (name: string, value: number, goalMs: number): Row => ({
    id: 'P4',
    measure: `event-loop delay of a restart over ${count * PODS_EACH} pods, ${name}`,
    goal: `< ${goalMs} ms at ${LARGE}`,
    result: `${rounded(value)} ms`,
    ...(isGoalSize ? atMost(value, goalMs) : unjudged),
    figures: { p99Ms, maxMs },
    headline: value,
  });
  return [row('p99', p99Ms, GOALS.p99Ms), row('max', maxMs, GOALS.maxMs)];
};

/** Restarts at two sizes: time, requests, memory, and the delay of the event loop. */
export const measureP3: PlaneMeasure = async ({ ground, options, progress }) => {
  const rows: Row[] = [];
  for (const count of [options.podSets, options.large]) {
    progress(`P3: ${count} PodSets come to rest, then a restart`);
    const restart = await measureRestart(ground, count);
    rows.push(timeRow(count, restart), writesRow(count, restart), memoryRow(count, restart));
    if (rows.length === 3) rows.push(idleRow(restart));
    rows.push(...eventLoopRows(count, restart));
  }
  return rows;
};
