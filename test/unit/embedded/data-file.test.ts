import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ApiObject } from '#lib/kube/api.ts';
import { createKubeClient, type KubeClient } from '#lib/kube/client.ts';
import { loadCredentials } from '#lib/kube/credentials.ts';
import { type EmbeddedCluster, startEmbeddedCluster } from '#lib/testing.ts';
import { shelf, shelves, shelvesCrd } from '#test/contract/shelves.ts';

const definitions = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  plural: 'customresourcedefinitions',
  scope: 'Cluster',
} as const;
const pods = { apiVersion: 'v1', kind: 'Pod', plural: 'pods', scope: 'Namespaced' } as const;
const pod = { metadata: { generateName: 'p-' }, spec: { containers: [{ name: 'main', image: 'busybox' }] } };
const where = { namespace: 'default', fieldManager: 'test' };

let folder: string;
let dataFile: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'data-file-'));
  dataFile = join(folder, 'cluster.json');
});

afterEach(async () => rm(folder, { recursive: true, force: true }));

const using = async <T>(work: (client: KubeClient, cluster: EmbeddedCluster) => Promise<T>): Promise<T> => {
  const cluster = await startEmbeddedCluster({ dataFile });
  const client = createKubeClient(await loadCredentials({ env: { KUBECONFIG: cluster.kubeconfig } }));
  try {
    return await work(client, cluster);
  } finally {
    await client.close();
    await cluster.close();
  }
};

const make = async (): Promise<ApiObject> => using(async (client) => client.create(pods, pod, where));

describe('startEmbeddedCluster() with a data file', () => {
  it('goes on where the last one ended: objects, definitions, tokens and certificates', async () => {
    const before = await using(async (client, { adminToken, ca }) => {
      await client.create(definitions, shelvesCrd, { fieldManager: 'test' });
      return { shelf: await client.create(shelves, shelf('a'), where), adminToken, ca };
    });
    const after = await using(async (client, { adminToken, ca }) => {
      const found = await client.get(shelves, { namespace: 'default', name: 'a' });
      await client.create(shelves, shelf('b'), where);
      return { shelf: found, adminToken, ca };
    });
    expect(after).toEqual(before);
  });

  it('never gives a uid, a version or a generated name twice', async () => {
    const all = [await make(), await make(), await make()];
    expect(new Set(all.map(({ metadata }) => metadata.uid)).size).toBe(3);
    expect(new Set(all.map(({ metadata }) => metadata.name)).size).toBe(3);
    const versions = all.map(({ metadata }) => Number(metadata.resourceVersion));
    expect(versions).toEqual(versions.toSorted((a, b) => a - b));
  });

  it('writes a file that only its owner can read, and leaves nothing beside it', async () => {
    await using(async () => {});
    expect(await readdir(folder)).toEqual(['cluster.json']);
    expect((await stat(dataFile)).mode & 0o777).toBe(0o600);
  });

  it.each([
    ['{"format":', 'it is no JSON'],
    ['{"format":"other"}', 'its "format" is not'],
    ['{"format":"cdk8s-reconcile embedded cluster v1"}', 'its "identity" is not complete'],
  ])('refuses a file that is damaged (%s), and leaves it as it is', async (content, why) => {
    await writeFile(dataFile, content);
    await expect(startEmbeddedCluster({ dataFile })).rejects.toThrow(why);
    expect(await readFile(dataFile, 'utf8')).toBe(content);
    expect(await readdir(folder)).toEqual(['cluster.json']);
  });

  it('refuses a file that another cluster uses, not one whose cluster was killed', async () => {
    await using(async () => {
      await expect(startEmbeddedCluster({ dataFile })).rejects.toThrow(`process ${process.pid} has it`);
    });
    // No process has this number: it is above the highest that Linux gives.
    await writeFile(`${dataFile}.lock`, '4999999');
    await using(async () => {});
    expect(await readdir(folder)).toEqual(['cluster.json']);
  });
});
