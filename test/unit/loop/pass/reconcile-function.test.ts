import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { adopt, apply, keep, remove } from '#lib/desired/result/intent.ts';
import { ready } from '#lib/desired/result/state.ts';
import { Deployment, Pod } from '#lib/kind/handles/reference.ts';
import type { PassFailure } from '#lib/loop/context/hooks.ts';
import { keyOf } from '#lib/loop/context/key.ts';
import { reconcile } from '#lib/loop/pass/reconcile.ts';
import { capturedLog } from '#test/unit/support/captured-log.ts';
import { LoopBench } from '#test/unit/support/loop-bench.ts';
import { bookPod, type ShelfAnswer, type ShelfSeen, shelf, shelfThat } from '#test/unit/support/shelf-kind.ts';

const fine: ShelfAnswer = { children: [], status: { count: 0 }, state: ready('Fine', 'fine') };

/** A shelf with an existing pod, whose function handles the resource "odd" only. */
const benchWith = async (odd: (seen: ShelfSeen) => ShelfAnswer): Promise<LoopBench> => {
  let isOdd = false;
  const bench = new LoopBench(
    shelfThat((seen) => (isOdd && seen.resource.metadata.name === 'odd' ? odd(seen) : shelf.desired(seen))),
  );
  bench.declare('odd', { books: ['a'] });
  await bench.converge('odd');
  await bench.timers.advance(1000);
  bench.api.requests.length = 0;
  isOdd = true;
  return bench;
};

const verbs = (bench: LoopBench): string[] => bench.api.requests.map(({ verb }) => verb);

interface Bad {
  readonly reason: string;
  readonly code: string;
  readonly odd: (seen: ShelfSeen) => ShelfAnswer;
}

const bad: Bad[] = [
  {
    reason: 'it throws',
    code: 'DesiredFailed',
    odd: () => {
      throw new RangeError('percent is not a number');
    },
  },
  {
    reason: 'it throws a string',
    code: 'DesiredFailed',
    odd: () => {
      // oxlint-disable-next-line typescript/only-throw-error -- people do
      throw 'no';
    },
  },
  {
    reason: 'it changes what it was given',
    code: 'DesiredFailed',
    odd: ({ resource }) => {
      Object.assign(resource.spec, { books: [] });
      return fine;
    },
  },
  {
    reason: 'it asks for children of a kind that it does not own',
    code: 'UndeclaredRead',
    odd: ({ children }) => {
      children.of(Deployment);
      return fine;
    },
  },
  {
    reason: 'it waits for an instant that cannot be read',
    code: 'DesiredFailed',
    odd: ({ clock }) => {
      clock.reached('tomorrow');
      return fine;
    },
  },
  { reason: 'it returns nothing', code: 'InvalidDesired', odd: () => undefined as unknown as ShelfAnswer },
  {
    reason: 'it returns no children',
    code: 'InvalidDesired',
    odd: () => ({ status: fine.status, state: fine.state }) as unknown as ShelfAnswer,
  },
  {
    reason: 'it returns an intent without an object',
    code: 'InvalidDesired',
    odd: () => ({ ...fine, children: [{ verb: 'apply' }] }) as unknown as ShelfAnswer,
  },
  {
    reason: 'it reaches into another namespace',
    code: 'InvalidDesired',
    odd: () => ({ ...fine, children: [apply({ ...bookPod('x'), metadata: { name: 'x', namespace: 'kube-system' } })] }),
  },
  {
    reason: 'it declares a kind that it does not own',
    code: 'InvalidDesired',
    odd: () => ({ ...fine, children: [apply({ apiVersion: 'v1', kind: 'Secret', metadata: { name: 'x' } })] }),
  },
  {
    reason: 'it removes a foreign object',
    code: 'InvalidDesired',
    odd: () => ({
      ...fine,
      children: [remove({ ...bookPod('x'), metadata: { name: 'x', uid: 'uid-of-somebody' } }, 'Why')],
    }),
  },
  {
    reason: 'one of its intents is wrong and the others are not',
    code: 'InvalidDesired',
    odd: () => ({ ...fine, children: [apply(bookPod('good')), apply(bookPod('Not_A_Name'))] }),
  },
  {
    reason: 'it adopts what it was not offered',
    code: 'InvalidDesired',
    odd: () => ({ ...fine, children: [apply(bookPod('good')), adopt(bookPod('x'))] }),
  },
  {
    reason: 'its events are of no known type',
    code: 'InvalidDesired',
    odd: () => ({ ...fine, events: [{ type: 'Odd', reason: 'R', message: 'm' }] }) as never,
  },
  {
    reason: 'it looks up related objects of a kind that it does not read',
    code: 'UndeclaredRead',
    odd: ({ related }) => {
      related.get(Pod, 'x');
      return fine;
    },
  },
];

describe('reconcile()', () => {
  it.each(bad)('reconcile() stalls the resource and touches no child when $reason', async ({ odd, code }) => {
    const bench = await benchWith(odd);
    const before = bench.pods();
    const failures: PassFailure[] = [];
    const context = { ...bench.context, onFailure: (failure: PassFailure): void => void failures.push(failure) };
    expect(await reconcile(context, keyOf('default', 'odd'))).toMatchObject({ next: 'backoff' });
    expect(failures).toMatchObject([{ what: 'desired() of Shelf', key: 'default/odd' }]);
    expect(bench.pods()).toEqual(before);
    expect(verbs(bench)).toEqual(['patchStatus']);
    expect(bench.conditionOf('odd', 'Stalled')?.status).toBe('True');
    expect(bench.conditionOf('odd', 'Ready')?.status).toBe('False');
    expect(bench.conditionOf('odd', 'Stalled')?.reason).toBe(code);
    expect(bench.statusOf('odd')).toMatchObject({ count: 1 });
  });

  // If the loop detected these faults after the first write, it would change children without a report in the status.
  it.each([
    {
      reason: 'a verb does not exist',
      result: ({ children }: ShelfSeen) => {
        const [object] = children.of(Pod);
        return { ...fine, children: [{ verb: 'destroy', object }] };
      },
    },
    { reason: 'there is no state', result: { children: [], status: { count: 0 } } },
    { reason: 'the state is unknown', result: { ...fine, state: { state: 'great', reason: 'R', message: 'm' } } },
    { reason: 'the reason of the state is no string', result: { ...fine, state: { state: 'ready', message: 'm' } } },
    { reason: 'there is no status', result: { children: [], state: fine.state } },
    { reason: 'the status is no object', result: { ...fine, status: 'three' } },
    { reason: 'the conditions are no list', result: { ...fine, conditions: {} } },
    {
      reason: 'a condition takes a type that the library derives',
      result: { ...fine, conditions: [{ type: 'Ready', status: 'True', reason: 'R', message: 'm' }] },
    },
    {
      reason: 'a condition comes twice',
      result: {
        ...fine,
        conditions: [
          { type: 'Available', status: 'True', reason: 'R', message: 'm' },
          { type: 'Available', status: 'False', reason: 'R', message: 'm' },
        ],
      },
    },
  ])('reconcile() stalls the resource and touches no child when $reason', async ({ result }) => {
    const bench = await benchWith((seen) => (typeof result === 'function' ? result(seen) : result) as ShelfAnswer);
    const before = bench.pods();
    await bench.pass('odd').catch(() => undefined);
    expect(bench.pods()).toEqual(before);
    expect(bench.conditionOf('odd', 'Stalled')?.status).toBe('True');
  });

  it('reconcile() stalls the resource when its function throws null and the log is on', async () => {
    const { log } = capturedLog();
    const definition = shelfThat(() => {
      // oxlint-disable-next-line typescript/only-throw-error -- people do
      throw null;
    });
    const bench = new LoopBench(definition, log);
    bench.declare('odd', { books: [] });
    await bench.pass('odd').catch(() => undefined);
    expect(bench.conditionOf('odd', 'Stalled')?.status).toBe('True');
  });

  it('reconcile() stalls the resource and the process goes on when its function is asynchronous and fails', async () => {
    const script = fileURLToPath(new URL('../../support/async-function.ts', import.meta.url));
    const outcome = await promisify(execFile)(process.execPath, [script]).catch((error: Error) => error.message);
    expect(outcome).toMatchObject({ stdout: 'True' });
  });

  it('reconcile() does not hurt a neighbour when a function throws', async () => {
    const bench = await benchWith(() => {
      throw new Error('no');
    });
    bench.declare('sound', { books: ['b'] });
    await bench.pass('odd');
    expect(await bench.converge('sound')).toEqual({ next: 'rest' });
    expect(bench.conditionOf('sound', 'Ready')?.status).toBe('True');
    expect(bench.podNames()).toEqual(['a', 'b']);
  });

  it('reconcile() is well again when the function is', async () => {
    let throws = true;
    const bench = new LoopBench(
      shelfThat((seen) => {
        if (throws) throw new Error('no');
        return shelf.desired(seen);
      }),
    );
    bench.declare('odd', { books: ['a'] });
    await bench.pass('odd');
    throws = false;
    expect(await bench.converge('odd')).toEqual({ next: 'rest' });
    expect(bench.conditionOf('odd', 'Ready')?.status).toBe('True');
    expect(bench.conditionOf('odd', 'Stalled')?.status).toBe('False');
  });

  it('reconcile() cuts the message when a function throws a long one', async () => {
    const bench = await benchWith(() => {
      throw new Error('x'.repeat(100_000));
    });
    await bench.pass('odd');
    expect(bench.conditionOf('odd', 'Stalled')?.message.length).toBeLessThanOrEqual(32_768);
  });

  it('reconcile() prunes a child that the function does not name, and keeps one that it does', async () => {
    const bench = await benchWith(({ children }) => ({ ...fine, children: children.of(Pod).map(keep) }));
    await bench.converge('odd');
    expect(bench.podNames()).toEqual(['a']);
  });

  it('reconcile() prunes nothing when more than ten and more than half would go without consent', async () => {
    const bench = new LoopBench();
    const books = Array.from({ length: 12 }, (_, i) => `book-${i}`);
    bench.declare('shelf', { books });
    await bench.converge('shelf');
    bench.edit('shelf', { books: ['new'] });
    bench.catchUp();
    await bench.converge('shelf');
    expect(bench.podNames()).toEqual(books.toSorted());
    expect(bench.conditionOf('shelf', 'Stalled')).toMatchObject({ status: 'True', reason: 'PruneNeedsConsent' });
  });
});
