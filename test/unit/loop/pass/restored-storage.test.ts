import { describe, expect, it } from 'vitest';
import { ConnectionError } from '#lib/errors.ts';
import { Pod } from '#lib/kind/handles/reference.ts';
import { keyOf } from '#lib/loop/context/key.ts';
import { LoopBench } from '#test/unit/support/loop-bench.ts';

const key = keyOf('default', 'web');

/**
 * A shelf that was filled after a snapshot, and storage restored from this snapshot. The watch delivers no event of the
 * restore.
 */
const world = async () => {
  const bench = new LoopBench();
  bench.declare('web', { books: ['a', 'b'] });
  await bench.converge('web');
  const snapshot = bench.api.snapshot();
  bench.edit('web', { books: ['a', 'b', 'c'] });
  bench.catchUp();
  await bench.converge('web');
  const { context, api } = bench;
  const pods = context.children.get(Pod)!;
  const restore = (): void => {
    api.restoreStorage(snapshot);
    api.requests.length = 0;
  };
  const asked = (): string[] => api.requests.map(({ verb, name }) => `${verb} ${name}`);
  const held = (): unknown => (context.resources.get(key) as unknown as { spec?: { books?: unknown } })?.spec?.books;
  return { bench, api, context, pods, restore, asked, held };
};

describe('reconcile() when storage was restored', () => {
  it('reconcile() believes the live look after a refused status in the same pass, and goes by it', async () => {
    const { bench, pods, restore, asked, held, context } = await world();
    restore();
    // The list of children is current; that of the resource is not.
    context.memory.clear();
    pods.replace([], '1000000');
    context.resources.trust.brokeOff('');
    expect(await bench.pass('web')).toEqual({ next: 'again', afterMs: 0 });
    expect([asked(), held()]).toEqual([['get web'], ['a', 'b']]);
  });

  it('reconcile() creates nothing for a resource whose watch broke off and that is not there any more', async () => {
    const { bench, api, pods, asked, context } = await world();
    api.vanish(bench.kind, 'web');
    api.requests.length = 0;
    pods.replace([], '1000000');
    context.resources.trust.brokeOff('');
    await bench.pass('web');
    expect(await bench.pass('web')).toEqual({ next: 'rest' });
    expect(asked()).toEqual(['get web']);
  });

  it('reconcile() creates nothing when the children that it has created are missing again and the resource is gone', async () => {
    const bench = new LoopBench();
    bench.declare('web', { books: ['a', 'b'] });
    const { api, context } = bench;
    expect(await bench.pass('web')).toEqual({ next: 'again', afterMs: 0 });
    api.vanish(bench.kind, 'web');
    context.children.get(Pod)!.replace([], '1000000');
    api.requests.length = 0;
    expect(await bench.pass('web')).toEqual({ next: 'again', afterMs: 0 });
    expect(api.requests.map(({ verb, name }) => `${verb} ${name}`)).toEqual(['get web']);
    expect(await bench.pass('web')).toEqual({ next: 'rest' });
  });

  it('reconcile() creates nothing for a resource whose watch broke off while the API server does not say whether it is there', async () => {
    const { bench, api, pods, asked, context } = await world();
    api.requests.length = 0;
    pods.replace([], '1000000');
    context.resources.trust.brokeOff('');
    api.refuse = ({ verb }) => (verb === 'get' ? new ConnectionError('away') : undefined);
    expect(await bench.pass('web')).toEqual({ next: 'backoff', atLeastMs: 0 });
    expect(asked()).toEqual(['get web']);
  });

  it('reconcile() reads the resource live once after its watch broke off, and not after an event of it', async () => {
    const { bench, api, asked, context } = await world();
    context.resources.trust.brokeOff('');
    api.vanish(Pod, 'a');
    bench.catchUp();
    await bench.converge('web');
    expect(asked().filter((request) => request.startsWith('get'))).toEqual(['get web']);
    context.resources.trust.brokeOff('');
    bench.edit('web', { books: ['a', 'b', 'd'] });
    bench.catchUp();
    api.requests.length = 0;
    await bench.converge('web');
    expect(asked().filter((request) => request.startsWith('get'))).toEqual([]);
  });

  it('reconcile() decides nothing while what is known is in doubt', async () => {
    const { bench, api, asked } = await world();
    let doubts = true;
    Object.assign(bench.context, { isInDoubt: () => doubts });
    api.vanish(Pod, 'a');
    bench.catchUp();
    api.requests.length = 0;
    expect(await bench.pass('web')).toEqual({ next: 'again', afterMs: 250 });
    expect(asked()).toEqual([]);
    doubts = false;
    await bench.converge('web');
    expect(asked()).toContain('create a');
  });
});

describe('ObjectCache.overlay() when storage was restored', () => {
  it('overlay() shows what was created in storage that has lost versions, and a refused status leads back to what is stored', async () => {
    const { bench, restore, asked, held, context } = await world();
    bench.edit('web', { books: ['a', 'b', 'c', 'd'] });
    bench.catchUp();
    restore();
    context.memory.clear();
    await bench.converge('web');
    expect(held()).toEqual(['a', 'b']);
    expect(asked()).toContain('get web');
  });
});
