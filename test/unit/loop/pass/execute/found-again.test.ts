import { describe, expect, it } from 'vitest';
import { ownerLabel } from '#lib/desired/marks/names.ts';
import { apply } from '#lib/desired/result/intent.ts';
import { ready } from '#lib/desired/result/state.ts';
import { ConfigMap, Pod } from '#lib/kind/handles/reference.ts';
import { keyOf } from '#lib/loop/context/key.ts';
import { patchTypesOf } from '#test/unit/loop/pass/pass-bench.ts';
import { filtered, LABEL } from '#test/unit/support/labelled-kind.ts';
import { LoopBench } from '#test/unit/support/loop-bench.ts';
import { dnsWith } from '#test/unit/support/tenant-extension.ts';

/** Records the bodies of the merge patches for a kind. */
const patchesOf = (bench: LoopBench, plural: string): unknown[] => {
  const bodies: unknown[] = [];
  bench.api.mutate = ({ resource, verb }, body) => {
    if (resource === plural && verb === 'patch') bodies.push(body);
    return body;
  };
  return bodies;
};

const OURS = { [LABEL]: 'shelf' };

describe('createChild() that finds a child of the resource', () => {
  it.each([
    { what: 'without its label', labels: { theirs: 'x' }, patches: 1 },
    { what: 'with the label of another resource', labels: { [LABEL]: 'other', theirs: 'x' }, patches: 1 },
    { what: 'with its label', labels: { ...OURS, theirs: 'x' }, patches: 0 },
  ])('createChild() restores the label of a pod $what, and no more', async ({ labels, patches }) => {
    const bench = new LoopBench(filtered);
    const { uid } = bench.declare('shelf', { books: ['a'] }).metadata;
    const owner = { apiVersion: 'demo.example.com/v1', kind: 'Shelf', name: 'shelf', uid, controller: true };
    const metadata = { name: 'a', namespace: 'default', labels, ownerReferences: [owner] };
    const spec = { containers: [{ name: 'main', image: 'busybox' }] };
    const pod = bench.api.put(Pod, { apiVersion: 'v1', kind: 'Pod', metadata, spec });
    const bodies = patchesOf(bench, 'pods');
    await bench.pass('shelf');
    expect(bodies).toEqual(
      Array.from({ length: patches }, () => ({ metadata: { uid: pod.metadata.uid, labels: OURS } })),
    );
    expect(bench.api.one(Pod, 'a').metadata).toMatchObject({
      labels: { ...OURS, theirs: 'x' },
      ownerReferences: [owner],
    });
  });
});

const other = { apiVersion: 'v1', kind: 'Secret', name: 's', uid: 'other' };

const ingressOwner = (uid: string, name = 'web') => ({
  apiVersion: 'networking.k8s.io/v1',
  kind: 'Ingress',
  name,
  uid,
});

/** An extension with one ConfigMap, which exists on the API server and is not in the cache yet. */
const extended = (metadata: (uid: string) => object) => {
  const child = apply({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'c' }, data: { a: 'b' } });
  const definition = dnsWith({ desired: () => ({ children: [child], state: ready('Done', 'done') }) });
  const bench = new LoopBench(definition);
  const { uid } = bench.declare('web', { defaultBackend: { service: { name: 'web', port: { number: 80 } } } }).metadata;
  const found = bench.api.put(ConfigMap, {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: {
      name: 'c',
      namespace: 'default',
      annotations: { 'cdk8s-reconcile/intent': 'x7k2p9dqzt' },
      ...metadata(uid),
    },
  });
  return { bench, found, owner: ingressOwner(uid), label: { [ownerLabel(definition)]: uid } };
};

const LABELLED = ownerLabel(dnsWith());

describe('createChild() that finds a child of an extension', () => {
  it.each([
    {
      what: 'lost its owner reference',
      of: (uid: string) => ({ labels: { [LABELLED]: uid }, ownerReferences: [other] }),
    },
    {
      what: 'lost its label',
      of: (uid: string) => ({ ownerReferences: [other, ingressOwner(uid, 'old')] }),
    },
  ])('createChild() restores the marks of a child that $what, and keeps other owners', async ({ of }) => {
    const { bench, found, owner, label } = extended(of);
    const bodies = patchesOf(bench, 'configmaps');
    const types = patchTypesOf(bench);
    await bench.pass('web');
    expect(types).toEqual(['merge']);
    const { uid, resourceVersion } = found.metadata;
    expect(bodies).toEqual([{ metadata: { uid, resourceVersion, labels: label, ownerReferences: [other, owner] } }]);
    expect(bench.api.one(ConfigMap, 'c').metadata).toMatchObject({ labels: label, ownerReferences: [other, owner] });
    // The cache shows the response of the patch before the event of the watch.
    expect(bench.context.children.get(ConfigMap)?.get(keyOf('default', 'c'))?.metadata.ownerReferences).toHaveLength(2);
  });

  it('createChild() restores the owner reference of a child without other owners', async () => {
    const { bench, owner, label } = extended((uid) => ({ labels: { [LABELLED]: uid } }));
    await bench.pass('web');
    expect(bench.api.one(ConfigMap, 'c').metadata).toMatchObject({ labels: label, ownerReferences: [owner] });
  });

  it('createChild() leaves a child alone that has both marks', async () => {
    const { bench, owner } = extended((uid) => ({
      labels: { [LABELLED]: uid },
      ownerReferences: [ingressOwner(uid)],
    }));
    const bodies = patchesOf(bench, 'configmaps');
    await bench.pass('web');
    expect(bodies).toEqual([]);
    expect(bench.api.one(ConfigMap, 'c').metadata).toMatchObject({ ownerReferences: [owner] });
  });
});
