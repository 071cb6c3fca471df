import { describe, expect, it } from 'vitest';
import { ready } from '#lib/desired/result/state.ts';
import type { PassFailure } from '#lib/loop/context/hooks.ts';
import { keyOf } from '#lib/loop/context/key.ts';
import { assertPure } from '#lib/loop/pass/compute/purity.ts';
import { reconcile } from '#lib/loop/pass/reconcile.ts';
import { LoopBench } from '#test/unit/support/loop-bench.ts';
import { shelf, shelfThat } from '#test/unit/support/shelf-kind.ts';

const desired = { children: [], status: { count: 1, note: null }, state: ready('Fine', 'fine') };
const rejecting = async (): Promise<never> => Promise.reject(new Error('later'));
const what = 'desired() of Shelf "default/a"';

describe('assertPure()', () => {
  it('assertPure() takes the same in another order, and members without a value, for the same', () => {
    const result = { state: desired.state, status: { count: 1 }, children: [], partial: undefined };
    expect(() => assertPure({ what, desired, again: () => result })).not.toThrow();
  });

  it.for<readonly [string, unknown, string]>([
    ['another value', { ...desired, status: { count: 2 } }, 'status.count: came out differently'],
    [
      'more',
      { ...desired, children: [1] },
      'children[0]: came out differently the second time: first undefined, then 1',
    ],
    ['a label of another value', { ...desired, 'a.b/c': 1 }, '["a.b/c"]: came out differently'],
    ['a list for an object', { ...desired, status: [] }, 'status: came out differently'],
    ['nothing', undefined, '(root): came out differently'],
  ])('assertPure() says where it differs when the second call gives %s', ([, result, words]) => {
    expect(() => assertPure({ what, desired, again: () => result })).toThrow(words);
  });

  it.each([
    { thrown: new RangeError('no'), text: 'no' },
    { thrown: 'a text', text: 'a text' },
  ])('assertPure() names the error "$text" of the second call', ({ thrown, text }) => {
    const again = (): never => {
      throw thrown;
    };
    const error = expect.objectContaining({ cause: thrown, message: expect.stringContaining(what) as string });
    const call = (): void => assertPure({ what, desired, again });
    expect(call).toThrow(error);
    expect(call).toThrow(`threw when it was called again: ${text}`);
    expect(call).toThrow('(root): ');
  });

  it('assertPure() refuses a promise, and handles its rejection', () => {
    expect(() => assertPure({ what, desired, again: rejecting })).toThrow('(root): came out differently');
  });
});

describe('reconcile() that checks functions', () => {
  it('an impure function makes its own resource Stalled, and is reported', async () => {
    let calls = 0;
    const bench = new LoopBench(
      shelfThat((seen) => {
        calls += 1;
        return { ...shelf.desired(seen), state: ready('Fine', `call ${calls}`) };
      }),
    );
    const failures: PassFailure[] = [];
    const onFailure = (failure: PassFailure): void => void failures.push(failure);
    bench.declare('odd', { books: ['a'] });
    await reconcile({ ...bench.context, onFailure, checksFunctions: true }, keyOf('default', 'odd'));
    expect(bench.conditionOf('odd', 'Stalled')).toMatchObject({ status: 'True', reason: 'ImpureFunction' });
    expect(failures).toMatchObject([{ what: 'desired() of Shelf', error: { code: 'ImpureFunction' } }]);
  });
});
