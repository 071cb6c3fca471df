import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { connectTo } from '#lib/cli/shell/cluster.ts';
import type { Cluster } from '#lib/cli/shell/context.ts';
import { define } from '#lib/cli/verbs/dev/cluster/define.ts';
import { projectOf } from '#lib/cli/verbs/dev/project.ts';
import type { AnyKindDefinition } from '#lib/desired/definition.ts';
import { type EmbeddedCluster, startEmbeddedCluster } from '#lib/embedded/embedded-cluster.ts';
import type { ApiResource } from '#lib/kube/interface/api.ts';
import { greeting } from '#test/examples/greeting.ts';

const kinds = [greeting as unknown as AnyKindDefinition];
const project = (isEmbedded = true) => projectOf(kinds, { namespaces: [], hasEffects: false, isEmbedded });

let running: EmbeddedCluster;
let cluster: Cluster;
beforeAll(async () => {
  running = await startEmbeddedCluster();
  cluster = await connectTo({ kubeconfig: running.kubeconfig }, { env: {}, signal: new AbortController().signal });
  await define({ cluster, isOurs: true }, project().definitions);
});
afterAll(async () => {
  await cluster.close();
  await running.close();
});

const at = (version: string): ApiResource => ({
  apiVersion: `demo.example.com/${version}`,
  kind: 'Greeting',
  plural: 'greetings',
  scope: 'Namespaced',
});
const write = { namespace: 'default', fieldManager: 'test', force: true };
const create = (version: string, name: string, spec: object): Promise<unknown> => {
  const { apiVersion, kind } = at(version);
  return cluster.api.create(at(version), { apiVersion, kind, metadata: { name }, spec }, write);
};
const hello = { namespace: 'default', name: 'hello' };
const REFUSED =
  /"(?:hello|old)" is forbidden: this cluster calls no conversion functions, so a write as v1alpha1 would drop fields: write demo\.example\.com\/v1beta1/;

describe('the cluster of dev', () => {
  it('refuses writes that only conversion functions could convert, and keeps the stored object', async () => {
    await create('v1beta1', 'hello', { message: { text: 'Hello', language: 'English' }, names: [{ name: 'Ann' }] });
    const before = await cluster.api.get(at('v1beta1'), hello);
    const { apiVersion, kind } = at('v1alpha1');
    const object = { apiVersion, kind, metadata: { name: 'hello' }, spec: { text: 'Bye' } };
    await expect(create('v1alpha1', 'old', { text: 'Bye' })).rejects.toThrow(REFUSED);
    const patch = { spec: { text: 'Bye' } };
    const merge = { type: 'merge', fieldManager: 'test' } as const;
    await expect(cluster.api.patch(at('v1alpha1'), hello, patch, merge)).rejects.toThrow(REFUSED);
    await expect(cluster.api.apply(at('v1alpha1'), hello, object, write)).rejects.toThrow(REFUSED);
    expect(await cluster.api.get(at('v1beta1'), hello)).toEqual(before);
  });

  it('takes writes in the stored version, and deletions in each version', async () => {
    await create('v1beta1', 'bye', { message: { text: 'Bye' } });
    const { metadata } = await cluster.api.get(at('v1alpha1'), { ...hello, name: 'bye' });
    await cluster.api.delete(at('v1alpha1'), { ...hello, name: 'bye' }, { uid: metadata.uid });
    await expect(cluster.api.get(at('v1beta1'), { ...hello, name: 'bye' })).rejects.toThrow('not found');
  });

  it('has a sentence for each kind with conversion functions, with the version to use', () => {
    const start =
      'Greeting has conversion functions, which dev does not run: read and write it as demo.example.com/v1beta1. In another version, fields are missing, and a write ';
    expect(project().limits).toEqual([`${start}is refused`]);
    expect(project(false).limits).toEqual([`${start}drops fields, unless an installed operator converts`]);
  });
});
