import type { Random } from '#test/differential/random.ts';

/** A kind of the soak. */
export interface SoakKind {
  readonly apiVersion: string;
  readonly kind: string;
  readonly plural: string;
  /** Its part of all resources, in percent. */
  readonly percent: number;
  readonly spec: (random: Random, name: string) => object;
  /** Part of a spec that replaces another one, by a merge patch. */
  readonly edit: (random: Random) => object;
}

const MOST_REPLICAS = 4;
const EDITIONS = 4;

/** A rest must not wait for delays of minutes. */
const SHORT_DELAYS = { initialSeconds: 1, maxSeconds: 8 };

const STEPS = [{ percent: 50, sleep: 5 }, { percent: 100 }];

const image = (random: Random): string => `nginx:1.2${random.int(EDITIONS)}`;

const templateOf = (random: Random): object => ({
  metadata: { annotations: { edition: String(random.int(EDITIONS)) } },
  spec: { containers: [{ name: 'nginx', image: image(random) }] },
});

const replicas = (random: Random): object => ({ replicas: random.int(MOST_REPLICAS) });

/** All kinds of this repository; most resources are of the kinds that create pods themselves. */
export const soakKinds: readonly SoakKind[] = [
  {
    apiVersion: 'app.example.com/v1alpha1',
    kind: 'PodSet',
    plural: 'podsets',
    percent: 75,
    spec: (random) => ({ ...replicas(random), template: templateOf(random), failedPods: SHORT_DELAYS }),
    edit: (random) => (random.chance(0.1) ? { template: templateOf(random) } : replicas(random)),
  },
  {
    apiVersion: 'immortalcontainer.flugel.it/v1alpha1',
    kind: 'ImmortalContainer',
    plural: 'immortalcontainers',
    percent: 15,
    spec: (random) => ({ image: image(random), backoff: { ...SHORT_DELAYS, resetAfterSeconds: 20 } }),
    edit: (random) => ({ image: image(random) }),
  },
  {
    apiVersion: 'app.example.com/v1alpha1',
    kind: 'AppService',
    plural: 'appservices',
    percent: 7,
    spec: replicas,
    edit: replicas,
  },
  {
    apiVersion: 'deploy.example.com/v1alpha1',
    kind: 'CanaryRollout',
    plural: 'canaryrollouts',
    percent: 2,
    spec: (random) => ({ replicas: 2, steps: STEPS, template: templateOf(random) }),
    edit: (random) => ({ template: templateOf(random) }),
  },
  {
    apiVersion: 'deploy.example.com/v1alpha1',
    kind: 'Deployer',
    plural: 'deployers',
    percent: 1,
    spec: (random, name) => ({
      deployment: { name: `${name}-app`, image: 'nginx', replicas: 2, version: `1.2${random.int(EDITIONS)}` },
      steps: STEPS,
    }),
    edit: (random) => ({ deployment: { version: `1.2${random.int(EDITIONS)}` } }),
  },
];
