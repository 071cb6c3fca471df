import { describe, expect, it } from 'vitest';
import type { Refusal } from '#lib/desired/observation.ts';
import { Pod } from '#lib/kind/reference.ts';
import { LoopBench } from '#test/unit/support/loop-bench.ts';
import { quotaExceeded, statusAnswer, tooManyRequests } from '#test/unit/support/server-answers.ts';
import { shelf, shelfThat } from '#test/unit/support/shelf-kind.ts';

const foreign = (name: string) => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, namespace: 'default' },
  spec: {},
});

/** A quota that allows so many pods. */
const quota =
  (bench: LoopBench, allowed: number) =>
  ({ verb, name }: { readonly verb: string; readonly name: string }) =>
    verb === 'create' && bench.pods().length >= allowed ? quotaExceeded(name) : undefined;

/** A shelf that remembers what its function was told of refusals. */
const watchful = () => {
  const told: (readonly Refusal[])[] = [];
  const definition = shelfThat((seen) => {
    told.push(seen.refused);
    return shelf.desired(seen);
  });
  return { bench: new LoopBench(definition), told };
};

describe('reconcile()', () => {
  it('reconcile() counts a create as done when the name is held by a child of the same resource', async () => {
    const bench = new LoopBench();
    const { uid } = bench.declare('shelf', { books: ['a'] }).metadata;
    const owner = { apiVersion: 'demo.example.com/v1', kind: 'Shelf', name: 'shelf', uid, controller: true };
    bench.api.put(Pod, { ...foreign('a'), metadata: { ...foreign('a').metadata, ownerReferences: [owner] } });
    expect(await bench.pass('shelf')).toEqual({ next: 'again', afterMs: 0 });
    expect(await bench.pass('shelf')).toEqual({ next: 'rest' });
    expect(bench.statusOf('shelf')).toMatchObject({ count: 1 });
    expect(bench.conditionOf('shelf', 'Ready')?.status).toBe('True');
  });

  it.each([
    { owners: [], reason: 'nobody' },
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
    const theirs = { ...foreign('a'), metadata: { ...foreign('a').metadata, ownerReferences: owners } };
    const before = bench.api.put(Pod, theirs);
    bench.declare('shelf', { books: ['a', 'b'] });
    expect(await bench.pass('shelf')).toMatchObject({ next: 'back-off' });
    expect(bench.api.one(Pod, 'a')).toEqual(before);
    expect(bench.podNames()).toEqual(['a', 'b']);
    expect(bench.conditionOf('shelf', 'Stalled')).toMatchObject({ status: 'True', reason: 'NameConflict' });
    expect(bench.conditionOf('shelf', 'Stalled')?.message).toContain('"a"');
    expect(bench.conditionOf('shelf', 'Ready')?.status).toBe('False');
  });

  it('reconcile() goes on when the object that held the name is gone', async () => {
    const bench = new LoopBench();
    bench.api.put(Pod, foreign('a'));
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
    bench.api.refuse = quota(bench, 2);
    expect(await bench.pass('shelf')).toEqual({ next: 'back-off', atLeastMs: 0 });
    expect(bench.podNames()).toEqual(['a', 'b']);
    expect(bench.conditionOf('shelf', 'Reconciling')).toMatchObject({ status: 'True', reason: 'QuotaExceeded' });
    expect(bench.conditionOf('shelf', 'Stalled')?.status).toBe('False');
  });

  it('reconcile() writes the status no second time when the same refusal comes again', async () => {
    const bench = new LoopBench();
    bench.declare('shelf', { books: ['a'] });
    bench.api.refuse = quota(bench, 0);
    for (let i = 0; i < 5; i += 1) {
      await bench.pass('shelf');
      await bench.timers.advance(10_000);
    }
    expect(bench.api.requests.filter(({ verb }) => verb === 'patchStatus')).toHaveLength(1);
  });

  it('reconcile() repeats nothing of the server’s sentence, which names objects of others', async () => {
    const bench = new LoopBench();
    bench.declare('shelf', { books: ['a'] });
    bench.api.refuse = quota(bench, 0);
    await bench.pass('shelf');
    expect(JSON.stringify(bench.statusOf('shelf'))).not.toContain('few-pods');
  });

  it('reconcile() asks with few requests when a quota refuses a thousand', async () => {
    const bench = new LoopBench();
    bench.declare('shelf', { books: Array.from({ length: 1000 }, (_, i) => `book-${i}`) });
    bench.api.refuse = quota(bench, 0);
    await bench.pass('shelf');
    expect(bench.api.requests.filter(({ verb }) => verb === 'create').length).toBeLessThanOrEqual(4);
  });

  it('reconcile() shows the function what was refused and how often', async () => {
    const { bench, told } = watchful();
    bench.declare('shelf', { books: ['a'] });
    bench.api.refuse = quota(bench, 0);
    for (let i = 0; i < 3; i += 1) await bench.pass('shelf');
    const refusal = {
      verb: 'create',
      kind: 'Pod',
      name: 'a',
      reason: 'QuotaExceeded',
      at: '2026-11-21T09:30:00.000000Z',
    };
    expect(told).toEqual([[], [{ ...refusal, attempts: 1 }], [{ ...refusal, attempts: 2 }]]);
  });

  it('reconcile() shows refusals no longer when the write was accepted', async () => {
    const { bench, told } = watchful();
    bench.declare('shelf', { books: ['a'] });
    bench.api.refuse = quota(bench, 0);
    await bench.pass('shelf');
    bench.api.refuse = () => undefined;
    await bench.converge('shelf');
    expect(told.at(-1)).toEqual([]);
  });

  it('reconcile() shows refusals no longer when the write is no longer wanted', async () => {
    const { bench, told } = watchful();
    bench.declare('shelf', { books: ['a'] });
    bench.api.refuse = quota(bench, 0);
    await bench.pass('shelf');
    bench.edit('shelf', { books: [] });
    bench.catchUp();
    await bench.converge('shelf');
    await bench.pass('shelf');
    expect(told.at(-1)).toEqual([]);
  });

  it('reconcile() remembers refusals when slow start did not come to them again', async () => {
    const { bench, told } = watchful();
    const books = Array.from({ length: 6 }, (_, i) => `book-${i}`);
    bench.declare('shelf', { books });
    bench.api.refuse = ({ verb, name }) => (verb === 'create' && name >= 'book-4' ? quotaExceeded(name) : undefined);
    await bench.pass('shelf');
    for (const name of ['book-0', 'book-1', 'book-2', 'book-3']) bench.api.vanish(Pod, name);
    bench.catchUp();
    bench.api.refuse = quota(bench, 0);
    await bench.pass('shelf');
    await bench.pass('shelf');
    expect(told.at(-1)?.map(({ name, attempts }) => `${name} ${attempts}`)).toEqual([
      'book-0 1',
      'book-1 1',
      'book-2 1',
      'book-3 1',
      'book-4 1',
      'book-5 1',
    ]);
  });

  it('reconcile() waits at least as long as the server asks when a write is refused', async () => {
    const bench = new LoopBench();
    bench.declare('shelf', { books: ['a', 'b'] });
    bench.api.refuse = ({ verb, name }) => (verb === 'create' ? tooManyRequests(name === 'a' ? 7 : 2) : undefined);
    expect(await bench.pass('shelf')).toEqual({ next: 'back-off', atLeastMs: 7000 });
  });

  // DEFECT: the Retry-After of a refused status write is not taken over (reference: "jittered retry honouring Retry-After").
  it('reconcile() waits at least as long as the server asks when the status write is refused', async () => {
    const bench = new LoopBench();
    bench.declare('shelf', { books: [] });
    bench.api.refuse = ({ verb }) => (verb === 'patchStatus' ? tooManyRequests(7) : undefined);
    expect(await bench.pass('shelf')).toEqual({ next: 'back-off', atLeastMs: 7000 });
  });

  it.each([
    { error: tooManyRequests(1), expected: 'back-off', reason: 'the server is busy' },
    {
      error: statusAnswer({
        code: 422,
        reason: 'Invalid',
        message: 'Shelf "shelf" is invalid: status.count: Invalid value',
      }),
      expected: 'back-off',
      reason: 'the status is not valid',
    },
    {
      error: statusAnswer({ code: 404, reason: 'NotFound', message: 'shelves "shelf" not found' }),
      expected: 'rest',
      reason: 'the resource is gone: its own event follows',
    },
  ])(
    'reconcile() ends with $expected when the status write is refused because $reason',
    async ({ error, expected }) => {
      const bench = new LoopBench();
      bench.declare('shelf', { books: [] });
      bench.api.refuse = ({ verb }) => (verb === 'patchStatus' ? error : undefined);
      expect(await bench.pass('shelf')).toMatchObject({ next: expected });
    },
  );

  it('reconcile() writes no status over a newer state of the resource, and makes up for it later', async () => {
    const bench = new LoopBench();
    bench.declare('shelf', { books: [] });
    bench.edit('shelf', { books: ['a'] });
    expect(await bench.pass('shelf')).toMatchObject({ next: 'back-off' });
    expect(bench.statusOf('shelf')).toEqual({});
    bench.catchUp();
    await bench.converge('shelf');
    expect(bench.statusOf('shelf')).toMatchObject({ count: 1, observedGeneration: 2 });
  });

  it('reconcile() writes no status of a predecessor into a resource of the same name', async () => {
    const bench = new LoopBench();
    bench.declare('shelf', { books: [] });
    bench.api.vanish(bench.kind, 'shelf');
    const { apiVersion, kind } = bench.kind;
    bench.api.put(bench.kind, {
      apiVersion,
      kind,
      metadata: { name: 'shelf', namespace: 'default' },
      spec: { books: [] },
    });
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
