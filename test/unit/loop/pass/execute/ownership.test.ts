import { describe, expect, it } from 'vitest';
import { type AnyKindDefinition, defineKind } from '#lib/desired/definition.ts';
import { adopt, keep, release } from '#lib/desired/result/intent.ts';
import { ready } from '#lib/desired/result/state.ts';
import { ApiError } from '#lib/errors.ts';
import { Pod } from '#lib/kind/handles/reference.ts';
import type { ApiObject } from '#lib/kube/interface/api.ts';
import type { CachedObject } from '#lib/loop/cache/projection/projection.ts';
import { keyOf } from '#lib/loop/context/key.ts';
import { compute } from '#lib/loop/pass/compute/compute.ts';
import { type WriteStep, writeChild } from '#lib/loop/pass/execute/write-child.ts';
import { observe } from '#lib/loop/pass/observe.ts';
import type { Snapshot } from '#lib/loop/pass/snapshot.ts';
import type { FakeRequest } from '#test/unit/support/fake-api.ts';
import { LoopBench } from '#test/unit/support/loop-bench.ts';
import { bookPod, type ShelfSeen, shelf, strangersPod } from '#test/unit/support/shelf-kind.ts';

const WEARS = { book: 'yes' };
const MANAGER = 'cdk8s-reconcile/shelves.demo.example.com';
const OURS = { 'demo.example.com/shelf': 'shelf' };

/** A kind that adopts pods with its label, and releases pods without this label. */
const collector: AnyKindDefinition = defineKind({
  ...shelf,
  selector: () => WEARS,
  desired: ({ children, orphans }: ShelfSeen) => {
    const mine = children.of(Pod);
    return {
      children: [
        ...mine.map((pod) => (pod.metadata?.labels?.['book'] === 'yes' ? keep(pod) : release(pod))),
        ...orphans.of(Pod).map(adopt),
      ],
      status: { count: mine.length },
      state: ready('Collected', 'all books are in'),
    };
  },
});

/** A kind that adopts pods with a certain name, whatever their labels. */
const namesake: AnyKindDefinition = defineKind({
  ...shelf,
  orphanNames: () => ['a'],
  desired: ({ children, orphans }: ShelfSeen) => ({
    children: [...children.of(Pod).map(keep), ...orphans.of(Pod).map(adopt)],
    status: { count: children.of(Pod).length },
    state: ready('Collected', 'all books are in'),
  }),
});

const loosePod = (name: string, metadata: object = {}) => strangersPod(name, { labels: WEARS, ...metadata });

/** A shelf that adopts, and an orphan in its cache. */
const withOrphan = (metadata: object = {}): LoopBench => {
  const bench = new LoopBench(collector);
  bench.declare('shelf', { books: [] });
  bench.api.put(Pod, loosePod('a', metadata));
  bench.catchUp();
  return bench;
};

/** A shelf that has adopted the orphan. */
const withAdopted = async (metadata: object = {}): Promise<LoopBench> => {
  const bench = withOrphan(metadata);
  await bench.converge('shelf');
  expect(ownersOf(bench)).toEqual(['shelf']);
  bench.api.requests.length = 0;
  return bench;
};

type Metadata = ApiObject['metadata'] & {
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly ownerReferences?: readonly { readonly name: string; readonly uid: string; readonly controller?: boolean }[];
};

const metadataOf = (bench: LoopBench, name = 'a'): Metadata => bench.api.one(Pod, name).metadata;

const ownersOf = (bench: LoopBench): string[] => (metadataOf(bench).ownerReferences ?? []).map(({ name }) => name);

const change = (bench: LoopBench, metadata: object): void =>
  bench.api.edit(Pod, 'a', (pod) => ({ ...pod, metadata: { ...pod.metadata, ...metadata } }));

const stranger = { apiVersion: 'v1', kind: 'ConfigMap', name: 'stranger', uid: '7b1d8f5e-0000-4000-8000-000000000009' };

const verbs = (bench: LoopBench): string[] => bench.api.requests.map(({ verb }) => verb);

/** Runs an action once, just before a request of this sort is carried out. */
const justBefore = (bench: LoopBench, sort: Partial<FakeRequest>, act: () => void): void => {
  let done = false;
  bench.api.before = (request) => {
    const isIt = Object.entries(sort).every(([key, value]) => request[key as keyof FakeRequest] === value);
    if (done || !isIt) return;
    done = true;
    act();
  };
};

describe('adoptChild()', () => {
  it('adoptChild() makes an orphan a child with two looks and one write', async () => {
    const bench = withOrphan();
    await bench.converge('shelf');
    expect(metadataOf(bench).ownerReferences).toEqual([
      {
        apiVersion: 'demo.example.com/v1',
        kind: 'Shelf',
        name: 'shelf',
        uid: bench.api.one(bench.kind, 'shelf').metadata.uid,
        controller: true,
        blockOwnerDeletion: true,
      },
    ]);
    expect(metadataOf(bench).labels).toEqual({ ...WEARS, ...OURS });
    expect(verbs(bench)).toEqual(['get', 'get', 'apply', 'patchStatus']);
    expect(bench.statusOf('shelf')).toMatchObject({ count: 1 });
  });

  it('adoptChild() looks at the resource once however many orphans there are', async () => {
    const bench = withOrphan();
    for (const name of ['b', 'c']) bench.api.put(Pod, loosePod(name));
    bench.catchUp();
    await bench.converge('shelf');
    expect(bench.api.requests.filter(({ verb, name }) => verb === 'get' && name === 'shelf')).toHaveLength(1);
    expect(bench.statusOf('shelf')).toMatchObject({ count: 3 });
  });

  it('adoptChild() takes an orphan that is offered by its name, whatever labels it carries, and is woken by it', async () => {
    const bench = new LoopBench(namesake);
    bench.declare('shelf', { books: [] });
    await bench.converge('shelf');
    const wakes = (name: string): boolean => {
      const after = bench.api.put(Pod, strangersPod(name, {}));
      const change = { after: after as unknown as CachedObject };
      return bench.context.lookups.affectedBy(Pod, change).size > 0;
    };
    expect([wakes('a'), wakes('b')]).toEqual([true, false]);
    bench.catchUp();
    await bench.pass('shelf');
    expect(ownersOf(bench)).toEqual(['shelf']);
    expect(metadataOf(bench, 'b').ownerReferences).toBeUndefined();
  });

  it('adoptChild() leaves the labels, annotations and owners of others alone', async () => {
    const owners = [{ ...stranger, controller: false }];
    const bench = await withAdopted({ labels: { ...WEARS, their: 'label' }, annotations: { their: 'note' } });
    expect(metadataOf(bench)).toMatchObject({ labels: { their: 'label' }, annotations: { their: 'note' } });
    const other = withOrphan({ ownerReferences: owners });
    await other.converge('shelf');
    expect(ownersOf(other).toSorted()).toEqual(['shelf', 'stranger']);
  });

  it.each<{ reason: string; act: (bench: LoopBench) => void }>([
    {
      reason: 'another controller adopts it first',
      act: (bench) => change(bench, { ownerReferences: [{ ...stranger, controller: true }] }),
    },
    { reason: 'it is gone', act: (bench) => bench.api.vanish(Pod, 'a') },
    {
      reason: 'another has its name',
      act: (bench) => {
        bench.api.vanish(Pod, 'a');
        bench.api.put(Pod, strangersPod('a'));
      },
    },
  ])('adoptChild() touches nothing when $reason before the look', async ({ act }) => {
    const bench = withOrphan();
    act(bench);
    const before = bench.api.all(Pod);
    expect(await bench.pass('shelf')).toEqual({ next: 'backoff', atLeastMs: 0 });
    expect(bench.api.all(Pod)).toEqual(before);
    expect(verbs(bench)).toEqual(['get', 'get']);
    bench.catchUp();
    expect(await bench.converge('shelf')).toEqual({ next: 'rest' });
    expect(bench.conditionOf('shelf', 'Ready')).toMatchObject({ status: 'True' });
  });

  it.each<{ reason: string; act: (bench: LoopBench) => void }>([
    {
      reason: 'another controller adopts it',
      act: (bench) => change(bench, { ownerReferences: [{ ...stranger, controller: true }] }),
    },
    { reason: 'it is gone', act: (bench) => bench.api.vanish(Pod, 'a') },
    { reason: 'it changes', act: (bench) => change(bench, { annotations: { new: 'note' } }) },
  ])('adoptChild() touches nothing when $reason between the look and the write', async ({ act }) => {
    const bench = withOrphan();
    justBefore(bench, { verb: 'apply' }, () => act(bench));
    expect(await bench.pass('shelf')).toEqual({ next: 'backoff', atLeastMs: 0 });
    expect(
      bench.api.all(Pod).flatMap(({ metadata }) => (metadata as Metadata).ownerReferences ?? []),
    ).not.toContainEqual(expect.objectContaining({ name: 'shelf' }));
    expect(bench.statusOf('shelf')).toEqual({});
  });

  it.each<{ reason: string; act: (bench: LoopBench) => void }>([
    { reason: 'is gone', act: (bench) => bench.api.vanish(bench.kind, 'shelf') },
    {
      reason: 'is on its way out',
      act: (bench) => {
        bench.api.edit(bench.kind, 'shelf', (it) => ({
          ...it,
          metadata: { ...it.metadata, finalizers: ['a.example.com/b'] },
        }));
        bench.api.remove(bench.kind, 'shelf');
      },
    },
  ])('adoptChild() touches nothing when the resource $reason and the event has not arrived', async ({ act }) => {
    const bench = withOrphan();
    act(bench);
    await bench.pass('shelf');
    expect(ownersOf(bench)).toEqual([]);
    expect(await bench.pass('shelf')).toEqual({ next: 'rest' });
  });
});

/** The step of the next pass, and what it needs. */
const nextStep = (bench: LoopBench) => {
  const seen = observe(bench.context, keyOf('default', 'shelf')) as Snapshot;
  return { seen, step: compute(bench.context, seen).plan.steps[0] as WriteStep };
};

describe('adoptChild() of an orphan that others have applied', () => {
  it.each([
    { why: 'another manager has applied it', managers: [{ manager: 'theirs', operation: 'Apply' }], verb: 'apply' },
    { why: 'our manager has updated it', managers: [{ manager: MANAGER, operation: 'Update' }], verb: 'apply' },
    { why: 'no manager is known', managers: undefined, verb: 'apply' },
    {
      why: 'our manager has applied it, too',
      managers: [
        { manager: 'theirs', operation: 'Update' },
        { manager: MANAGER, operation: 'Apply' },
      ],
      verb: 'patch',
    },
  ])('adoptChild() sends one $verb when $why', async ({ managers, verb }) => {
    const bench = withOrphan();
    const { seen, step } = nextStep(bench);
    const { client } = bench.api;
    const get = client.get.bind(client);
    const read: typeof get = async (...request) => {
      const { metadata, ...object } = await get(...request);
      return { ...object, metadata: { ...metadata, managedFields: managers } } as ApiObject;
    };
    Object.assign(client, { get: read });
    expect(await writeChild(bench.context, seen, step)).toBe('done');
    expect(bench.api.writes).toEqual([expect.objectContaining({ verb, resource: 'pods' })]);
    expect(ownersOf(bench)).toEqual(['shelf']);
  });
});

describe('releaseChild()', () => {
  it.each<{ reason: string; act: (bench: LoopBench) => void }>([
    { reason: 'gone', act: (bench) => bench.api.vanish(Pod, 'a') },
    { reason: 'released', act: (bench) => change(bench, { ownerReferences: [] }) },
    {
      reason: 'replaced',
      act: (bench) => {
        const { ownerReferences } = metadataOf(bench);
        bench.api.vanish(Pod, 'a');
        bench.api.put(Pod, strangersPod('a', { ownerReferences }));
      },
    },
  ])('releaseChild() sends nothing when the cache shows that the child is $reason', async ({ act }) => {
    const bench = await withAdopted();
    change(bench, { labels: {} });
    bench.catchUp();
    const { seen, step } = nextStep(bench);
    act(bench);
    bench.catchUp();
    expect(await writeChild(bench.context, seen, step)).toBe('done');
    expect(verbs(bench)).toEqual([]);
  });

  it('releaseChild() rejects when the API server refuses the patch of an unchanged child', async () => {
    const bench = await withAdopted();
    change(bench, { labels: {} });
    bench.catchUp();
    const { seen, step } = nextStep(bench);
    const refusal = new ApiError('patch pods', { httpStatus: 422, reason: 'Invalid', message: 'a policy' });
    bench.api.refuse = ({ verb }) => (verb === 'patch' ? refusal : undefined);
    await expect(writeChild(bench.context, seen, step)).rejects.toBe(refusal);
  });

  it('releaseChild() takes off our owner reference and label with one write and leaves the pod running', async () => {
    const bench = await withAdopted({ labels: { ...WEARS, their: 'label' }, annotations: { their: 'note' } });
    const { uid } = metadataOf(bench);
    change(bench, { labels: { ...OURS, their: 'label' } });
    bench.catchUp();
    await bench.converge('shelf');
    expect(metadataOf(bench)).toMatchObject({ uid, labels: { their: 'label' }, annotations: { their: 'note' } });
    expect(metadataOf(bench).labels).toEqual({ their: 'label' });
    expect(ownersOf(bench)).toEqual([]);
    expect(verbs(bench)).toEqual(['patch', 'patchStatus']);
  });

  it('releaseChild() takes off the mark of the intent when the child was made by us', async () => {
    const bench = new LoopBench(
      defineKind({
        ...shelf,
        desired: (seen: ShelfSeen) => {
          const answer = shelf.desired(seen);
          const isFull = seen.resource.spec.books.includes('release');
          return isFull ? { ...answer, children: seen.children.of(Pod).map(release) } : answer;
        },
      }),
    );
    bench.declare('shelf', { books: ['a'] });
    await bench.converge('shelf');
    expect(metadataOf(bench).annotations).toHaveProperty('cdk8s-reconcile/intent');
    bench.edit('shelf', { books: ['release'] });
    bench.catchUp();
    await bench.converge('shelf');
    expect(metadataOf(bench).annotations ?? {}).toEqual({});
    expect(metadataOf(bench).labels ?? {}).toEqual({});
    expect(bench.api.one(Pod, 'a')['spec']).toMatchObject(bookPod('a').spec);
  });

  it('releaseChild() leaves a label alone when another writer gave it another value', async () => {
    const bench = await withAdopted();
    change(bench, { labels: { 'demo.example.com/shelf': 'theirs' } });
    bench.catchUp();
    await bench.converge('shelf');
    expect(metadataOf(bench).labels).toEqual({ 'demo.example.com/shelf': 'theirs' });
    expect(ownersOf(bench)).toEqual([]);
  });

  it('releaseChild() leaves the owners of others alone', async () => {
    const bench = await withAdopted({ ownerReferences: [{ ...stranger, controller: false }] }).catch(() =>
      withOrphan(),
    );
    expect(bench).toBeDefined();
    const other = withOrphan({ ownerReferences: [{ ...stranger, controller: false }] });
    await other.converge('shelf');
    change(other, { labels: {} });
    other.catchUp();
    await other.converge('shelf');
    expect(ownersOf(other)).toEqual(['stranger']);
  });

  it.each<{ reason: string; act: (bench: LoopBench) => void }>([
    { reason: 'is gone', act: (bench) => bench.api.vanish(Pod, 'a') },
    { reason: 'is released by another writer', act: (bench) => change(bench, { ownerReferences: [] }) },
    {
      reason: 'is another one of the same name',
      act: (bench) => {
        bench.api.vanish(Pod, 'a');
        bench.api.put(Pod, strangersPod('a'));
      },
    },
  ])('releaseChild() is done when the child $reason', async ({ act }) => {
    const bench = await withAdopted();
    change(bench, { labels: {} });
    bench.catchUp();
    act(bench);
    expect(await bench.pass('shelf')).toMatchObject({ next: 'again' });
    expect(await bench.converge('shelf')).toEqual({ next: 'rest' });
    expect(bench.conditionOf('shelf', 'Ready')).toMatchObject({ status: 'True' });
  });

  it('releaseChild() looks again when the owner references were reordered meanwhile', async () => {
    const bench = await withAdopted();
    change(bench, { labels: {} });
    bench.catchUp();
    const ours = metadataOf(bench).ownerReferences ?? [];
    change(bench, { ownerReferences: [{ ...stranger, controller: false }, ...ours] });
    expect(await bench.pass('shelf')).toEqual({ next: 'backoff', atLeastMs: 0 });
    expect(ownersOf(bench)).toEqual(['stranger', 'shelf']);
    await bench.pass('shelf');
    expect(ownersOf(bench)).toEqual(['stranger']);
  });
});
