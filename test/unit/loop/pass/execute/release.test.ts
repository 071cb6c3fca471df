import { describe, expect, it } from 'vitest';
import { defineKind } from '#lib/desired/definition.ts';
import { release } from '#lib/desired/result/intent.ts';
import { ApiError } from '#lib/errors.ts';
import { Pod } from '#lib/kind/handles/reference.ts';
import { writeChild } from '#lib/loop/pass/execute/write-child.ts';
import { LoopBench } from '#test/unit/support/loop-bench.ts';
import { connectionLost } from '#test/unit/support/server-answers.ts';
import { bookPod, type ShelfSeen, shelf, strangersPod } from '#test/unit/support/shelf-kind.ts';
import {
  change,
  metadataOf,
  nextStep,
  OURS,
  ownersOf,
  stranger,
  verbs,
  WEARS,
  withAdopted,
  withOrphan,
} from './collector-bench.ts';

describe('releaseChild()', () => {
  it.each<{ reason: string; act: (bench: LoopBench) => void }>([
    { reason: 'gone', act: (bench) => bench.api.vanish(Pod, 'a') },
    { reason: 'released', act: (bench) => change(bench, { ownerReferences: [] }) },
    {
      reason: 'released, and has another owner',
      act: (bench) => change(bench, { ownerReferences: [{ ...stranger, controller: false }] }),
    },
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

  it.each([
    new ApiError('patch pods', { httpStatus: 403, reason: 'Forbidden', message: 'a policy' }),
    connectionLost(),
  ])('releaseChild() rejects without a live get when the patch fails with %s', async (failure) => {
    const bench = await withAdopted();
    change(bench, { labels: {} });
    bench.catchUp();
    const { seen, step } = nextStep(bench);
    bench.api.refuse = ({ verb }) => (verb === 'patch' ? failure : undefined);
    await expect(writeChild(bench.context, seen, step)).rejects.toBe(failure);
    expect(verbs(bench)).toEqual(['patch']);
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
