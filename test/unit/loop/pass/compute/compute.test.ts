import { describe, expect, it } from 'vitest';
import { type AnyKindDefinition, defineKind } from '#lib/desired/definition.ts';
import { elsewhere } from '#lib/kind/handles/elsewhere.ts';
import { ConfigMap, Pod } from '#lib/kind/handles/reference.ts';
import type { PassFailure } from '#lib/loop/context/hooks.ts';
import { keyOf } from '#lib/loop/context/key.ts';
import { inspectMemory } from '#lib/loop/context/memory.ts';
import type { DecidedPass } from '#lib/loop/pass/decision.ts';
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

  it('compute() reports an error of several lines in one line', async () => {
    const bench = declared(
      shelfThat(() => {
        throw new Error('no template:\n\tmissing\r\n  try again');
      }),
    );
    expect((await failing(bench)).stalled?.message).toBe('no template: missing try again');
  });

  it('compute() reports all issues of an invalid result in one line, and names the resource with its namespace', async () => {
    const twice = shelfThat((seen) => {
      const answer = shelf.desired(seen);
      return { ...answer, children: [...answer.children, ...answer.children, ...answer.children] };
    });
    const { stalled } = await failing(declared(twice));
    const issue = 'each child is named at most once, and children[0] has the same kind and name';
    expect(stalled?.message).toMatch(
      /^Cannot use the result of desired\(\) returned for Shelf "default\/shelf": children\[1\]: each .*; children\[2\]: each /,
    );
    expect(stalled?.message.split(issue)).toHaveLength(3);
    expect(stalled?.message).not.toContain('\n');
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

  it('compute() gives the repeated call the resource in the same form', async () => {
    const bench = declared(
      shelfThat((seen) => ({
        ...shelf.desired(seen),
        status: { count: 0, note: `${'status' in seen.resource} ${Object.keys(seen.resource).join()}` },
      })),
    );
    Object.assign(bench.context, { checksFunctions: true });
    const { failures } = await failing(bench);
    expect(failures).toEqual([]);
  });

  it('compute() forgets the pins of deleted children', async () => {
    const bench = declared(shelf);
    await bench.converge('shelf');
    const pins = (): unknown => (inspectMemory(bench.context)['default/shelf'] as { readonly pins?: object }).pins;
    expect(Object.keys(pins() ?? {})).toHaveLength(1);
    bench.edit('shelf', { books: ['b'] });
    bench.catchUp();
    await bench.converge('shelf');
    expect(Object.keys(pins() ?? {})).toEqual([bench.api.one(Pod, 'b').metadata.uid]);
  });
});

/** The decisions of one pass over the shelf of a bench. */
const decided = async (bench: LoopBench): Promise<readonly DecidedPass[]> => {
  const decisions: DecidedPass[] = [];
  const context = { ...bench.context, onDecision: (one: DecidedPass) => void decisions.push(one) };
  await reconcile(context, keyOf('default', 'shelf'));
  return decisions;
};

describe('compute() after look-ups', () => {
  it('compute() keeps the queries of a function that fails', async () => {
    const bench = declared(
      defineKind({
        ...shelf,
        reads: [ConfigMap],
        desired: ({ related, outcomes }) => {
          related.get(ConfigMap, 'rules');
          outcomes.http('gate');
          throw new Error('no');
        },
      }),
    );
    const [decision] = await decided(bench);
    expect(decision?.wanted.asked).toMatchObject({
      answers: [{ lookup: { ask: 'get', key: 'default/rules' }, objects: [] }],
      outcomes: [{ effect: 'http', key: 'gate', told: { state: 'none' } }],
    });
  });

  it('compute() names all namespaces when the operator cannot list the objects of all namespaces', async () => {
    const Anywhere = elsewhere(ConfigMap, { namespaces: 'any' });
    const bench = declared(
      defineKind({
        ...shelf,
        reads: [Anywhere],
        desired: (seen) => ({
          ...shelf.desired(seen),
          status: { count: seen.related.list(Anywhere).length },
        }),
      }),
    );
    Object.assign(bench.context, { isObserved: () => false });
    const [decision] = await decided(bench);
    expect(bench.conditionOf('shelf', 'Stalled')).toMatchObject({
      reason: 'UnobservedRead',
      message: expect.stringContaining('cannot list configmaps in all namespaces, which') as unknown,
    });
    expect(decision?.wanted.asked?.answers).toHaveLength(1);
  });
});
