import { describe, expect, it } from 'vitest';
import { apply, keep } from '#lib/desired/result/intent.ts';
import { ConfigMap, Pod } from '#lib/kind/handles/reference.ts';
import { live } from '#test/unit/support/controller-bench.ts';
import type { LoopBench } from '#test/unit/support/loop-bench.ts';
import { bookPod, strangersPod } from '#test/unit/support/shelf-kind.ts';
import { answering, counter, type DiaryFunction, page, standing, ticking } from './diary-bench.ts';

const writesOf = (bench: LoopBench): number => bench.api.writes.filter(({ verb }) => verb !== 'patchStatus').length;

describe('pauseOf()', () => {
  it.each<{ what: string; desired: () => DiaryFunction; names: string }>([
    { what: 'a counter', desired: ticking, names: 'ConfigMap "page": data.at' },
    {
      what: 'the current time',
      desired:
        () =>
        ({ clock }) =>
          answering([page({ at: clock.now() })]),
      names: 'ConfigMap "page": data.at',
    },
    {
      what: 'a random name',
      desired: () => {
        const next = counter();
        return () => answering([page({}, `page-${next()}`)]);
      },
      names: 'ConfigMap: created and deleted in turn',
    },
    {
      what: 'what it took away itself',
      desired:
        () =>
        ({ children }) =>
          answering(children.of(ConfigMap).length === 0 ? [page({})] : []),
      names: 'ConfigMap: created and deleted in turn',
    },
    {
      what: 'what it took away itself, and the delay begins with a create',
      desired: () => {
        const next = counter();
        return ({ children }) => {
          const call = next();
          return answering(call === '2' || children.of(ConfigMap).length === 0 ? [page({ call })] : []);
        };
      },
      names: 'ConfigMap: created and deleted in turn',
    },
  ])(
    'pauseOf() lets a function rest ever longer that wants $what in a child, and names it',
    async ({ desired, names }) => {
      const bench = await standing(desired());
      expect(writesOf(bench)).toBeLessThan(30);
      const message = expect.stringContaining(`(${names})`) as unknown;
      expect(bench.conditionOf('diary', 'Stalled')).toMatchObject({ status: 'True', reason: 'NeverSettles', message });
      const before = writesOf(bench);
      await live(bench, 60_000);
      expect(writesOf(bench) - before).toBeLessThanOrEqual(4);
    },
  );

  it('pauseOf() lets a function rest that looks its own children up', async () => {
    const next = counter();
    const desired: DiaryFunction = ({ related }) =>
      answering([page({ at: next(), pages: String(related.list(ConfigMap).length) })]);
    const bench = await standing(desired, { reads: [Pod, ConfigMap] });
    expect(writesOf(bench)).toBeLessThan(30);
    expect(bench.conditionOf('diary', 'Stalled')).toMatchObject({ status: 'True', reason: 'NeverSettles' });
  });

  it('pauseOf() bounds a function that wants one more child at every call', async () => {
    const next = counter();
    const bench = await standing(({ children }) =>
      answering([...children.of(ConfigMap).map(keep), page({}, `page-${next()}`)]),
    );
    expect(writesOf(bench)).toBeLessThan(120);
    const message = expect.stringContaining('(ConfigMap: another one each time)') as unknown;
    expect(bench.conditionOf('diary', 'Stalled')).toMatchObject({ reason: 'NeverSettles', message });
  });

  it('pauseOf() lets a change of the spec through at once', async () => {
    const bench = await standing(ticking());
    bench.edit('diary', { title: 'new' });
    bench.catchUp();
    await bench.timers.advance(5);
    expect(bench.api.one(ConfigMap, 'page')['data']).toMatchObject({ title: 'new' });
  });

  it('pauseOf() does not delay a correction of a foreign change', async () => {
    const bench = await standing(ticking());
    bench.api.edit(ConfigMap, 'page', (it) => ({ ...it, data: { at: 'theirs', title: 'theirs' } }));
    bench.catchUp();
    await bench.timers.advance(5);
    expect(bench.api.one(ConfigMap, 'page')['data']).toMatchObject({ title: '' });
  });

  it('pauseOf() answers each change of a look-up with one write, however restless the function is', async () => {
    const next = counter();
    const bench = await standing(({ related }) =>
      answering([page({ at: next(), pods: String(related.list(Pod).length) })]),
    );
    const before = writesOf(bench);
    for (const name of ['a', 'b', 'c']) {
      bench.api.put(Pod, strangersPod(name));
      bench.catchUp();
      await bench.timers.advance(5);
    }
    expect(bench.api.one(ConfigMap, 'page')['data']).toMatchObject({ pods: '3' });
    expect(writesOf(bench) - before).toBe(3);
  });

  it('pauseOf() lets a function go through steps of its own, and a set grow one by one', async () => {
    const bench = await standing(
      ({ children }) => {
        const count = Math.min(40, children.of(Pod).length + 1);
        return answering(Array.from({ length: count }, (_, index) => apply(bookPod(`book-${index}`))));
      },
      { ms: 100 },
    );
    expect(bench.podNames()).toHaveLength(40);
    expect(bench.conditionOf('diary', 'Ready')?.status).toBe('True');
  });

  it('pauseOf() says nothing any more when the function has settled', async () => {
    const next = counter();
    const desired: DiaryFunction = ({ resource }) =>
      answering([page({ at: resource.spec.title === 'calm' ? 'ever' : next() })]);
    const bench = await standing(desired);
    bench.edit('diary', { title: 'calm' });
    await live(bench, 1000);
    expect(bench.conditionOf('diary', 'Ready')?.status).toBe('True');
    const before = writesOf(bench);
    await live(bench, 600_000);
    expect(writesOf(bench)).toBe(before);
  });
});
