import { describe, expect, it } from 'vitest';
import { ConfigMap, Deployment, type KubeObject, Pod, Service } from '#lib/kind/handles/reference.ts';
import type { ApiObject } from '#lib/kube/interface/api.ts';
import { LoopBench } from '#test/unit/support/loop-bench.ts';
import { connectionLost, internalError } from '#test/unit/support/server-answers.ts';
import { type WardrobeSpec, wardrobe } from '#test/unit/support/wardrobe-kind.ts';

const declared = async (content: WardrobeSpec): Promise<LoopBench> => {
  const bench = new LoopBench(wardrobe);
  bench.declare('w', { content });
  await bench.converge('w');
  bench.api.requests.length = 0;
  return bench;
};

const changed = async (bench: LoopBench, content: WardrobeSpec): Promise<void> => {
  bench.edit('w', { content });
  bench.catchUp();
  await bench.converge('w');
};

const requests = (bench: LoopBench): string[] =>
  bench.api.requests.map(({ verb, resource }) => `${verb} ${resource}`).toSorted();

const managers = (object: ApiObject): object[] => {
  type Entry = { readonly manager: string; readonly operation: string };
  const { managedFields = [] } = object.metadata as { readonly managedFields?: readonly Entry[] };
  return managedFields.map(({ manager, operation }) => ({ manager, operation }));
};

describe('reconcile() of children that change', () => {
  it('reconcile() creates them by an apply that only creates, and the status follows', async () => {
    const bench = new LoopBench(wardrobe);
    bench.declare('w', { content: { data: { a: '1' } } });
    await bench.converge('w');
    expect(requests(bench)).toEqual([
      'apply configmaps',
      'apply deployments.apps',
      'apply services',
      'patchStatus wardrobes.demo.example.com',
    ]);
    expect(bench.api.one(ConfigMap, 'w')).toMatchObject({ data: { a: '1' } });
    expect(managers(bench.api.one(Deployment, 'w'))).toEqual([
      { manager: 'cdk8s-reconcile/wardrobes.demo.example.com', operation: 'Apply' },
    ]);
  });

  it('reconcile() changes what is declared otherwise and removes what is declared no more', async () => {
    const bench = await declared({ data: { a: '1', b: '1' }, labels: { gone: 'x', stays: 'x' } });
    await changed(bench, { data: { a: '2' }, labels: { stays: 'y' } });
    const { data, metadata } = bench.api.one(ConfigMap, 'w') as KubeObject & { readonly data?: object };
    expect(data).toEqual({ a: '2' });
    expect(metadata?.labels).toEqual({ stays: 'y', 'demo.example.com/wardrobe': 'w' });
  });

  it('reconcile() sends k + 1 requests when k children change (G4)', async () => {
    const bench = await declared({ image: 'busybox:1', data: { a: '1' } });
    await changed(bench, { image: 'busybox:2', data: { a: '1' } });
    expect(requests(bench)).toEqual(['apply deployments.apps', 'patchStatus wardrobes.demo.example.com']);
  });

  it('reconcile() leaves what others set in its children', async () => {
    const bench = await declared({ data: { a: '1' } });
    bench.api.edit(ConfigMap, 'w', (object) => ({ ...object, data: { a: '1', theirs: '1' } }));
    bench.catchUp();
    await changed(bench, { data: { a: '2' } });
    expect(bench.api.one(ConfigMap, 'w')).toMatchObject({ data: { a: '2', theirs: '1' } });
  });

  it('reconcile() counts a create as done when the name is held by a child of the same resource', async () => {
    const bench = new LoopBench(wardrobe);
    bench.declare('w', { content: { kinds: ['ConfigMap'] } });
    bench.api.loseAnswer = ({ verb }) => (verb === 'apply' ? connectionLost() : undefined);
    await bench.pass('w');
    bench.api.loseAnswer = () => undefined;
    await bench.timers.advance(10_000);
    await bench.pass('w');
    bench.catchUp();
    await bench.converge('w');
    expect(bench.api.all(ConfigMap)).toHaveLength(1);
    expect(bench.conditionOf('w', 'Ready')?.status).toBe('True');
  });

  it('reconcile() is stalled and touches nothing when a foreign object has the name', async () => {
    const bench = new LoopBench(wardrobe);
    const metadata = { name: 'w', namespace: 'default' };
    const before = bench.api.put(ConfigMap, { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { mine: '1' } });
    bench.declare('w', { content: { kinds: ['ConfigMap'] } });
    await bench.converge('w');
    expect(bench.api.one(ConfigMap, 'w')).toEqual(before);
    expect(bench.conditionOf('w', 'Stalled')).toMatchObject({ status: 'True', reason: 'NameConflict' });
  });

  it('reconcile() does not bring a child back that went away while it was changed, but makes a new one', async () => {
    const bench = await declared({ kinds: ['ConfigMap'], data: { a: '1' } });
    const { uid } = bench.api.one(ConfigMap, 'w').metadata;
    bench.api.before = ({ verb }) => {
      bench.api.before = () => undefined;
      if (verb === 'apply') bench.api.vanish(ConfigMap, 'w');
    };
    bench.edit('w', { content: { kinds: ['ConfigMap'], data: { a: '2' } } });
    bench.catchUp();
    await bench.pass('w');
    expect(bench.api.all(ConfigMap)).toEqual([]);
    await bench.converge('w');
    expect(bench.api.one(ConfigMap, 'w').metadata.uid).not.toBe(uid);
  });

  it('reconcile() leaves an object alone that took the name of a child while that was changed', async () => {
    const bench = await declared({ kinds: ['ConfigMap'], data: { a: '1' } });
    const theirs = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'w', namespace: 'default' }, data: {} };
    bench.api.before = ({ verb }) => {
      if (verb !== 'apply') return;
      bench.api.before = () => undefined;
      bench.api.vanish(ConfigMap, 'w');
      bench.api.put(ConfigMap, theirs);
    };
    await changed(bench, { kinds: ['ConfigMap'], data: { a: '2' } });
    expect(bench.api.one(ConfigMap, 'w')).not.toHaveProperty('data.a');
    expect(bench.conditionOf('w', 'Stalled')?.reason).toBe('NameConflict');
  });

  it('reconcile() creates a Service by POST when the API server cannot create it by apply', async () => {
    const bench = new LoopBench(wardrobe);
    bench.declare('w', { content: { kinds: ['Service'] } });
    const old = internalError('resourceVersion should not be set on objects to be created');
    bench.api.refuse = ({ verb, resource }) => (verb === 'apply' && resource === 'services' ? old : undefined);
    await bench.converge('w');
    expect(bench.api.one(Service, 'w')).toMatchObject({ spec: { ports: [{ name: 'http', port: 80 }] } });
  });

  it('reconcile() changes the labels, annotations and image of a pod in place', async () => {
    const kinds = ['Pod'];
    const bench = await declared({ kinds, image: 'busybox:1', labels: { app: 'a' }, annotations: { note: '1' } });
    const { uid } = bench.api.one(Pod, 'w').metadata;
    await changed(bench, { kinds, image: 'busybox:2', labels: { app: 'b' }, annotations: { note: '2' } });
    expect(bench.api.one(Pod, 'w')).toMatchObject({
      metadata: { uid, labels: { app: 'b' }, annotations: { note: '2' } },
      spec: { containers: [{ name: 'main', image: 'busybox:2' }] },
    });
    expect(requests(bench)).toEqual(['apply pods', 'patchStatus wardrobes.demo.example.com']);
  });

  it('reconcile() removes labels and annotations of a pod that are not wanted any more, in one request', async () => {
    const kinds = ['Pod'];
    const bench = await declared({
      kinds,
      image: 'busybox:1',
      labels: { 'example.com/gone': 'x', stays: 'x' },
      annotations: { gone: '~' },
    });
    bench.api.edit(Pod, 'w', ({ metadata, ...pod }) => ({
      ...pod,
      metadata: { ...metadata, annotations: { ...(metadata as KubeObject['metadata'])?.annotations, theirs: '1' } },
    }));
    bench.catchUp();
    await changed(bench, { kinds, image: 'busybox:2', labels: { stays: 'y' } });
    const { metadata, spec } = bench.api.one(Pod, 'w') as KubeObject & { readonly spec?: object };
    expect(metadata?.labels).toEqual({ stays: 'y', 'demo.example.com/wardrobe': 'w' });
    expect(Object.keys(metadata?.annotations ?? {})).toEqual(['cdk8s-reconcile/intent', 'theirs']);
    expect(spec).toMatchObject({ containers: [{ name: 'main', image: 'busybox:2' }] });
    expect(requests(bench)).toEqual(['patch pods', 'patchStatus wardrobes.demo.example.com']);
  });

  it('reconcile() removes labels of a pod although admission inserted a container before ours', async () => {
    const kinds = ['Pod'];
    const side = { name: 'side', image: 'theirs' };
    const bench = new LoopBench(wardrobe);
    bench.api.mutate = ({ resource, verb }, body) => {
      if (resource !== 'pods' || verb !== 'create') return body;
      const pod = body as { readonly spec: { readonly containers: readonly object[] } };
      return { ...pod, spec: { ...pod.spec, containers: [side, ...pod.spec.containers] } };
    };
    bench.declare('w', { content: { kinds, labels: { gone: 'x', stays: 'x' } } });
    await bench.converge('w');
    await changed(bench, { kinds, labels: { stays: 'y' } });
    const { metadata, spec } = bench.api.one(Pod, 'w') as KubeObject & { readonly spec?: object };
    expect(metadata?.labels).toEqual({ stays: 'y', 'demo.example.com/wardrobe': 'w' });
    expect(spec).toMatchObject({ containers: [side, { name: 'main', image: 'busybox' }] });
  });

  it('reconcile() restores fields of ours that another writer changed or removed, at any depth', async () => {
    const bench = await declared({ data: { a: '1', b: '1' } });
    bench.api.edit(ConfigMap, 'w', (object) => ({ ...object, data: { a: '2' } }));
    bench.api.edit(Deployment, 'w', (object) => ({ ...object, spec: { ...(object['spec'] as object), replicas: 7 } }));
    bench.catchUp();
    await bench.converge('w');
    expect(bench.api.one(ConfigMap, 'w')).toMatchObject({ data: { a: '1', b: '1' } });
    expect(bench.api.one(Deployment, 'w')).toMatchObject({ spec: { replicas: 2 } });
    expect(requests(bench)).toEqual(['apply configmaps', 'apply deployments.apps']);
  });

  it('reconcile() sends nothing when others change what is not ours', async () => {
    const bench = await declared({ data: { a: '1' } });
    bench.api.edit(ConfigMap, 'w', (object) => ({ ...object, data: { a: '1', b: '1' } }));
    bench.api.editStatus(Deployment, 'w', { replicas: 2 });
    bench.catchUp();
    await bench.converge('w');
    expect(requests(bench)).toEqual([]);
  });

  it('reconcile() sends nothing when it remembers nothing and all is as it was (G3)', async () => {
    const bench = await declared({ kinds: ['Deployment', 'ConfigMap', 'Service', 'Pod'], data: { a: '1' } });
    bench.context.memory.clear();
    await bench.converge('w');
    expect(requests(bench)).toEqual([]);
  });

  it('reconcile() restores a field of ours without memory after another writer has set it', async () => {
    const bench = await declared({ data: { a: '1' } });
    bench.api.edit(ConfigMap, 'w', (object) => ({ ...object, data: { a: '2' } }));
    bench.catchUp();
    bench.context.memory.clear();
    await bench.converge('w');
    expect(bench.api.one(ConfigMap, 'w')).toMatchObject({ data: { a: '1' } });
    expect(requests(bench)).toEqual(['apply configmaps']);
  });
});
