import { describe, expect, it } from 'vitest';
import { ConfigMap, Pod } from '#lib/kind/handles/reference.ts';
import { live, started } from '#test/unit/support/controller-bench.ts';
import { bookConfigMap, librarian } from '#test/unit/support/librarian-kind.ts';
import { LoopBench } from '#test/unit/support/loop-bench.ts';
import { strangersPod } from '#test/unit/support/shelf-kind.ts';

const benchWith = (selector: (shelf: string | undefined) => unknown): LoopBench => {
  const bad = ({ spec }: { readonly spec: { readonly shelf?: string } }) => selector(spec.shelf) as never;
  return new LoopBench({ ...librarian, selector: bad } as typeof librarian);
};

const bad = (answer: () => unknown) => (shelf: string | undefined) =>
  shelf === 'bad' ? answer() : { shelf: shelf ?? '' };

describe('a selector that fails', () => {
  it.each([
    {
      answer: () => {
        throw new RangeError('no such shelf');
      },
      reason: 'DesiredFailed',
      message: 'no such shelf',
    },
    {
      answer: () => {
        // biome-ignore lint/style/useThrowOnlyError: anything can be thrown
        throw undefined;
      },
      reason: 'DesiredFailed',
      message: 'selector() threw undefined',
    },
    {
      answer: () => undefined,
      reason: 'InvalidDesired',
      message: /selector\(\) returned .*must be an object of labels/s,
    },
    { answer: () => ({ shelf: 7 }), reason: 'InvalidDesired', message: /\["shelf"\]: must be text \(value: 7\)/ },
    { answer: async () => ({ shelf: 's' }), reason: 'InvalidDesired', message: /must be an object of labels/ },
  ])('makes its own resource Stalled ($reason), and no other', async ({ answer, reason, message }) => {
    const bench = benchWith(bad(answer));
    started(bench);
    bench.declare('bad', { shelf: 'bad' });
    bench.declare('good', { shelf: 's' });
    bench.api.put(Pod, strangersPod('stray', { labels: { shelf: 's' } }));
    await live(bench, 1000);
    expect(bench.conditionOf('bad', 'Stalled')).toMatchObject({ status: 'True', reason });
    expect(bench.conditionOf('bad', 'Stalled')?.message).toMatch(message);
    expect(bench.statusOf('good')).toMatchObject({ orphans: 'stray' });
  });

  it('is tried again when the resource changes', async () => {
    const bench = benchWith(bad(() => 'nonsense'));
    started(bench);
    bench.declare('a', { shelf: 'bad' });
    await live(bench, 1000);
    bench.edit('a', { shelf: 's' });
    await live(bench, 1000);
    expect(bench.conditionOf('a', 'Stalled')?.status).toBe('False');
  });
});

describe('an empty selector', () => {
  it('selects nothing', async () => {
    const bench = benchWith(() => ({}));
    started(bench);
    bench.api.put(Pod, strangersPod('stray'));
    bench.declare('a', {});
    await live(bench, 1000);
    expect(bench.statusOf('a')).toMatchObject({ orphans: '' });
  });
});

const asksForPods: typeof librarian.desired = (seen) => {
  if (seen.resource.spec.wants === 'pod') seen.related.get(Pod, 'x');
  return librarian.desired(seen);
};

const needsConfigMaps: typeof librarian.desired = (seen) => {
  if (seen.related.list(ConfigMap).length === 0) throw new RangeError('nothing to read');
  return librarian.desired(seen);
};

describe('a look-up of a kind that is not declared', () => {
  it('makes its own resource Stalled, and says what to declare', async () => {
    const bench = new LoopBench({ ...librarian, desired: asksForPods });
    started(bench);
    bench.declare('bad', { wants: 'pod' });
    bench.declare('good', {});
    await live(bench, 1000);
    expect(bench.conditionOf('bad', 'Stalled')).toMatchObject({ status: 'True', reason: 'UndeclaredRead' });
    expect(bench.conditionOf('bad', 'Stalled')?.message).toContain('add Pod to reads of the definition');
    expect(bench.conditionOf('good', 'Ready')?.status).toBe('True');
  });

  it('is remembered up to the error, so that what was found before it wakes the resource', async () => {
    const bench = new LoopBench({ ...librarian, desired: needsConfigMaps });
    started(bench);
    bench.declare('a', {});
    await live(bench, 1000);
    expect(bench.conditionOf('a', 'Stalled')?.message).toBe('nothing to read');
    bench.api.put(ConfigMap, bookConfigMap('guide'));
    bench.catchUp();
    await live(bench, 100);
    expect(bench.conditionOf('a', 'Ready')?.status).toBe('True');
  });
});
