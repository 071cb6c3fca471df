import { describe, expect, it } from 'vitest';
import { apply } from '#lib/desired/result/intent.ts';
import { ConfigMap, Pod } from '#lib/kind/handles/reference.ts';
import { bookConfigMap, librarian } from '#test/unit/support/librarian-kind.ts';
import { LoopBench } from '#test/unit/support/loop-bench.ts';
import { quotaExceeded } from '#test/unit/support/server-answers.ts';
import { type ShelfSeen, shelf, strangersPod } from '#test/unit/support/shelf-kind.ts';

/** A shelf at rest, with one book, and the number of calls of its function since. */
const atRest = async (ask: (seen: ShelfSeen) => void = () => undefined) => {
  let calls = 0;
  const desired: typeof shelf.desired = (seen) => {
    calls += 1;
    ask(seen);
    return shelf.desired(seen);
  };
  const bench = new LoopBench({ ...shelf, desired });
  bench.declare('shelf', { books: ['a'] });
  for (let passes = 0; passes < 5; passes += 1) {
    await bench.pass('shelf');
    bench.catchUp();
    await bench.timers.advance(300);
  }
  calls = 0;
  const callsOfPass = async (): Promise<number> => {
    calls = 0;
    await bench.pass('shelf');
    return calls;
  };
  return { bench, callsOfPass };
};

const minuteLater = (bench: LoopBench): string => new Date(bench.timers.trueNow + 60_000).toISOString();

describe('compute()', () => {
  it('compute() does not call the function again when nothing is another one', async () => {
    const { bench, callsOfPass } = await atRest();
    expect(await callsOfPass()).toBe(0);
    expect(await callsOfPass()).toBe(0);
    expect(bench.podNames()).toEqual(['a']);
  });

  it('compute() calls the function when the resource changed', async () => {
    const { bench, callsOfPass } = await atRest();
    bench.edit('shelf', { books: ['a', 'b'] });
    bench.catchUp();
    expect(await callsOfPass()).toBe(1);
    expect(bench.podNames()).toEqual(['a', 'b']);
  });

  it.each([
    { what: 'changed', act: (bench: LoopBench) => bench.api.editStatus(Pod, 'a', { phase: 'Running' }) },
    { what: 'vanished', act: (bench: LoopBench) => bench.api.vanish(Pod, 'a') },
  ])('compute() calls the function when a child $what', async ({ act }) => {
    const { bench, callsOfPass } = await atRest();
    act(bench);
    bench.catchUp();
    expect(await callsOfPass()).toBe(1);
    bench.catchUp();
    expect(bench.podNames()).toEqual(['a']);
  });

  it('compute() does not call the function when a child changed that it does not read', async () => {
    const { bench, callsOfPass } = await atRest();
    bench.api.editStatus(Pod, 'a', { podIP: '10.0.0.9' });
    bench.catchUp();
    expect(await callsOfPass()).toBe(0);
  });

  it('compute() calls the function at the instant that it awaits, not before, and goes on waiting for it', async () => {
    let at = '';
    const { bench, callsOfPass } = await atRest(({ clock }) => void (at && clock.reached(at)));
    at = minuteLater(bench);
    bench.edit('shelf', { books: ['a', 'b'] });
    bench.catchUp();
    await bench.pass('shelf');
    bench.catchUp();
    await bench.timers.advance(300);
    await bench.pass('shelf');
    const result = await bench.pass('shelf');
    expect(result).toMatchObject({ next: 'again' });
    expect(await callsOfPass()).toBe(0);
    expect(await bench.pass('shelf')).toEqual(result);
    await bench.timers.advance(60_000);
    expect(await callsOfPass()).toBe(1);
  });

  it('compute() calls the function every time when it reads the current instant', async () => {
    const { callsOfPass } = await atRest(({ clock }) => void clock.now());
    expect([await callsOfPass(), await callsOfPass()]).toEqual([1, 1]);
  });

  it('compute() calls the function when something was refused, and when it is refused no more', async () => {
    const seen: number[] = [];
    const { bench } = await atRest(({ refused }) => void seen.push(refused.length));
    bench.api.refuse = ({ verb, name }) => (verb === 'create' && name === 'b' ? quotaExceeded(name) : undefined);
    bench.edit('shelf', { books: ['a', 'b'] });
    bench.catchUp();
    await bench.pass('shelf');
    await bench.pass('shelf');
    expect(seen.at(-1)).toBe(1);
    bench.api.refuse = () => undefined;
    await bench.timers.advance(600_000);
    await bench.converge('shelf');
    expect([seen.at(-1), bench.podNames()]).toEqual([0, ['a', 'b']]);
  });

  it('compute() calls a function again that threw', async () => {
    let broken = true;
    const { bench, callsOfPass } = await atRest();
    const desired: typeof shelf.desired = (seen) => {
      if (broken) throw new RangeError('broken');
      return shelf.desired(seen);
    };
    const other = new LoopBench({ ...shelf, desired });
    other.declare('shelf', { books: ['a'] });
    await other.pass('shelf');
    broken = false;
    await other.pass('shelf');
    expect(other.podNames()).toEqual(['a']);
    expect(await callsOfPass()).toBe(0);
    expect(bench.podNames()).toEqual(['a']);
  });

  it('compute() repairs a child although the function is not called again', async () => {
    const config = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, data: { text: 'ours' } };
    let calls = 0;
    const narrow = { ...ConfigMap, fields: ['metadata'] };
    const desired: typeof shelf.desired = () => {
      calls += 1;
      return { children: [apply(config)], status: { count: 1 }, state: { state: 'ready', reason: 'R', message: 'm' } };
    };
    const bench = new LoopBench({ ...shelf, owns: [narrow], desired });
    bench.declare('shelf', { books: [] });
    await bench.converge('shelf');
    await bench.pass('shelf');
    calls = 0;
    bench.api.edit(ConfigMap, 'a', (object) => ({ ...object, data: { text: 'theirs' } }));
    bench.catchUp();
    await bench.converge('shelf');
    expect(bench.api.one(ConfigMap, 'a')['data']).toEqual({ text: 'ours' });
    expect(calls).toBeLessThanOrEqual(1);
  });
});

/** A librarian at rest. */
const library = async () => {
  let calls = 0;
  const desired: typeof librarian.desired = (seen) => {
    calls += 1;
    return librarian.desired(seen);
  };
  const bench = new LoopBench({ ...librarian, desired });
  bench.declare('ada', { wants: 'guide', tier: 'x', shelf: 's' });
  await bench.converge('ada');
  await bench.pass('ada');
  const callsAfter = async (act: () => void): Promise<number> => {
    act();
    bench.catchUp();
    calls = 0;
    await bench.pass('ada');
    return calls;
  };
  return { bench, callsAfter };
};

describe('compute(), look-ups', () => {
  it.each([
    { what: 'nothing happened', act: () => undefined, expected: 0 },
    {
      what: 'what it looked up appeared',
      act: (b: LoopBench) => b.api.put(ConfigMap, bookConfigMap('guide')),
      expected: 1,
    },
    {
      what: 'a list has another member',
      act: (b: LoopBench) => b.api.put(ConfigMap, bookConfigMap('one', { labels: { tier: 'x' } })),
      expected: 1,
    },
    {
      what: 'something else changed',
      act: (b: LoopBench) => b.api.put(ConfigMap, bookConfigMap('other')),
      expected: 0,
    },
    {
      what: 'an orphan appeared',
      act: (b: LoopBench) => b.api.put(Pod, strangersPod('stray', { labels: { shelf: 's' } })),
      expected: 1,
    },
  ])('compute() calls the function $expected times when $what', async ({ act, expected }) => {
    const { bench, callsAfter } = await library();
    expect(await callsAfter(() => void act(bench))).toBe(expected);
  });
});
