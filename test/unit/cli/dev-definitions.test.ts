import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { immortalContainer } from '#constructs/immortal-container/kind.ts';
import { podSet } from '#constructs/pod-set/kind.ts';
import { compiled, tryInstalled } from '#lib/cli/project/definitions.ts';
import { connectTo } from '#lib/cli/shell/cluster.ts';
import type { Cluster } from '#lib/cli/shell/context.ts';
import { Installation } from '#lib/cli/verbs/dev/cluster/installation.ts';
import { DEV } from '#lib/cli/verbs/dev/cluster/rights.ts';
import { type EmbeddedCluster, startEmbeddedCluster } from '#lib/embedded/embedded-cluster.ts';
import { ApiError } from '#lib/errors.ts';
import { refOf } from '#lib/kind/names.ts';
import { DEFINITIONS } from '#lib/kube/client/definitions.ts';

const definitions = [podSet, immortalContainer].map(compiled);
const [podSets = '', immortals = ''] = definitions.map(({ metadata }) => metadata.name);
const { apiVersion, kind } = refOf(podSet);

let running: EmbeddedCluster;
let cluster: Cluster;
let theirs: Installation;
beforeEach(async () => {
  running = await startEmbeddedCluster();
  cluster = await connectTo({ kubeconfig: running.kubeconfig }, { env: {}, signal: new AbortController().signal });
  theirs = new Installation({ cluster, isOurs: false }, []);
});
afterEach(async () => {
  await cluster.close();
  await running.close();
});

const podSetIn = (namespace: string): Promise<unknown> =>
  cluster.api.create(
    refOf(podSet),
    { apiVersion, kind, metadata: { name: 'mine' }, spec: {} },
    { namespace, fieldManager: 'test' },
  );

describe('Installation', () => {
  it('end() removes the definitions that createDefinitions() has created, with their objects in the namespace of dev', async () => {
    await theirs.begin();
    await theirs.createDefinitions(definitions);
    await podSetIn(DEV);
    expect(await theirs.end()).toEqual([]);
    expect(theirs.standing).toEqual([]);
    for (const name of [podSets, immortals]) expect(await tryInstalled(cluster.api, name)).toBeUndefined();
  });

  it('end() leaves a definition that others use by then, and gives the reason', async () => {
    await theirs.createDefinitions(definitions);
    await podSetIn('default');
    const command = `kubectl delete CustomResourceDefinition ${podSets}`;
    expect(await theirs.end()).toEqual([
      `${command}   # 1 of others would go with it, such as default/mine: it stays until you remove it`,
    ]);
    expect(theirs.standing).toEqual([command]);
    expect(await tryInstalled(cluster.api, podSets)).toBeDefined();
    expect(await tryInstalled(cluster.api, immortals)).toBeUndefined();
  });

  it('end() removes the rest when a removal fails, and is content when something is gone already', async () => {
    const refusing: Cluster['api'] = {
      ...cluster.api,
      delete: async (resource, target, options) => {
        if (target.name === podSets)
          throw new ApiError('delete', { httpStatus: 403, reason: 'Forbidden', message: '' });
        return cluster.api.delete(resource, target, options);
      },
    };
    const one = new Installation({ cluster: { ...cluster, api: refusing }, isOurs: false }, []);
    await one.begin();
    await one.createDefinitions(definitions);
    const gone = await cluster.api.get(DEFINITIONS, { name: immortals });
    await cluster.api.delete(DEFINITIONS, { name: immortals }, { uid: gone.metadata.uid });
    const left = await one.end();
    expect(left).toEqual([expect.stringMatching(new RegExp(`^kubectl delete \\S+ ${podSets} {3}# .*Forbidden`))]);
    expect(one.standing).toHaveLength(1);
  });

  it('begin() refuses a cluster in which the namespace of dev exists', async () => {
    await theirs.begin();
    const other = new Installation({ cluster, isOurs: false }, []);
    await expect(other.begin()).rejects.toThrow(
      `Cannot begin: the namespace ${DEV} already exists: another dev session uses this cluster, or one was killed.`,
    );
  });

  it('createDefinitions() refuses one that exists already, and leaves it in the end', async () => {
    await cluster.api.create(DEFINITIONS, definitions[1] ?? {}, { fieldManager: 'test' });
    await expect(theirs.createDefinitions(definitions)).rejects.toThrow(
      `Cannot begin: the definition ${immortals} already exists: remove it first: kubectl delete crd ${immortals}`,
    );
    expect(await theirs.end()).toEqual([]);
    expect(await tryInstalled(cluster.api, podSets)).toBeUndefined();
    expect(await tryInstalled(cluster.api, immortals)).toBeDefined();
  });
});
