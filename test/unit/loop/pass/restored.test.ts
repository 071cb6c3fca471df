import { describe, expect, it } from 'vitest';
import { forbidden } from '#lib/apiserver/machinery/status.ts';
import { type AnyKindDefinition, defineKind } from '#lib/desired/definition.ts';
import { apply } from '#lib/desired/result/intent.ts';
import { ready } from '#lib/desired/result/state.ts';
import { ConfigMap, Deployment, type KindRef, Pod } from '#lib/kind/handles/reference.ts';
import type { ApiObject } from '#lib/kube/interface/api.ts';
import { strayPod } from '#test/unit/loop/pass/pass-bench.ts';
import { live, started } from '#test/unit/support/controller-bench.ts';
import { LoopBench } from '#test/unit/support/loop-bench.ts';
import { answerOf } from '#test/unit/support/server-answers.ts';
import { type ShelfSeen, shelf, strangersPod } from '#test/unit/support/shelf-kind.ts';
import { wardrobe } from '#test/unit/support/wardrobe-kind.ts';

const LABELS = { 'demo.example.com/shelf': 'shelf' };
const MARK = { 'cdk8s-reconcile/intent': 'x7k2p9dqzt' };

type Metadata = ApiObject['metadata'] & {
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly ownerReferences?: readonly { readonly name: string; readonly uid: string; readonly controller?: boolean }[];
};

const metadataOf = (bench: LoopBench, name: string, kind: KindRef = Pod): Metadata =>
  bench.api.one(kind, name).metadata;

const ownersOf = (bench: LoopBench, name: string, kind?: KindRef): string[] =>
  (metadataOf(bench, name, kind).ownerReferences ?? []).map(({ name: owner }) => owner);

const verbs = (bench: LoopBench): string[] => bench.api.requests.map(({ verb }) => verb);

/** A shelf with some books, and the restored pods. */
const restored = (books: readonly string[], pods: readonly ReturnType<typeof strayPod>[]): LoopBench => {
  const bench = new LoopBench(shelf);
  for (const pod of pods) bench.api.put(Pod, pod);
  bench.declare('shelf', { books });
  return bench;
};

describe('reconcile() of what a backup brought back', () => {
  it('reconcile() makes children its own before its function is called, and before a status is written', async () => {
    const seen: number[] = [];
    const desired = (given: ShelfSeen) => {
      seen.push(given.children.of(Pod).length);
      return shelf.desired(given);
    };
    const bench = new LoopBench(defineKind({ ...shelf, desired }));
    for (const name of ['a', 'b']) bench.api.put(Pod, strayPod(name));
    bench.declare('shelf', { books: ['a', 'b'] });
    await bench.pass('shelf');
    expect(seen).toEqual([]);
    expect(verbs(bench)).toEqual(['get', 'get', 'get', 'apply', 'apply']);
    expect(['a', 'b'].map((name) => ownersOf(bench, name))).toEqual([['shelf'], ['shelf']]);
    await bench.converge('shelf');
    expect([...new Set(seen)]).toEqual([2]);
    expect(bench.statusOf('shelf')).toMatchObject({ count: 2 });
    expect(bench.podNames()).toEqual(['a', 'b']);
  });

  it('reconcile() removes what is surplus, and creates what is missing', async () => {
    const bench = restored(['b', 'c'], [strayPod('a'), strayPod('b')]);
    await bench.converge('shelf');
    expect(bench.podNames()).toEqual(['b', 'c']);
  });

  it('reconcile() sends nothing once all is as it should be, also in another process', async () => {
    const bench = restored(['a'], [strayPod('a')]);
    await bench.converge('shelf');
    expect(metadataOf(bench, 'a').annotations?.['cdk8s-reconcile/intent']).toMatch(/^[a-z0-9]{10}$/);
    bench.context.memory.clear();
    bench.api.requests.length = 0;
    await bench.converge('shelf');
    expect(verbs(bench)).toEqual([]);
  });

  it('reconcile() says on the child that it came back until an intent is applied to it', async () => {
    const bench = restored(['a'], [strayPod('a')]);
    await bench.pass('shelf');
    expect(metadataOf(bench, 'a').annotations).toEqual({ 'cdk8s-reconcile/intent': 'restored' });
  });

  it('reconcile() makes children its own that come when it has long been at rest', async () => {
    const bench = restored(['a'], []);
    started(bench);
    await live(bench, 1000);
    bench.api.put(Pod, strayPod('late'));
    await live(bench, 1000);
    expect(bench.podNames()).toEqual(['a']);
  });

  it('reconcile() is woken by a child of a resource whose name is too long for a label', async () => {
    const name = `${'shelf-'.repeat(12)}x`;
    const bench = new LoopBench(shelf);
    bench.declare(name, { books: ['a'] });
    started(bench);
    await live(bench, 1000);
    const { labels = {} } = metadataOf(bench, 'a');
    bench.api.put(Pod, strayPod('late', { labels }));
    await live(bench, 1000);
    expect(bench.podNames()).toEqual(['a']);
  });

  it('reconcile() adopts nothing for a resource on its way out', async () => {
    const bench = new LoopBench(
      defineKind({ ...shelf, finalize: (seen) => ({ ...shelf.desired(seen), children: [] }) }),
    );
    bench.declare('shelf', { books: [] });
    await bench.converge('shelf');
    bench.api.remove(bench.kind, 'shelf');
    bench.api.put(Pod, strayPod('a'));
    bench.catchUp();
    await bench.converge('shelf');
    expect(ownersOf(bench, 'a')).toEqual([]);
    expect(bench.api.all(bench.kind)).toEqual([]);
  });

  it('reconcile() goes on with everything else when the API server refuses an adoption, and tries it again', async () => {
    const bench = restored(['a', 'b'], [strayPod('a')]);
    const refusal = answerOf(forbidden({ group: '', kind: 'pods', name: 'a' }, 'a policy denies it'));
    bench.api.refuse = ({ verb, name }) => (verb === 'apply' && name === 'a' ? refusal : undefined);
    await bench.pass('shelf');
    bench.catchUp();
    await bench.pass('shelf');
    bench.catchUp();
    expect(bench.podNames()).toEqual(['a', 'b']);
    expect(bench.conditionOf('shelf', 'Ready')).toMatchObject({ status: 'False' });
    bench.api.refuse = () => undefined;
    started(bench);
    await live(bench, 20_000);
    expect(ownersOf(bench, 'a')).toEqual(['shelf']);
    expect(bench.statusOf('shelf')).toMatchObject({ count: 2 });
  });

  it('reconcile() shows its function the other orphans when the API server refuses an adoption', async () => {
    const orphans: unknown[] = [];
    const desired = (given: ShelfSeen) => {
      orphans.push(given.orphans.of(Pod).map(({ metadata }) => metadata?.name));
      return shelf.desired(given);
    };
    const bench = new LoopBench(defineKind({ ...shelf, desired, selector: () => LABELS }));
    for (const pod of [strayPod('a'), strangersPod('b', { labels: LABELS })]) bench.api.put(Pod, pod);
    bench.declare('shelf', { books: [] });
    const refusal = answerOf(forbidden({ group: '', kind: 'pods', name: 'a' }, 'a policy denies it'));
    bench.api.refuse = ({ verb }) => (verb === 'apply' ? refusal : undefined);
    await bench.pass('shelf');
    bench.catchUp();
    await bench.pass('shelf');
    expect(orphans).toEqual([['b']]);
  });

  it('reconcile() waits ever longer when something takes its owner reference off again', async () => {
    const bench = restored([], [strayPod('a')]);
    const { client } = bench.api;
    const apply = client.apply.bind(client);
    Object.assign(client, {
      apply: async (...args: Parameters<typeof apply>) => {
        const answer = await apply(...args);
        bench.api.edit(Pod, 'a', (pod) => ({ ...pod, metadata: { ...pod.metadata, ownerReferences: [] } }));
        return { ...answer, ...bench.api.one(Pod, 'a') };
      },
    });
    started(bench);
    await live(bench, 60_000);
    expect(bench.api.requests.filter(({ verb }) => verb === 'apply').length).toBeLessThan(20);
  });

  it('reconcile() adopts a child that it applied itself, and whose owner reference was taken off, with all of its fields', async () => {
    const bench = new LoopBench(wardrobe);
    bench.declare('w', { content: { kinds: ['Deployment'] } });
    await bench.converge('w');
    const before = bench.api.one(Deployment, 'w');
    const { ownerReferences: _taken, ...metadata } = before.metadata as Metadata;
    bench.api.edit(Deployment, 'w', (it) => ({ ...it, metadata }));
    bench.catchUp();
    await bench.converge('w');
    expect(ownersOf(bench, 'w', Deployment)).toEqual(['w']);
    expect(bench.api.one(Deployment, 'w')['spec']).toEqual(before['spec']);
    expect(bench.conditionOf('w', 'Ready')).toMatchObject({ status: 'True' });
  });

  it('reconcile() keeps data that came back and that its function does not name', async () => {
    const bench = new LoopBench(defineKind({ ...shelf, owns: [Pod, { ...ConfigMap, holdsData: true }] }));
    const metadata = { name: 'data', namespace: 'default', labels: LABELS, annotations: MARK };
    bench.api.put(ConfigMap, { apiVersion: 'v1', kind: 'ConfigMap', metadata });
    bench.declare('shelf', { books: [] });
    await bench.converge('shelf');
    expect(ownersOf(bench, 'data', ConfigMap)).toEqual(['shelf']);
  });
});

const other = { apiVersion: 'v1', kind: 'ConfigMap', name: 'other', uid: '7b1d8f5e-0000-4000-8000-000000000009' };

/** Objects of others that resemble a child. */
const lookalikes: Readonly<Record<string, object>> = {
  'the label and no mark': { annotations: {} },
  'the label and an empty mark': { annotations: { 'cdk8s-reconcile/intent': '' } },
  'the label and a mark that no intent has': { annotations: { 'cdk8s-reconcile/intent': 'X7K2P9DQZT' } },
  'the label and a word of ours that is no mark': { annotations: { 'cdk8s-reconcile/allow-prune': 'x7k2p9dqzt' } },
  'the mark and no label': { labels: { app: 'shelf' } },
  'the mark and the label of another resource': { labels: { 'demo.example.com/shelf': 'shelf2' } },
  'the mark and the label of another kind': { labels: { 'demo.example.com/shelves': 'shelf' } },
  'the mark and the label of the kind in another group': { labels: { 'example.com/shelf': 'shelf' } },
  'both, and another controller': { ownerReferences: [{ ...other, controller: true }] },
  'both, and a resource of the same name that is gone as controller': {
    ownerReferences: [{ ...other, apiVersion: 'demo.example.com/v1', kind: 'Shelf', name: 'shelf', controller: true }],
  },
};

describe('reconcile() of what looks like its own', () => {
  it.for(Object.entries(lookalikes))('reconcile() leaves alone a pod with %s', async ([, metadata]) => {
    const bench = restored([], [strayPod('alike', metadata)]);
    const before = bench.api.one(Pod, 'alike');
    await bench.converge('shelf');
    expect(bench.api.one(Pod, 'alike')).toEqual(before);
    expect(verbs(bench)).toEqual(['patchStatus']);
  });

  it('reconcile() leaves alone what lies in another namespace', async () => {
    const bench = new LoopBench(shelf);
    bench.api.makeNamespace('other');
    bench.api.put(Pod, strayPod('a', { namespace: 'other' }));
    bench.declare('shelf', { books: [] });
    await bench.converge('shelf');
    expect(verbs(bench)).toEqual(['patchStatus']);
  });

  it('reconcile() leaves alone objects of a kind that it does not own', async () => {
    const bench = new LoopBench(defineKind({ ...shelf, reads: [ConfigMap] }));
    const metadata = { name: 'a', namespace: 'default', labels: LABELS, annotations: MARK };
    bench.api.put(ConfigMap, { apiVersion: 'v1', kind: 'ConfigMap', metadata });
    bench.declare('shelf', { books: [] });
    await bench.converge('shelf');
    expect(verbs(bench)).toEqual(['patchStatus']);
  });

  it('reconcile() leaves a pod alone whose mark was removed while no operator ran', async () => {
    const bench = restored([], [strayPod('a')]);
    bench.api.edit(Pod, 'a', (pod) => ({ ...pod, metadata: { ...pod.metadata, annotations: {} } }));
    await bench.converge('shelf');
    expect(ownersOf(bench, 'a')).toEqual([]);
    expect(bench.podNames()).toEqual(['a']);
  });

  it('reconcile() reports the name that it cannot have, as ever', async () => {
    const bench = restored(['a'], [strayPod('a', { annotations: {} })]);
    await bench.converge('shelf');
    expect(bench.conditionOf('shelf', 'Stalled')).toMatchObject({ status: 'True', reason: 'NameConflict' });
    expect(ownersOf(bench, 'a')).toEqual([]);
  });
});

describe('reconcile() of a cluster-scoped resource', () => {
  const estate: AnyKindDefinition = defineKind({
    group: 'demo.example.com',
    version: 'v1',
    kind: 'Estate',
    scope: 'Cluster',
    spec: shelf.spec,
    status: shelf.status,
    owns: [ConfigMap],
    desired: ({ children }) => ({
      children: ['one', 'two'].map((namespace) =>
        apply({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'deed', namespace } }),
      ),
      status: { count: children.of(ConfigMap).length },
      state: ready('Owned', 'all is owned'),
    }),
  });

  it('reconcile() makes its children its own in whatever namespace they came back', async () => {
    const bench = new LoopBench(estate);
    for (const namespace of ['one', 'two', 'three']) {
      bench.api.makeNamespace(namespace);
      const labels = { 'demo.example.com/estate': 'manor' };
      const metadata = { name: 'deed', namespace, labels, annotations: MARK };
      bench.api.put(ConfigMap, { apiVersion: 'v1', kind: 'ConfigMap', metadata });
    }
    const { apiVersion, kind } = bench.kind;
    bench.api.put(bench.kind, { apiVersion, kind, metadata: { name: 'manor' }, spec: { books: [] } });
    bench.catchUp();
    started(bench);
    await live(bench, 2000);
    const owners = ['one', 'two', 'three'].map((namespace) =>
      bench.api.all(ConfigMap, namespace).map(({ metadata }) => (metadata as Metadata).ownerReferences?.length),
    );
    expect(owners).toEqual([[1], [1], []]);
  });
});
