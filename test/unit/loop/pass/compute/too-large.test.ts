import { describe, expect, it } from 'vitest';
import { passClock } from '#lib/desired/clock.ts';
import { ApiError } from '#lib/errors.ts';
import { ConfigMap } from '#lib/kind/handles/reference.ts';
import type { ApiObject } from '#lib/kube/interface/api.ts';
import type { ObjectCache } from '#lib/loop/cache/cache.ts';
import type { CachedObject } from '#lib/loop/cache/projection/projection.ts';
import { type Excess, withStubs } from '#lib/loop/cache/size/stub.ts';
import type { Context } from '#lib/loop/context/context.ts';
import { readWhole, tooLargeState, wholeSeen } from '#lib/loop/pass/compute/too-large.ts';
import type { Snapshot } from '#lib/loop/pass/snapshot.ts';
import { snapshotOf } from '#test/unit/loop/pass/pass-bench.ts';
import { capturedLog } from '#test/unit/support/captured-log.ts';
import { LoopBench } from '#test/unit/support/loop-bench.ts';

const configMap = (metadata: object): ApiObject =>
  ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { uid: 'u', resourceVersion: '1', ...metadata } }) as ApiObject;

const stubOf = (object: ApiObject, excess: Excess): CachedObject =>
  withStubs(
    (whole) => whole,
    () => excess,
  )(object);

const rights = new ApiError('list configmaps', { httpStatus: 403, reason: 'Forbidden', message: 'no right' });

/** Reads the complete object of a stub from an API server with one response. */
const read = async (metadata: object, response: () => readonly ApiObject[]) => {
  const { log, lines } = capturedLog();
  const asked: unknown[] = [];
  const taken: string[] = [];
  const cache = {
    overlay: () => void taken.push('overlay'),
    complete: () => void taken.push('complete'),
  } as unknown as ObjectCache;
  const list = async (_kind: unknown, options: unknown) => {
    asked.push(options);
    return { items: response() };
  };
  const context = { api: { list }, log } as unknown as Context;
  const object = configMap(metadata) as CachedObject;
  const whole = await readWhole(context, cache, { kind: ConfigMap, object });
  return { whole, asked, taken, lines };
};

const home = { namespace: 'default', name: 'big' };
const throwing = (error: Error) => () => {
  throw error;
};

describe('readWhole()', () => {
  it('readWhole() lists the object by its name, and puts it into the cache', async () => {
    const live = configMap(home);
    expect(await read(home, () => [live])).toMatchObject({
      whole: live,
      asked: [{ namespace: 'default', fieldSelector: 'metadata.name=big', limit: 1 }],
      taken: ['overlay', 'complete'],
    });
  });

  it('readWhole() lists a cluster-scoped object without a namespace, and escapes its name', async () => {
    const { asked } = await read({ name: String.raw`a,b=c\d` }, () => []);
    expect(asked).toEqual([{ fieldSelector: String.raw`metadata.name=a\,b\=c\\d`, limit: 1 }]);
  });

  it('readWhole() returns undefined when the object is gone', async () => {
    expect(await read(home, () => [])).toMatchObject({ whole: undefined, taken: [] });
  });

  it.each([
    { why: 'has changed', live: { ...home, resourceVersion: '2' } },
    { why: 'was replaced', live: { ...home, uid: 'other' } },
  ])('readWhole() returns undefined when the object $why, and updates the cache', async ({ live }) => {
    expect(await read(home, () => [configMap(live)])).toMatchObject({ whole: undefined, taken: ['overlay'] });
  });

  it('readWhole() returns undefined and logs the object when the API server refuses the list', async () => {
    const { whole, lines } = await read(home, throwing(rights));
    expect(whole).toBeUndefined();
    expect(lines.map((line) => JSON.parse(line) as unknown)).toMatchObject([
      {
        level: 'info',
        resource: 'configmaps',
        ...home,
        error: { message: rights.message },
        msg: 'cannot read an object that is too large for the cache',
      },
    ]);
  });

  it('readWhole() rejects with an error of the operator itself', async () => {
    await expect(read(home, throwing(new TypeError('a bug')))).rejects.toThrow('a bug');
  });
});

/** The snapshot of a shelf that has one pod. */
const seenShelf = async (): Promise<{ readonly bench: LoopBench; readonly seen: Snapshot }> => {
  const bench = new LoopBench();
  bench.declare('shelf', { books: ['a'] });
  await bench.converge('shelf');
  return { bench, seen: snapshotOf(bench.context, 'shelf') };
};

const limit: Excess = { by: 'limit', limit: 1024 };
const budget = (hasRoom: boolean): Excess => ({ by: 'budget', hasRoom: () => hasRoom });

describe('tooLargeState()', () => {
  it.each([
    { why: 'the resource exceeds its own limit', excess: limit, awaited: undefined },
    { why: 'the memory of the operator has no room', excess: budget(false), awaited: 61_000_000 },
  ])('tooLargeState() requests a pass at $awaited when $why', async ({ excess, awaited }) => {
    const { seen } = await seenShelf();
    const clock = passClock(1_000_000);
    const resource = stubOf(seen.resource as unknown as ApiObject, excess) as unknown as Snapshot['resource'];
    expect(tooLargeState({ ...seen, resource, clock })?.reason).toBe('TooLarge');
    expect(clock.awaited()).toBe(awaited);
  });
});

/** The snapshot with a stub in place of the pod. */
const withStub = (seen: Snapshot, excess: Excess): Snapshot => ({
  ...seen,
  children: seen.children.map((child) => ({ ...child, object: stubOf(child.object as ApiObject, excess) })),
});

describe('wholeSeen()', () => {
  it('wholeSeen() returns the given snapshot when all objects are complete, or there is no room', async () => {
    const { bench, seen } = await seenShelf();
    const crowded = withStub(seen, budget(false));
    expect(await wholeSeen(bench.context, seen)).toBe(seen);
    expect(await wholeSeen(bench.context, crowded)).toBe(crowded);
    expect(await wholeSeen(bench.context, undefined)).toBeUndefined();
  });

  it('wholeSeen() returns another snapshot with the complete child when there is room', async () => {
    const { bench, seen } = await seenShelf();
    const whole = await wholeSeen(bench.context, withStub(seen, budget(true)));
    expect(whole).not.toBe(seen);
    expect((whole as Snapshot).children).toEqual(seen.children);
  });

  it.each([
    { what: 'a child', stubbed: (seen: Snapshot) => withStub(seen, budget(true)) },
    {
      what: 'the resource',
      stubbed: (seen: Snapshot): Snapshot => ({
        ...seen,
        resource: stubOf(seen.resource as unknown as ApiObject, budget(true)) as unknown as Snapshot['resource'],
      }),
    },
  ])('wholeSeen() returns unknown when $what cannot be read', async ({ stubbed }) => {
    const { bench, seen } = await seenShelf();
    bench.api.refuse = ({ verb }) => (verb === 'list' ? rights : undefined);
    expect(await wholeSeen(bench.context, stubbed(seen))).toBe('unknown');
  });

  it('wholeSeen() takes a resource that is not being deleted from the cache', async () => {
    const { bench, seen } = await seenShelf();
    const stub = stubOf(seen.resource as unknown as ApiObject, budget(true)) as unknown as Snapshot['resource'];
    const whole = await wholeSeen(bench.context, { ...seen, resource: stub });
    expect((whole as Snapshot).resource).toBe(bench.context.resources.get(seen.key));
  });
});
