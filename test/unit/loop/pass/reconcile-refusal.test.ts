import { describe, expect, it } from 'vitest';
import { invalid, invalidValue } from '#lib/apiserver/machinery/field-error.ts';
import type { Refusal } from '#lib/desired/observation.ts';
import { type KindRef, Pod } from '#lib/kind/handles/reference.ts';
import { unseenStatus } from '#lib/kind/schema/unseen-status.ts';
import { LoopBench } from '#test/unit/support/loop-bench.ts';
import { answerOf, tooManyRequests } from '#test/unit/support/server-answers.ts';
import { shelf, shelfThat, strangersPod } from '#test/unit/support/shelf-kind.ts';

const Quota: KindRef = { apiVersion: 'v1', kind: 'ResourceQuota', plural: 'resourcequotas', scope: 'Namespaced' };

/** Writes the number of existing pods into the quota, as the quota controller does. */
const countPods = (bench: LoopBench, hard: object): void =>
  bench.api.editStatus(Quota, 'few-pods', { hard, used: { pods: String(bench.pods().length) } });

/** Sets a quota for `allowed` pods. */
const allowPods = (bench: LoopBench, allowed: number): void => {
  const hard = { pods: String(allowed) };
  const metadata = { name: 'few-pods', namespace: 'default' };
  bench.api.put(Quota, { apiVersion: 'v1', kind: 'ResourceQuota', metadata, spec: { hard } });
  countPods(bench, hard);
};

/** Deletes the quota. */
const liftQuota = (bench: LoopBench): void => bench.api.vanish(Quota, 'few-pods');

/** A shelf that records the refusals that its function gets. */
const watchful = () => {
  const refusals: (readonly Refusal[])[] = [];
  const definition = shelfThat((seen) => {
    refusals.push(seen.refused);
    return shelf.desired(seen);
  });
  return { bench: new LoopBench(definition), refusals };
};

describe('reconcile()', () => {
  it('reconcile() counts a create as done when the name is held by a child of the same resource', async () => {
    const bench = new LoopBench();
    const { uid } = bench.declare('shelf', { books: ['a'] }).metadata;
    const owner = { apiVersion: 'demo.example.com/v1', kind: 'Shelf', name: 'shelf', uid, controller: true };
    bench.api.put(Pod, strangersPod('a', { ownerReferences: [owner] }));
    expect(await bench.pass('shelf')).toEqual({ next: 'again', afterMs: 0 });
    expect(bench.context.children.values().next().value?.size).toBe(1);
    expect(bench.api.requests.map(({ verb }) => verb)).toEqual(['create', 'get']);
  });

  it.each([
    { owners: [], reason: 'no resource' },
    {
      owners: [{ apiVersion: 'demo.example.com/v1', kind: 'Shelf', name: 'shelf', uid: 'older', controller: true }],
      reason: 'an earlier resource of the same name',
    },
    {
      owners: [{ apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'rs', uid: 'uid-rs', controller: true }],
      reason: 'another controller',
    },
  ])('reconcile() is stalled and touches nothing when a name is held by an object of $reason', async ({ owners }) => {
    const bench = new LoopBench();
    const before = bench.api.put(Pod, strangersPod('a', { ownerReferences: owners }));
    bench.declare('shelf', { books: ['a', 'b'] });
    expect(await bench.pass('shelf')).toMatchObject({ next: 'backoff' });
    expect(bench.api.one(Pod, 'a')).toEqual(before);
    expect(bench.podNames()).toEqual(['a', 'b']);
    expect(bench.conditionOf('shelf', 'Stalled')).toMatchObject({ status: 'True', reason: 'NameConflict' });
    expect(bench.conditionOf('shelf', 'Stalled')?.message).toContain('"a"');
    expect(bench.conditionOf('shelf', 'Ready')?.status).toBe('False');
  });

  it('reconcile() goes on when the object that held the name is gone', async () => {
    const bench = new LoopBench();
    bench.api.put(Pod, strangersPod('a'));
    bench.declare('shelf', { books: ['a'] });
    await bench.pass('shelf');
    bench.api.vanish(Pod, 'a');
    await bench.converge('shelf');
    expect(bench.conditionOf('shelf', 'Stalled')?.status).toBe('False');
    expect(bench.conditionOf('shelf', 'Ready')?.status).toBe('True');
  });

  it('reconcile() reports why when a quota refuses a child, and keeps those that were created', async () => {
    const bench = new LoopBench();
    bench.declare('shelf', { books: ['a', 'b', 'c'] });
    allowPods(bench, 2);
    expect(await bench.pass('shelf')).toMatchObject({ next: 'backoff' });
    expect(bench.podNames()).toEqual(['a', 'b']);
    expect(bench.conditionOf('shelf', 'Reconciling')).toMatchObject({ status: 'True', reason: 'QuotaExceeded' });
    expect(bench.conditionOf('shelf', 'Stalled')?.status).toBe('False');
  });

  it('reconcile() writes the status no second time when the same refusal comes again', async () => {
    const bench = new LoopBench();
    bench.declare('shelf', { books: ['a'] });
    allowPods(bench, 0);
    for (let i = 0; i < 5; i += 1) {
      await bench.pass('shelf');
      await bench.timers.advance(10_000);
    }
    expect(bench.api.requests.filter(({ verb }) => verb === 'patchStatus')).toHaveLength(1);
  });

  it('reconcile() repeats nothing of the server’s sentence, which names objects of others', async () => {
    const bench = new LoopBench();
    bench.declare('shelf', { books: ['a'] });
    allowPods(bench, 0);
    await bench.pass('shelf');
    expect(JSON.stringify(bench.statusOf('shelf'))).not.toContain('few-pods');
  });

  it('reconcile() asks with few requests when a quota refuses a thousand', async () => {
    const bench = new LoopBench();
    bench.declare('shelf', { books: Array.from({ length: 1000 }, (_, i) => `book-${i}`) });
    allowPods(bench, 0);
    await bench.pass('shelf');
    expect(bench.api.requests.filter(({ verb }) => verb === 'create').length).toBeLessThanOrEqual(4);
  });

  it('reconcile() shows the function what was refused and how often', async () => {
    const { bench, refusals } = watchful();
    bench.declare('shelf', { books: ['a'] });
    allowPods(bench, 0);
    for (let i = 0; i < 3; i += 1) {
      await bench.pass('shelf');
      await bench.timers.advance(1000);
    }
    const refusal = { verb: 'create', kind: 'Pod', name: 'a', reason: 'QuotaExceeded' };
    const first = { ...refusal, attempts: 1, at: '2026-11-21T09:30:00.000000Z' };
    const second = { ...refusal, attempts: 2, at: '2026-11-21T09:30:01.000000Z' };
    expect(refusals).toEqual([[], [first], [second]]);
  });

  it('reconcile() shows refusals no longer when the write was accepted', async () => {
    const { bench, refusals } = watchful();
    bench.declare('shelf', { books: ['a'] });
    allowPods(bench, 0);
    await bench.pass('shelf');
    liftQuota(bench);
    await bench.converge('shelf');
    expect(refusals.at(-1)).toEqual([]);
  });

  it('reconcile() shows refusals no longer when the write is no longer wanted', async () => {
    const { bench, refusals } = watchful();
    bench.declare('shelf', { books: ['a'] });
    allowPods(bench, 0);
    await bench.pass('shelf');
    bench.edit('shelf', { books: [] });
    bench.catchUp();
    await bench.converge('shelf');
    await bench.pass('shelf');
    expect(refusals.at(-1)).toEqual([]);
  });

  it('reconcile() does not repeat what was refused before its time, whatever events come', async () => {
    const { bench } = watchful();
    bench.declare('shelf', { books: Array.from({ length: 30 }, (_, i) => `book-${i}`) });
    allowPods(bench, 20);
    await bench.pass('shelf');
    const created = () => bench.api.requests.filter(({ verb }) => verb === 'create').length;
    const before = created();
    for (let i = 0; i < 20; i += 1) await bench.pass('shelf');
    expect(created()).toBe(before);
    await bench.timers.advance(60_000);
    await bench.pass('shelf');
    expect(created()).toBeGreaterThan(before);
  });

  it('reconcile() tries at once again when a child is gone, as there may be room', async () => {
    const { bench } = watchful();
    bench.declare('shelf', { books: ['a', 'b', 'c'] });
    allowPods(bench, 2);
    await bench.pass('shelf');
    bench.api.vanish(Pod, 'a');
    countPods(bench, { pods: '2' });
    bench.catchUp();
    await bench.pass('shelf');
    expect(bench.podNames()).toHaveLength(2);
  });

  it('reconcile() tries at once again when the spec was edited', async () => {
    const { bench } = watchful();
    bench.declare('shelf', { books: ['a'] });
    allowPods(bench, 0);
    await bench.pass('shelf');
    liftQuota(bench);
    bench.edit('shelf', { books: ['b'] });
    bench.catchUp();
    await bench.pass('shelf');
    expect(bench.podNames()).toEqual(['b']);
  });

  it('reconcile() inherits nothing from an earlier resource of the same name', async () => {
    const { bench, refusals } = watchful();
    bench.declare('shelf', { books: ['a'] });
    allowPods(bench, 0);
    await bench.pass('shelf');
    bench.api.vanish(bench.kind, 'shelf');
    liftQuota(bench);
    bench.declare('shelf', { books: ['a'] });
    await bench.pass('shelf');
    expect(refusals.at(-1)).toEqual([]);
    expect(bench.podNames()).toEqual(['a']);
  });

  it('reconcile() waits at least as long as the server asks when a write is refused', async () => {
    const bench = new LoopBench();
    bench.declare('shelf', { books: ['a', 'b'] });
    bench.api.refuse = ({ verb, name }) => (verb === 'create' ? tooManyRequests(name === 'a' ? 7 : 2) : undefined);
    expect(await bench.pass('shelf')).toEqual({ next: 'backoff', atLeastMs: 7000, isPaced: true });
  });

  it('reconcile() waits at least as long as the server asks when the status write is refused', async () => {
    const bench = new LoopBench();
    bench.declare('shelf', { books: [] });
    bench.api.refuse = ({ verb }) => (verb === 'patchStatus' ? tooManyRequests(7) : undefined);
    expect(await bench.pass('shelf')).toEqual({ next: 'backoff', atLeastMs: 7000 });
  });

  it.each([
    { error: tooManyRequests(1), reason: 'the server is busy' },
    {
      error: answerOf(
        invalid({ group: 'demo.example.com', kind: 'Shelf', name: 'shelf' }, [
          invalidValue('status.count', 1.5, 'status.count in body must be of type int32: "float64"'),
        ]),
      ),
      reason: 'the status is not valid',
    },
  ])('reconcile() backs off when the status write is refused because $reason', async ({ error }) => {
    const bench = new LoopBench();
    bench.declare('shelf', { books: [] });
    bench.api.refuse = ({ verb }) => (verb === 'patchStatus' ? error : undefined);
    expect(await bench.pass('shelf')).toMatchObject({ next: 'backoff' });
  });

  it('reconcile() looks a resource up whose status was answered 404, and rests when it is gone', async () => {
    const bench = new LoopBench();
    bench.declare('shelf', { books: [] });
    bench.api.vanish(bench.kind, 'shelf');
    expect(await bench.pass('shelf')).toEqual({ next: 'again', afterMs: 0 });
    expect(await bench.pass('shelf')).toEqual({ next: 'rest' });
    expect(bench.api.requests.map(({ verb }) => verb)).toEqual(['patchStatus', 'get']);
  });

  it('reconcile() writes no status over a newer state of the resource, and makes up for it later', async () => {
    const bench = new LoopBench();
    bench.declare('shelf', { books: [] });
    bench.edit('shelf', { books: ['a'] });
    expect(await bench.pass('shelf')).toMatchObject({ next: 'again', afterMs: 0 });
    expect(bench.statusOf('shelf')).toEqual(unseenStatus);
    bench.catchUp();
    await bench.converge('shelf');
    expect(bench.statusOf('shelf')).toMatchObject({ count: 1, observedGeneration: 2 });
  });

  it('reconcile() writes no status of a predecessor into a resource of the same name', async () => {
    const bench = new LoopBench();
    bench.declare('shelf', { books: [] });
    bench.api.vanish(bench.kind, 'shelf');
    const { apiVersion, kind } = bench.kind;
    const metadata = { name: 'shelf', namespace: 'default' };
    bench.api.put(bench.kind, { apiVersion, kind, metadata, spec: { books: [] } });
    await bench.pass('shelf');
    expect(bench.statusOf('shelf')).toEqual({});
  });

  it('reconcile() is well again after the status write went through', async () => {
    const bench = new LoopBench();
    bench.declare('shelf', { books: [] });
    bench.api.refuse = ({ verb }) => (verb === 'patchStatus' ? tooManyRequests(1) : undefined);
    await bench.pass('shelf');
    bench.api.refuse = () => undefined;
    expect(await bench.pass('shelf')).toEqual({ next: 'rest' });
    expect(bench.conditionOf('shelf', 'Ready')?.status).toBe('True');
  });
});
