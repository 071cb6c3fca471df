import { describe, expect, it } from 'vitest';
import { Pod } from '#lib/kind/handles/reference.ts';
import type { ApiObject } from '#lib/kube/interface/api.ts';
import type { CachedObject } from '#lib/loop/cache/projection/projection.ts';
import { writeChild } from '#lib/loop/pass/execute/write-child.ts';
import { patchTypesOf, strayPod } from '#test/unit/loop/pass/pass-bench.ts';
import type { FakeRequest } from '#test/unit/support/fake-api.ts';
import { LoopBench } from '#test/unit/support/loop-bench.ts';
import { strangersPod } from '#test/unit/support/shelf-kind.ts';
import {
  change,
  loosePod,
  MANAGER,
  type Metadata,
  metadataOf,
  namesake,
  nextStep,
  OURS,
  ownersOf,
  stranger,
  verbs,
  WEARS,
  withAdopted,
  withOrphan,
} from './collector-bench.ts';

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
    const types = patchTypesOf(bench);
    expect(await writeChild(bench.context, seen, step)).toBe('done');
    expect(bench.api.writes).toEqual([expect.objectContaining({ verb, resource: 'pods' })]);
    expect(types).toEqual(verb === 'patch' ? ['merge'] : []);
    expect(ownersOf(bench)).toEqual(['shelf']);
  });
});

describe('adoptChild() of a restored child', () => {
  it.each([
    { what: 'label', change: { labels: {} } },
    { what: 'annotation', change: { annotations: {} } },
  ])('adoptChild() touches nothing when the child loses its $what before the look', async ({ change: lost }) => {
    const bench = new LoopBench();
    bench.api.put(Pod, strayPod('a'));
    bench.declare('shelf', { books: [] });
    change(bench, lost);
    expect(await bench.pass('shelf')).toEqual({ next: 'backoff', atLeastMs: 0 });
    expect(verbs(bench)).toEqual(['get', 'get']);
    expect(ownersOf(bench)).toEqual([]);
  });
});
