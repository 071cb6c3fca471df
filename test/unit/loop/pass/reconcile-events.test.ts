import { describe, expect, it } from 'vitest';
import { progressing, ready, stalled } from '#lib/desired/result/state.ts';
import { Pod } from '#lib/kind/handles/reference.ts';
import { refusal } from '#test/unit/support/event-server.ts';
import { LoopBench } from '#test/unit/support/loop-bench.ts';
import { shelfThat, strangersPod } from '#test/unit/support/shelf-kind.ts';

const storyOf = ({ events }: LoopBench): string[] =>
  events.map(({ type, reason, message }) => `${type} ${reason} ${message}`);

const filled = async (): Promise<LoopBench> => {
  const bench = new LoopBench();
  bench.declare('novels', { books: ['a', 'b'] });
  await bench.converge('novels');
  return bench;
};

describe('reconcile()', () => {
  it('records what it created and that the resource is ready', async () => {
    const bench = await filled();
    expect(storyOf(bench)).toEqual(['Normal SuccessfulCreate Created pods a, b', 'Normal Complete 2 books']);
    const { uid } = bench.api.one(bench.kind, 'novels').metadata;
    expect(bench.events[0]?.regarding).toEqual({
      apiVersion: 'demo.example.com/v1',
      kind: 'Shelf',
      namespace: 'default',
      name: 'novels',
      uid,
    });
  });

  it('records nothing when nothing is written', async () => {
    const bench = await filled();
    bench.events.length = 0;
    await bench.pass('novels');
    expect(storyOf(bench)).toEqual([]);
  });

  it('records the events of the function when its status is written, and not again', async () => {
    const chatty = shelfThat(({ resource }) => ({
      children: [],
      status: { count: resource.spec.books.length },
      state: progressing('Filling', 'slowly'),
      events: [{ type: 'Warning', reason: 'Dusty', message: 'nobody reads' }],
    }));
    const bench = new LoopBench(chatty);
    bench.declare('novels', { books: [] });
    await bench.converge('novels');
    await bench.pass('novels');
    expect(storyOf(bench)).toEqual(['Warning Dusty nobody reads']);
  });

  it('records that a resource is ready in the words of its function when that has the same word for it', async () => {
    const own = shelfThat(() => ({
      children: [],
      status: { count: 0 },
      state: ready('Complete', 'all'),
      events: [{ type: 'Normal', reason: 'Complete', message: 'at last' }],
    }));
    const bench = new LoopBench(own);
    bench.declare('novels', { books: [] });
    await bench.converge('novels');
    expect(storyOf(bench)).toEqual(['Normal Complete at last']);
  });

  it('records why a resource got stuck, once for each reason', async () => {
    const stuck = shelfThat(({ resource }) => ({
      children: [],
      status: { count: resource.spec.books.length },
      state: stalled(resource.spec.books.length > 1 ? 'TooMany' : 'TooFew', 'of them'),
    }));
    const bench = new LoopBench(stuck);
    for (const books of [[], ['a'], ['a', 'b']]) {
      if (books.length === 0) bench.declare('novels', { books });
      else bench.edit('novels', { books });
      bench.catchUp();
      await bench.converge('novels');
      await bench.timers.advance(1000);
    }
    expect(storyOf(bench)).toEqual(['Warning TooFew of them', 'Warning TooMany of them']);
  });

  it('records the same words at every attempt when children are refused, and then what became of it', async () => {
    const bench = new LoopBench();
    bench.api.refuse = ({ verb }) => (verb === 'create' ? refusal(503, 'ServiceUnavailable') : undefined);
    bench.declare('novels', { books: ['a'] });
    for (let attempt = 0; attempt < 3; attempt += 1) {
      await bench.converge('novels');
      await bench.timers.advance(10_000);
    }
    expect([...new Set(storyOf(bench))]).toEqual([
      'Warning FailedCreate Cannot create pods: the API server is busy or cannot be reached',
    ]);
    bench.api.refuse = () => undefined;
    bench.events.length = 0;
    await bench.converge('novels');
    expect(storyOf(bench)).toEqual(['Normal SuccessfulCreate Created pod a', 'Normal Complete 1 books']);
  });

  it('records a name that is taken once, although the resource stalls as well', async () => {
    const bench = new LoopBench();
    bench.api.put(Pod, strangersPod('a'));
    bench.declare('novels', { books: ['a'] });
    await bench.converge('novels');
    expect(storyOf(bench)).toEqual(['Warning FailedCreate Cannot create pod a: another object has this name']);
  });
});
