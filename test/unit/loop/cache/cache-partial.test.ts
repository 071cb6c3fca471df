import { describe, expect, it } from 'vitest';
import { ObjectCache } from '#lib/loop/cache/cache.ts';
import { projectionOf } from '#lib/loop/cache/projection/projection.ts';
import { event, pod } from '#test/unit/support/cached-pods.ts';

/** A cache at version 10 whose watch is filtered by label, or not. */
const cacheOf = (isPartial: boolean) => {
  const changes: string[] = [];
  const cache = new ObjectCache({
    project: projectionOf(['status.phase']),
    isPartial,
    onChange: ({ before, after }) => changes.push(`${after ? '+' : '-'}${(after ?? before)?.metadata.name}`),
  });
  cache.replace([], '10');
  return { cache, changes, names: () => [...cache.all()].map(({ metadata }) => metadata.name) };
};

const passing = [
  { what: 'a bookmark', pass: (cache: ObjectCache) => cache.event({ type: 'BOOKMARK', resourceVersion: '20' }) },
  { what: 'an event of another', pass: (cache: ObjectCache) => cache.event(event('ADDED', pod(20, { name: 'b' }))) },
  { what: 'a list', pass: (cache: ObjectCache) => cache.replace([], '20') },
];

describe('ObjectCache of a watch that is filtered by label', () => {
  it.each(passing)('overlay() is taken back, and reported, when $what has passed it without its echo', ({ pass }) => {
    const { cache, changes, names } = cacheOf(true);
    cache.overlay(pod(15));
    pass(cache);
    expect(names()).not.toContain('a');
    expect(changes).toContain('-a');
  });

  it.each(passing)('overlay() stays when its echo came before $what', ({ pass, what }) => {
    const { cache, names } = cacheOf(true);
    cache.overlay(pod(15));
    cache.event(event('ADDED', pod(15)));
    if (what !== 'a list') pass(cache);
    expect(names()).toContain('a');
  });

  it('overlay() stays as long as the watch lags behind it', () => {
    const { cache, names } = cacheOf(true);
    cache.overlay(pod(15));
    cache.event(event('ADDED', pod(14, { name: 'b' })));
    cache.event({ type: 'BOOKMARK', resourceVersion: '14' });
    expect(names()).toEqual(['a', 'b']);
  });

  it('overlay() stays where the watch is not filtered, as its echo will come', () => {
    const { cache, names } = cacheOf(false);
    cache.overlay(pod(15));
    cache.event({ type: 'BOOKMARK', resourceVersion: '20' });
    expect(names()).toEqual(['a']);
  });
});
