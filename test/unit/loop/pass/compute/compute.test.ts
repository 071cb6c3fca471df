import { describe, expect, it } from 'vitest';
import { type AnyKindDefinition, defineKind } from '#lib/desired/definition.ts';
import type { PassFailure } from '#lib/loop/context/hooks.ts';
import { keyOf } from '#lib/loop/context/key.ts';
import { reconcile } from '#lib/loop/pass/reconcile.ts';
import { discard, standing } from '#test/unit/support/finalized-shelf.ts';
import { LoopBench } from '#test/unit/support/loop-bench.ts';
import { type ShelfAnswer, shelf, shelfThat } from '#test/unit/support/shelf-kind.ts';

/** One pass over the shelf of a bench, with the reported failures and the condition Stalled after the pass. */
const failing = async (bench: LoopBench) => {
  const failures: PassFailure[] = [];
  const counted: string[] = [];
  const metrics = {
    ...bench.context.metrics,
    panicked: () => void counted.push('panicked'),
    failedForGood: () => void counted.push('failedForGood'),
  };
  const context = { ...bench.context, metrics, onFailure: (failure: PassFailure) => void failures.push(failure) };
  await reconcile(context, keyOf('default', 'shelf'));
  return { failures, counted, stalled: bench.conditionOf('shelf', 'Stalled') };
};

const declared = (definition: AnyKindDefinition): LoopBench => {
  const bench = new LoopBench(definition);
  bench.declare('shelf', { books: ['a'] });
  return bench;
};

const selector = (): never => {
  throw new Error('no labels');
};

const rejecting = async (): Promise<never> => Promise.reject(new Error('later'));

describe('compute()', () => {
  it('compute() describes a thrown value that cannot be converted to text', async () => {
    const bench = declared(
      shelfThat(() => {
        // oxlint-disable-next-line typescript/only-throw-error -- a function can throw any value
        throw Object.create(null);
      }),
    );
    const { stalled } = await failing(bench);
    expect(stalled).toMatchObject({ reason: 'DesiredFailed', message: 'something was thrown that is no error' });
  });

  it('compute() reports that finalize() failed for a resource that is being deleted', async () => {
    const bench = await standing(() => {
      throw new Error('no');
    });
    discard(bench);
    const { failures, stalled } = await failing(bench);
    expect(failures).toMatchObject([{ what: 'finalize() of Shelf', key: 'default/shelf' }]);
    expect(stalled?.message).toBe('no');
  });

  it('compute() does not call the function when the selector fails, and reports the selector', async () => {
    let calls = 0;
    const desired = (seen: Parameters<typeof shelf.desired>[0]): ShelfAnswer => {
      calls += 1;
      return shelf.desired(seen);
    };
    const bench = declared(defineKind({ ...shelf, selector, desired }));
    const { failures, stalled } = await failing(bench);
    expect(failures).toMatchObject([{ what: 'selector() of Shelf' }]);
    expect(stalled).toMatchObject({ status: 'True', reason: 'DesiredFailed', message: 'no labels' });
    expect([calls, bench.podNames()]).toEqual([0, []]);
  });

  it('compute() counts a call that throws apart from a result that is invalid, which names its resource', async () => {
    const thrown = await failing(
      declared(
        shelfThat(() => {
          throw new Error('x'.repeat(2000));
        }),
      ),
    );
    expect(thrown.counted).toEqual(['panicked']);
    expect(thrown.stalled?.message).toBe('x'.repeat(1024));
    const invalid = await failing(
      declared(shelfThat((seen) => ({ ...shelf.desired(seen), status: { count: 'two' } as never }))),
    );
    expect(invalid.counted).toEqual(['failedForGood']);
    expect(invalid.stalled).toMatchObject({
      reason: 'InvalidDesired',
      message: expect.stringContaining('Shelf "default/shelf"'),
    });
  });

  it('compute() freezes the result of the function', async () => {
    const results: ShelfAnswer[] = [];
    const bench = declared(
      shelfThat((seen) => {
        const result = shelf.desired(seen);
        results.push(result);
        return result;
      }),
    );
    await bench.converge('shelf');
    expect(results.length).toBeGreaterThan(0);
    for (const { status, children } of results) expect([status, children].every(Object.isFrozen)).toBe(true);
  });

  it('compute() names the function and the resource when two calls have different results', async () => {
    let count = 0;
    const bench = declared(shelfThat((seen) => ({ ...shelf.desired(seen), status: { count: (count += 1) } })));
    Object.assign(bench.context, { checksFunctions: true });
    const { stalled } = await failing(bench);
    expect(stalled?.message).toContain('desired() of Shelf "default/shelf"');
  });

  it('compute() handles the rejection of an asynchronous function', async () => {
    const { stalled } = await failing(declared(shelfThat(() => rejecting() as unknown as ShelfAnswer)));
    // An unhandled rejection would fail the run of the tests.
    expect(stalled).toMatchObject({ status: 'True', reason: 'InvalidDesired' });
  });
});
