import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { Yaml } from 'cdk8s';

const samples = fileURLToPath(new URL('../../../synth-out/samples.k8s.yaml', import.meta.url));

const own = (kind: string, version: string, name: string, spec: object): object => ({
  apiVersion: `demo.example.com/${version}`,
  kind,
  metadata: { name, namespace: 'default' },
  spec,
});

/** A resource in the first version of its kind. */
export const LETTER = own('Letter', 'v1alpha1', 'first', { text: 'hello' });

/** A resource in the second version of its kind. */
export const NEWER_LETTER = own('Letter', 'v1beta1', 'second', { body: 'hello' });

/** A resource with a finalizer. */
export const LOCKER = own('Locker', 'v1alpha1', 'box', { text: 'secret' });

/** A rollout whose first step waits for a person. */
export const rolloutOf = (tag: string): object => ({
  apiVersion: 'deploy.example.com/v1alpha1',
  kind: 'CanaryRollout',
  metadata: { name: 'web', namespace: 'default' },
  spec: {
    replicas: 4,
    template: { spec: { containers: [{ name: 'web', image: `nginx:${tag}` }] } },
    steps: [{ percent: 50, pause: true }, { percent: 100 }],
  },
});

/** The committed samples, and more resources. */
export const samplesAnd = async (...more: readonly object[]): Promise<string> =>
  `${await readFile(samples, 'utf8')}---\n${Yaml.stringify(...more)}`;

/** The committed samples as Argo CD names them. */
export const SAMPLES: readonly string[] = [
  'AppService/example-appservice',
  'CanaryRollout/example-canaryrollout',
  'Deployer/example-deployer',
  'ImmortalContainer/example-immortalcontainer',
  'PodSet/example-podset',
];
