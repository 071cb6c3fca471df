import { once } from 'node:events';
import { mkdirSync, rmSync } from 'node:fs';
import { access, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createKubeClient, type KubeClient } from '#lib/kube/client/client.ts';
import { loadCredentials } from '#lib/kube/credentials/credentials.ts';
import type { ApiObject } from '#lib/kube/interface/api.ts';
import { type EmbeddedCluster, startEmbeddedCluster } from '#lib/testing.ts';
import { shelf, shelves, shelvesCrd } from '#test/contract/shelves.ts';

const definitions = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  plural: 'customresourcedefinitions',
  scope: 'Cluster',
} as const;
const configMaps = { apiVersion: 'v1', kind: 'ConfigMap', plural: 'configmaps', scope: 'Namespaced' } as const;
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

/** The first event of a watch from a version. */
const firstEvent = async ({ url, ca, adminToken }: EmbeddedCluster, version: string | undefined): Promise<unknown> => {
  const path = `${url}/api/v1/namespaces/default/configmaps?watch=1&resourceVersion=${version}`;
  const sent = request(path, { ca, agent: false, headers: { authorization: `Bearer ${adminToken}` } }).end();
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  const [chunk] = (await once(response, 'data')) as [Buffer];
  sent.destroy();
  return JSON.parse(chunk.toString()) as unknown;
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
    ['{"format":', 'it is not JSON'],
    ['{"format":"other"}', 'its "format" is not'],
    ['{"format":"cdk8s-reconcile embedded cluster v1"}', 'its "identity" is not complete'],
    ['', 'it is not JSON'],
  ])('refuses a file that is damaged (%s), and leaves it as it is', async (content, why) => {
    await writeFile(dataFile, content);
    await expect(startEmbeddedCluster({ dataFile })).rejects.toThrow(why);
    expect(await readFile(dataFile, 'utf8')).toBe(content);
    expect(await readdir(folder)).toEqual(['cluster.json']);
  });

  it('gives no version twice when the last write was a deletion, and answers a watch from before with 410', async () => {
    const deleted = await using(async (client) => {
      const { metadata } = await client.create(configMaps, { metadata: { name: 'a' } }, where);
      await client.delete(configMaps, { namespace: 'default', name: 'a' }, { uid: metadata.uid });
      return (await client.list(configMaps, { namespace: 'default' })).resourceVersion;
    });
    await using(async (client, cluster) => {
      const { metadata } = await client.create(configMaps, { metadata: { name: 'b' } }, where);
      expect(Number(metadata.resourceVersion)).toBeGreaterThan(Number(deleted));
      expect(await firstEvent(cluster, deleted)).toMatchObject({ type: 'ERROR', object: { code: 410 } });
    });
  });

  it('refuses a file that another cluster uses, also under another name', async () => {
    const link = join(folder, 'link.json');
    await symlink('cluster.json', link);
    await using(async () => {
      await expect(startEmbeddedCluster({ dataFile })).rejects.toThrow(`process ${process.pid} uses it`);
    });
    await using(async () => {
      await expect(startEmbeddedCluster({ dataFile: link })).rejects.toThrow(`process ${process.pid} uses it`);
    });
    expect(await readdir(folder)).toEqual(['cluster.json', 'link.json']);
  });

  it('overwrites what a killed process has left of its writing', async () => {
    await writeFile(`${dataFile}.tmp`, '{"format":');
    await using(async () => {});
    expect(await readdir(folder)).toEqual(['cluster.json']);
  });

  it('leaves no file behind when the cluster cannot start', async () => {
    await using(async (_, { url }) => {
      const other = join(folder, 'other.json');
      const { port } = new URL(url);
      await expect(startEmbeddedCluster({ dataFile: other, port: Number(port) })).rejects.toThrow('is in use');
      expect((await readdir(folder)).filter((name) => name.startsWith('other'))).toEqual([]);
    });
  });

  it('says what is wrong with a folder that is not there, a file that was edited, and objects that cannot be stored', async () => {
    const elsewhere = join(folder, 'nowhere', 'cluster.json');
    await expect(startEmbeddedCluster({ dataFile: elsewhere })).rejects.toThrow('does not exist; create it first');
    await using(async () => {});
    const data = JSON.parse(await readFile(dataFile, 'utf8')) as { readonly objects: readonly object[] };
    const metadata = { name: 'a.b', uid: 'c' };
    const broken = { apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition', metadata, spec: 5 };
    const edited = { ...data, objects: [...data.objects, broken] };
    await writeFile(dataFile, JSON.stringify(edited));
    await expect(startEmbeddedCluster({ dataFile })).rejects.toThrow('does not match its "checksum"');
    await writeFile(dataFile, JSON.stringify({ ...edited, checksum: undefined }));
    await expect(startEmbeddedCluster({ dataFile })).rejects.toThrow('its content cannot be stored');
  });

  it('closes all the same when it cannot be written, says so, and lets go of it', async () => {
    const cluster = await startEmbeddedCluster({ dataFile });
    rmSync(dataFile, { force: true });
    mkdirSync(join(dataFile, 'in the way'), { recursive: true });
    await expect(cluster.close()).rejects.toThrow(
      /Cannot write the data file .*: E[A-Z]+: .*; it still has the objects/,
    );
    await expect(fetch(cluster.url)).rejects.toThrow('fetch failed');
    await expect(access(cluster.kubeconfig)).rejects.toThrow('ENOENT');
    expect(await readdir(folder)).toEqual(['cluster.json']);
  });

  it('does not write what another cluster may use by now', async () => {
    const cluster = await startEmbeddedCluster({ dataFile });
    for (const name of await readdir(folder)) rmSync(join(folder, name));
    await expect(cluster.close()).rejects.toThrow('the mark of this cluster beside it is gone');
    expect(await readdir(folder)).toEqual([]);
  });
});
