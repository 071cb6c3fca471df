import { readFile } from 'node:fs/promises';
import { beforeAll, describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { kinds } from '#apps/kinds.ts';
import type { JsonObject } from '#lib/json.ts';
import { refOf } from '#lib/kind/names.ts';
import type { ApiObject } from '#lib/kube/interface/api.ts';
import { ran } from './run-cli.ts';
import { type VirtualCluster, virtualCluster } from './virtual-cluster.ts';

const FILES = ['appservice', 'deployer', 'immortalcontainer', 'podset'];

type Manifest = JsonObject & ApiObject;

/** A CanaryRollout, because no committed manifest contains one. */
const rollout = {
  apiVersion: 'deploy.example.com/v1alpha1',
  kind: 'CanaryRollout',
  metadata: { name: 'shop' },
  spec: {
    replicas: 3,
    template: { spec: { containers: [{ name: 'shop', image: 'shop:1.0' }] } },
    steps: [{ percent: 50, sleep: 30 }, { percent: 100 }],
  },
} as unknown as Manifest;

const manifests = async (): Promise<readonly Manifest[]> => {
  const texts = await Promise.all(FILES.map(async (name) => readFile(`test/manifests/${name}.yaml`, 'utf8')));
  return [...texts.flatMap((text) => parseAllDocuments(text).map((document) => document.toJS() as Manifest)), rollout];
};

const resourceFor = ({ kind }: Pick<ApiObject, 'kind'>) => {
  const definition = kinds.find((each) => each.kind === kind);
  if (definition === undefined) throw new TypeError(`no kind ${kind}`);
  return refOf(definition);
};

const clusterWith = async (objects: readonly Manifest[], isStill: boolean): Promise<VirtualCluster> =>
  virtualCluster(
    (user) => {
      for (const object of objects) {
        const metadata = { namespace: 'default', ...object.metadata };
        user.create(resourceFor(object), { ...object, metadata });
      }
    },
    { isStill },
  );

/** Every resource of a bundled kind, including those that other kinds own. */
const resourcesIn = ({ server }: VirtualCluster): readonly string[] =>
  kinds.flatMap((definition) => {
    const { plural } = refOf(definition);
    const objects = server.objects({ group: definition.group, plural });
    return objects.map(({ metadata }) => `${definition.kind.toLowerCase()}/${metadata.name}`);
  });

const stepsFor = async (virtual: VirtualCluster, word: string): Promise<readonly string[]> => {
  const { stdout, stderr } = await ran(`explain ${word} -o json`, { ...virtual });
  if (stdout === '') throw new Error(stderr);
  const { nextPass } = JSON.parse(stdout) as { nextPass: { steps: readonly string[]; unknown?: string } };
  return nextPass.unknown === undefined ? nextPass.steps : [`unknown: ${nextPass.unknown}`];
};

const allSteps = async (virtual: VirtualCluster): Promise<Readonly<Record<string, readonly string[]>>> => {
  const entries = await Promise.all(
    resourcesIn(virtual).map(async (word) => [word, await stepsFor(virtual, word)] as const),
  );
  return Object.fromEntries(entries.filter(([, steps]) => steps.length > 0));
};

describe('explain beside the loop', () => {
  let virtual: VirtualCluster;
  beforeAll(async () => {
    virtual = await clusterWith(await manifests(), false);
  });

  it('explain names no step for any resource of a bundled kind while the loop writes nothing', async () => {
    const words = resourcesIn(virtual);
    expect(new Set(words.map((word) => word.split('/')[0]))).toEqual(
      new Set(kinds.map(({ kind }) => kind.toLowerCase())),
    );
    const { resourceVersion } = virtual.server;
    await virtual.rest();
    expect(virtual.server.resourceVersion).toBe(resourceVersion);
    expect(await allSteps(virtual)).toEqual({});
  });

  it('explain names the steps that bring back a child, and none when the loop has taken them', async () => {
    const deployments = {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      plural: 'deployments',
      scope: 'Namespaced',
    } as const;
    const { items } = await virtual.api.list(deployments, { namespace: 'default' });
    for (const { metadata } of items)
      await virtual.api.patch(
        deployments,
        { namespace: 'default', name: metadata.name },
        { spec: { minReadySeconds: 77 } },
        { type: 'merge', fieldManager: 'somebody' },
      );
    const pods = { apiVersion: 'v1', kind: 'Pod', plural: 'pods', scope: 'Namespaced' } as const;
    const { items: all } = await virtual.api.list(pods, { namespace: 'default' });
    const pod = all.find(({ metadata }) => metadata.name.startsWith('example-podset-'));
    await virtual.api.delete(
      pods,
      { namespace: 'default', name: pod?.metadata.name ?? '' },
      { uid: pod?.metadata.uid ?? '' },
    );
    const steps = await allSteps(virtual);
    const { resourceVersion } = virtual.server;
    await virtual.rest();
    expect(virtual.server.resourceVersion).not.toBe(resourceVersion);
    expect(Object.values(steps).flat()).not.toEqual([]);
    expect(await allSteps(virtual)).toEqual({});
  });

  it('explain names steps for every resource that no operator has looked at', async () => {
    const still = await clusterWith([], true);
    for (const object of await manifests())
      await still.api.create(resourceFor(object), object, { namespace: 'default', fieldManager: 'test' });
    expect(Object.keys(await allSteps(still)).toSorted()).toEqual(resourcesIn(still).toSorted());
  });
});
