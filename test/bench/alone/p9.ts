import { canaryRollout } from '#constructs/canary-rollout/kind.ts';
import { refOf } from '#lib/kind/names.ts';
import { simulationOf } from '#lib/sim/cluster.ts';
import { prepared } from '#lib/sim/explore/run.ts';
import { runCalmly } from '#lib/sim/world/calm.ts';
import type { Scenario } from '#lib/sim/world/scenario/scenario.ts';
import { World } from '#lib/sim/world/world.ts';
import { atMost, type Row, rounded } from '../report/measure.ts';
import { warmRuns } from './warm-runs.ts';

const GOAL_MS = 50;
const FIRST_GOAL_MS = 200;

const templateOf = (version: string) => ({ spec: { containers: [{ name: 'web', image: `web:${version}` }] } });

/** The classic canary: ten pods, four steps, 120 seconds of sleep. */
const classic: Scenario = {
  name: 'classic-canary',
  kinds: [canaryRollout],
  script: [
    {
      label: 'user creates a rollout',
      run: (user) => {
        const { apiVersion, kind } = refOf(canaryRollout);
        const steps = [
          { percent: 10, sleep: 60 },
          { percent: 30, sleep: 30 },
          { percent: 60, sleep: 30 },
          { percent: 100 },
        ];
        const spec = { replicas: 10, template: templateOf('1'), steps };
        user.create(refOf(canaryRollout), { apiVersion, kind, metadata: { name: 'web', namespace: 'default' }, spec });
      },
    },
    {
      label: 'user asks for the next version',
      run: (user) => {
        const target = { resource: refOf(canaryRollout), namespace: 'default', name: 'web' };
        user.patch(target, { spec: { template: templateOf('2') } });
      },
    },
  ],
  outcome: () => undefined,
};

/**
 * Measures the CPU time of the classic canary's life on the virtual cluster, in milliseconds; the median of warm runs.
 */
export const measureP9 = async (): Promise<readonly Row[]> => {
  const { scenario, createServer } = prepared(simulationOf(classic));
  let steps = 0;
  const live = async (): Promise<void> => {
    const world = new World({ scenario, seed: 0, createServer });
    await runCalmly(world, {});
    steps = world.trace.entries.length;
  };
  const { ms, firstMs, times } = await warmRuns(live, { cold: 30, warm: 15 });
  const measure = 'the classic canary (4 steps, 120 s of sleeps) on the virtual cluster, ms of CPU';
  return [
    {
      id: 'P9',
      measure,
      goal: `< ${GOAL_MS} ms`,
      result: `${rounded(ms)} ms (${steps} steps)`,
      ...atMost(ms, GOAL_MS),
      figures: { median: ms, times, steps },
      headline: ms,
    },
    {
      id: 'P9',
      measure: `${measure}, the first time in a process`,
      goal: `< ${FIRST_GOAL_MS} ms`,
      result: `${rounded(firstMs)} ms`,
      ...atMost(firstMs, FIRST_GOAL_MS),
      figures: { firstMs },
      headline: firstMs,
    },
  ];
};
