import { describe, expect, it } from 'vitest';
import type { ApiObject } from '#lib/kube/interface/api.ts';
import { ObjectCache } from '#lib/loop/cache/cache.ts';
import { keyOfObject } from '#lib/loop/cache/objects.ts';
import { type CachedObject, projectionOf } from '#lib/loop/cache/projection/projection.ts';
import { event, filled, key, pod } from '#test/unit/support/cached-pods.ts';

const projectUnlessBare = (object: ApiObject): CachedObject => {
  if (object['status'] === undefined) throw new RangeError('Maximum call stack size exceeded');
  return projectionOf(undefined)(object);
};

describe('ObjectCache.event()', () => {
  it('event() adds, changes and removes, and reports each', () => {
    const { cache, changes } = filled();
    cache.event(event('ADDED', pod(11)));
    cache.event(event('MODIFIED', pod(12, { phase: 'Running' })));
    cache.event(event('DELETED', pod(13, { phase: 'Running' })));
    expect(changes).toEqual(['a: - → Pending', 'a: Pending → Running', 'a: Running → -']);
    expect(cache.size).toBe(0);
  });

  it('event() removes an object when its last state cannot be projected', () => {
    const cache = new ObjectCache({ project: projectUnlessBare, onChange: () => undefined });
    const { status: _, ...last } = pod(12);
    cache.event(event('ADDED', pod(11)));
    expect(cache.size).toBe(1);
    cache.event(event('DELETED', last));
    expect(cache.size).toBe(0);
  });

  it('event() is ignored when it is older than what is held', () => {
    const { cache, changes, version } = filled([pod(9, { phase: 'Running' })]);
    cache.event(event('MODIFIED', pod(8, { phase: 'Pending' })));
    expect({ version: version(), changes }).toEqual({ version: '9', changes: [] });
  });

  it('event() compares versions as numbers of any length', () => {
    const { cache, version } = filled([pod(9)]);
    cache.event(event('MODIFIED', pod(10)));
    expect(version()).toBe('10');
  });

  it('event() notifies no listener when no kept field differs, and holds the new version all the same', () => {
    const { cache, changes, version } = filled([pod(9)]);
    cache.event(event('MODIFIED', pod(11)));
    expect({ version: version(), changes }).toEqual({ version: '11', changes: [] });
  });

  it('event() does not remove an object when a predecessor of the same name is deleted', () => {
    const { cache, changes } = filled([pod(9, { uid: 'new' })]);
    cache.event(event('DELETED', pod(11, { uid: 'old' })));
    expect(cache.get(key)?.metadata.uid).toBe('new');
    expect(changes).toEqual([]);
  });

  it('event() keeps what it holds when a bookmark comes', () => {
    const { cache, changes, version } = filled([pod(9)]);
    cache.event({ type: 'BOOKMARK', resourceVersion: '20' });
    expect({ version: version(), changes }).toEqual({ version: '9', changes: [] });
  });

  it('get() gives frozen objects', () => {
    const { cache } = filled([pod(9)]);
    expect(() => Object.assign(cache.get(key)?.metadata ?? {}, { name: 'b' })).toThrow(TypeError);
  });
});

describe('ObjectCache.overlay()', () => {
  it('overlay() shows our own write at once, and notifies no listener', () => {
    const { cache, changes, version } = filled();
    cache.overlay(pod(12));
    expect({ version: version(), changes }).toEqual({ version: '12', changes: [] });
  });

  it('overlay() is not reported again when the watch delivers the same state', () => {
    const { cache, changes } = filled();
    cache.overlay(pod(12));
    cache.event(event('ADDED', pod(12)));
    expect(changes).toEqual([]);
  });

  it('overlay() stays when the watch delivers what came before it', () => {
    const { cache, version } = filled([pod(9)]);
    cache.overlay(pod(12, { phase: 'Running' }));
    cache.event(event('MODIFIED', pod(11, { phase: 'Failed' })));
    expect(version()).toBe('12');
  });

  it.each([
    { passed: event('DELETED', pod(13)), reason: 'the deletion of the object' },
    { passed: event('ADDED', pod(13, { name: 'other' })), reason: 'something later about another object' },
    { passed: { type: 'BOOKMARK', resourceVersion: '13' } as const, reason: 'a bookmark' },
    { passed: { type: 'BOOKMARK', resourceVersion: '12' } as const, reason: 'a bookmark at the answer itself' },
  ])('overlay() is ignored when the watch has passed it with $reason', ({ passed }) => {
    const { cache } = filled();
    cache.event(passed);
    cache.overlay(pod(12));
    expect(cache.get(key)).toBeUndefined();
  });

  it('overlay() is ignored when a list has passed it', () => {
    const { cache } = filled();
    cache.replace([], '13');
    cache.overlay(pod(12));
    expect(cache.get(key)).toBeUndefined();
  });

  it('overlay() is ignored when a later answer came first', () => {
    const { cache, version } = filled();
    cache.overlay(pod(13));
    cache.overlay(pod(12));
    expect(version()).toBe('13');
  });

  it('overlay() is removed when the watch shows its deletion', () => {
    const { cache, changes } = filled();
    cache.overlay(pod(12));
    cache.event(event('ADDED', pod(12)));
    cache.event(event('DELETED', pod(14)));
    expect(cache.get(key)).toBeUndefined();
    expect(changes).toEqual(['a: Pending → -']);
  });

  it('overlay() does not swallow the deletion of another object that held the name before', () => {
    const { cache, changes } = filled([pod(9, { uid: 'theirs', owner: 'uid-other' })]);
    cache.overlay(pod(12, { uid: 'ours', owner: 'uid-web' }));
    cache.event(event('DELETED', pod(11, { uid: 'theirs', owner: 'uid-other' })));
    expect(changes).toEqual(['a: Pending → -']);
  });
});

describe('ObjectCache.overlayGone()', () => {
  it('overlayGone() removes at once, and notifies no listener', () => {
    const { cache, changes } = filled([pod(9)]);
    cache.overlayGone(key, 'uid-a');
    expect({ size: cache.size, changes }).toEqual({ size: 0, changes: [] });
  });

  it('overlayGone() keeps the object away when the watch is late, until its deletion is delivered', () => {
    const { cache } = filled([pod(9)]);
    cache.overlayGone(key, 'uid-a');
    cache.event(event('MODIFIED', pod(11, { phase: 'Running' })));
    expect(cache.get(key)).toBeUndefined();
    cache.event(event('DELETED', pod(12)));
    expect(cache.get(key)).toBeUndefined();
  });

  it('overlayGone() does not keep a successor of the same name away', () => {
    const { cache } = filled([pod(9)]);
    cache.overlayGone(key, 'uid-a');
    cache.overlay(pod(13, { uid: 'uid-b' }));
    cache.event(event('DELETED', pod(12)));
    expect(cache.get(key)?.metadata.uid).toBe('uid-b');
  });

  it('overlayGone() is ignored when the name has passed to another object', () => {
    const { cache } = filled([pod(9, { uid: 'uid-b' })]);
    cache.overlayGone(key, 'uid-a');
    expect(cache.get(key)?.metadata.uid).toBe('uid-b');
  });

  it('overlayGone() holds when an older list still has the object', () => {
    const { cache } = filled([pod(9)]);
    cache.overlayGone(key, 'uid-a');
    cache.replace([pod(9)], '11');
    expect(cache.get(key)).toBeUndefined();
  });

  it('overlayGone() holds when a list arrives that is older than the object', () => {
    const { cache } = filled();
    cache.overlay(pod(12));
    cache.overlayGone(key, 'uid-a');
    cache.replace([], '11');
    cache.event(event('ADDED', pod(12)));
    expect(cache.get(key)).toBeUndefined();
  });

  it('overlayGone() does not bring back the predecessor of the object when its late events arrive', () => {
    const { cache } = filled([pod(9, { uid: 'theirs' })]);
    cache.overlay(pod(13, { uid: 'ours' }));
    cache.overlayGone(key, 'ours');
    cache.event(event('MODIFIED', pod(11, { uid: 'theirs', phase: 'Running' })));
    expect(cache.get(key)).toBeUndefined();
  });

  it('overlayGone() holds when the answer to an earlier write of ours arrives after it', () => {
    const { cache } = filled([pod(9)]);
    cache.overlayGone(key, 'uid-a');
    cache.overlay(pod(11, { phase: 'Running' }));
    expect(cache.get(key)).toBeUndefined();
  });
});

describe('ObjectCache.replace()', () => {
  it('replace() drops what is missing, takes what is new, and reports both', () => {
    const { cache, changes } = filled([pod(8), pod(9, { name: 'b' })]);
    cache.replace([pod(12, { name: 'b', phase: 'Running' }), pod(13, { name: 'c' })], '15');
    expect([...cache.all()].map(keyOfObject).toSorted()).toEqual(['default/b', 'default/c']);
    expect(changes).toEqual(['a: Pending → -', 'b: Pending → Running', 'c: - → Pending']);
  });

  it('replace() notifies no listener when the list equals the cache', () => {
    const { cache, changes } = filled([pod(8), pod(9, { name: 'b' })]);
    cache.replace([pod(8), pod(9, { name: 'b' })], '15');
    expect(changes).toEqual([]);
  });

  it('replace() keeps our own write when it is newer than the list', () => {
    const { cache, version } = filled();
    cache.overlay(pod(20));
    cache.replace([], '15');
    expect(version()).toBe('20');
  });

  it('replace() keeps the newer state when the list holds an older one', () => {
    const { cache, version } = filled([pod(8)]);
    cache.overlay(pod(20));
    cache.replace([pod(8)], '15');
    expect(version()).toBe('20');
  });

  it('replace() drops our own write when the list is newer and does not hold it', () => {
    const { cache } = filled();
    cache.overlay(pod(12));
    cache.replace([], '15');
    expect(cache.get(key)).toBeUndefined();
  });

  it('replace() believes an older list when the storage of the server was restored', () => {
    const { cache, changes, version } = filled([pod(8), pod(9, { name: 'b' })]);
    cache.event(event('MODIFIED', pod(12, { phase: 'Running' })));
    cache.overlay(pod(13, { name: 'c' }));
    changes.length = 0;
    cache.replace([pod(5)], '6');
    expect([...cache.all()].map(keyOfObject)).toEqual(['default/a']);
    expect(version()).toBe('5');
    expect(changes.toSorted()).toEqual(['a: Running → Pending', 'b: Pending → -', 'c: Pending → -']);
  });

  it('replace() reports both when another object has taken the name', () => {
    const { cache, changes } = filled([pod(8, { uid: 'old', phase: 'Failed' })]);
    cache.replace([pod(12, { uid: 'new' })], '15');
    expect(cache.get(key)?.metadata.uid).toBe('new');
    expect(changes).toEqual(['a: Failed → Pending']);
  });
});
