import { readFile } from 'node:fs/promises';
import { App, Chart, Yaml } from 'cdk8s';
import { describe, expect, it } from 'vitest';
import { Deployer } from '#constructs/deployer/index.ts';
import { deployer } from '#constructs/deployer/kind.ts';
import { InvalidResourceError } from '#lib/errors.ts';
import { compileCrd } from '#lib/kind/crd.ts';

interface Manifest {
  readonly metadata: object;
  readonly spec: { readonly deployment: object; readonly steps: readonly object[] };
}

const [manifest] = Yaml.load('test/manifests/deployer.yaml') as [Manifest];

/** The error of a resource at synth, from schema and rules. */
const faultOf = (spec: object): string => {
  try {
    // oxlint-disable-next-line no-new -- a construct belongs to its chart
    new Deployer(new Chart(new App(), 'chart'), 'it', { metadata: { name: 'nginx' }, spec } as never);
    return '';
  } catch (error) {
    if (error instanceof InvalidResourceError) return error.message;
    throw error;
  }
};

const changed = (change: object): object => ({ ...manifest.spec, ...change });
const deployed = (change: object): object => changed({ deployment: { ...manifest.spec.deployment, ...change } });

describe('the schema of Deployer', () => {
  it('Deployer compiles to a definition, with scale, status and columns', () => {
    const crd = JSON.stringify(compileCrd(deployer));
    expect(crd).toContain('"specReplicasPath":".spec.deployment.replicas"');
    expect(crd).toContain('"shortNames":["dpl"]');
  });

  it('the classic manifest is what the tests go by', async () => {
    expect(await readFile('test/manifests/deployer.yaml', 'utf8')).toContain('version: 1.7.7');
  });

  it.each([
    { spec: changed({}), reason: 'it is the classic manifest' },
    { spec: changed({ steps: [{ percent: 10 }] }), reason: 'the last step is below 100' },
    { spec: changed({ steps: [] }), reason: 'it has no steps' },
    { spec: { deployment: manifest.spec.deployment }, reason: 'it has nothing but a deployment' },
    { spec: deployed({ replicas: 0 }), reason: 'it has no pods' },
    { spec: deployed({ namespace: 'default' }), reason: 'it names a namespace' },
    {
      spec: changed({ steps: [{ percent: 10, metrics: [{ name: 'a', query: 'b', min: '0.99' }] }] }),
      reason: 'a metric has min',
    },
  ])('Deployer accepts it when $reason', ({ spec }) => {
    expect(faultOf(spec)).toBe('');
  });

  it.each([
    {
      spec: changed({ steps: [{ percent: 30 }, { percent: 10 }] }),
      says: 'must not decrease',
      reason: 'steps decrease',
    },
    { spec: changed({ steps: { first: { percent: 10 } } }), says: 'spec.steps', reason: 'steps are a map' },
    { spec: changed({ steps: [{ percent: 101 }] }), says: 'spec.steps[0].percent', reason: 'a step is more than all' },
    {
      spec: changed({ steps: [{ percent: 1, sleep: -1 }] }),
      says: 'spec.steps[0].sleep',
      reason: 'a sleep is negative',
    },
    {
      spec: changed({ steps: [{ percent: 1, sleep: 1, pause: true }] }),
      says: 'pause',
      reason: 'a step pauses and sleeps',
    },
    { spec: changed({ maxSurge: 0, maxUnavailable: '0%' }), says: 'both be zero', reason: 'nothing could move' },
    { spec: changed({ maxSurge: 'abc' }), says: 'spec.maxSurge', reason: 'a surge is a word' },
    { spec: changed({ maxUnavailable: '150%' }), says: 'spec.maxUnavailable', reason: 'more than all may be missing' },
    {
      spec: changed({ progressDeadlineSeconds: 5, minReadySeconds: 5 }),
      says: 'progressDeadlineSeconds',
      reason: 'no pod could be in time',
    },
    { spec: deployed({ version: 'V1_2' }), says: 'spec.deployment.version', reason: 'a version is no DNS name' },
    { spec: deployed({ version: '1.0+x' }), says: 'spec.deployment.version', reason: 'a version has a plus' },
    {
      spec: deployed({ name: 'a'.repeat(30), version: 'b'.repeat(17) }),
      says: '46 characters',
      reason: 'names would be too long',
    },
    { spec: deployed({ image: 'a b' }), says: 'spec.deployment.image', reason: 'an image has a space' },
    { spec: changed({ type: 'bluegreen' }), says: 'spec.type', reason: 'a type is unknown' },
    { spec: deployed({ replicas: -1 }), says: 'spec.deployment.replicas', reason: 'there are fewer pods than none' },
    { spec: deployed({ labels: { 'deploy.example.com/revision': 'x' } }), says: 'reserved', reason: 'a label is ours' },
    {
      spec: changed({ steps: [{ percent: 10, metrics: [{ name: 'a', query: 'b' }] }] }),
      says: 'min, max or both',
      reason: 'a metric has no bounds',
    },
    { spec: changed({ size: 3 }), says: 'spec.size', reason: 'a field is unknown' },
    { spec: { steps: [] }, says: 'spec.deployment', reason: 'there is nothing to run' },
  ])('Deployer refuses it when $reason, naming the field', ({ spec, says }) => {
    expect(faultOf(spec)).toContain(says);
  });
});
