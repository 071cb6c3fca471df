import { deployer } from '#constructs/deployer/kind.ts';
import { podSet } from '#constructs/pod-set/kind.ts';
import { type SimulateOptions, simulate } from '#lib/foresight/simulate/simulate.ts';
import { atLeast, type Row, rounded } from '../report/measure.ts';
import { warmRuns } from './warm-runs.ts';

const CANARY_GOAL = 1e3;
const IDLE_GOAL = 1e5;

/** The classic canary of the script in test/examples/simulate. */
const canary: SimulateOptions = {
  kinds: [deployer],
  manifests: [
    {
      apiVersion: 'deploy.example.com/v1alpha1',
      kind: 'Deployer',
      metadata: { name: 'nginx' },
      spec: {
        deployment: { name: 'nginx', image: 'nginx', version: '1.7.7', replicas: 10 },
        steps: [{ percent: 10, sleep: 60 }, { percent: 30, sleep: 30 }, { percent: 60, sleep: 30 }, { percent: 100 }],
      },
    },
  ],
  script: { duration: '4m30s', changes: [{ at: '30s', image: 'Deployer/nginx', to: 'nginx:1.7.8' }] },
};

/** A day without events, except for renewed watches. */
const idle: SimulateOptions = {
  kinds: [podSet],
  manifests: [
    { apiVersion: 'app.example.com/v1alpha1', kind: 'PodSet', metadata: { name: 'web' }, spec: { replicas: 3 } },
  ],
  script: { duration: '1d' },
};

interface Measured {
  readonly id: string;
  readonly what: string;
  readonly goal: number;
  readonly options: SimulateOptions;
}

const rowsOf = async ({ id, what, goal, options }: Measured): Promise<readonly Row[]> => {
  let [virtualMs, steps] = [0, 0];
  const run = async (): Promise<void> => {
    ({ durationMs: virtualMs, steps } = await simulate(options));
  };
  const { ms, firstMs } = await warmRuns(run, { cold: 20, warm: 11 });
  const ratio = virtualMs / ms;
  const measure = `${what}: virtual time by CPU time`;
  const first = virtualMs / firstMs;
  return [
    {
      id,
      measure,
      goal: `≥ ${goal.toLocaleString('en')}`,
      result: `${rounded(ratio)} (${rounded(ms)} ms, ${steps} steps)`,
      ...atLeast(ratio, goal),
      figures: { ratio, ms, virtualMs, steps },
      headline: ratio,
    },
    {
      id,
      measure: `${measure}, the first time in a process`,
      goal: 'none',
      result: `${rounded(first)} (${rounded(firstMs)} ms)`,
      verdict: 'note',
      figures: { ratio: first, ms: firstMs },
      headline: first,
    },
  ];
};

/** Measures how much faster than real time simulations are, timeline and samples included. */
export const measureSimulate = async (): Promise<readonly Row[]> => [
  ...(await rowsOf({ id: 'S1', what: 'the classic canary simulated', goal: CANARY_GOAL, options: canary })),
  ...(await rowsOf({ id: 'S2', what: 'an idle day of a PodSet simulated', goal: IDLE_GOAL, options: idle })),
];
