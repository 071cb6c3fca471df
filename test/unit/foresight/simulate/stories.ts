import { appService } from '#constructs/app-service/kind.ts';
import { canaryRollout } from '#constructs/canary-rollout/kind.ts';
import { deployerWith } from '#constructs/deployer/kind.ts';
import { immortalContainer } from '#constructs/immortal-container/kind.ts';
import { podSet } from '#constructs/pod-set/kind.ts';
import type { SimulationReport } from '#lib/foresight/simulate/report/report.ts';
import type { Script } from '#lib/foresight/simulate/script/script.ts';
import { type SimulateOptions, simulate } from '#lib/foresight/simulate/simulate.ts';
import type { JsonObject } from '#lib/json.ts';

/** All kinds of the project, as an operator runs them. */
export const kinds = [
  podSet,
  immortalContainer,
  canaryRollout,
  deployerWith({ prometheusUrl: 'http://prometheus.example.com:9090' }),
  appService,
];

const steps = [{ percent: 10, sleep: 60 }, { percent: 30, sleep: 30 }, { percent: 60, sleep: 30 }, { percent: 100 }];

/** The classic Deployer of test/manifests. */
export const deployerManifest = {
  apiVersion: 'deploy.example.com/v1alpha1',
  kind: 'Deployer',
  metadata: { name: 'nginx' },
  spec: {
    type: 'canary',
    deployment: {
      name: 'nginx',
      image: 'nginx',
      version: '1.7.7',
      labels: { app: 'nginx', operator: 'deployer' },
      replicas: 10,
    },
    steps,
  },
};

/** A set of pods. */
export const podSetManifest = (replicas: number, name = 'web'): JsonObject => ({
  apiVersion: 'app.example.com/v1alpha1',
  kind: 'PodSet',
  metadata: { name },
  spec: { replicas },
});

/** Simulates a script with PodSet `web` of three pods. */
export const storyOf = async (
  changes: Script['changes'] = [],
  more: Partial<SimulateOptions> & { readonly rest?: Script } = {},
): Promise<SimulationReport> => {
  const { rest = {}, ...options } = more;
  return simulate({ kinds, manifests: [podSetManifest(3)], script: { ...rest, changes }, ...options });
};

/** Number of ready pods at a moment, of all revisions of a resource. */
export const readyAt = ({ resources }: SimulationReport, atMs: number, object = 'PodSet default/web'): number => {
  const story = resources.find((resource) => resource.object === object);
  const sample = story?.samples.findLast((one) => one.atMs <= atMs);
  return sample?.pods.reduce((sum, { ready }) => sum + ready, 0) ?? 0;
};

/** The timeline entries of a resource. */
export const entriesOf = ({ timeline }: SimulationReport, object: string): readonly string[] =>
  timeline.filter((entry) => entry.object === object).map(({ what }) => what);
