import { describe, expect, it } from 'vitest';
import type { ApiObject, WatchEvent } from '#lib/kube/api.ts';
import { type CacheChange, ObjectCache } from '#lib/loop/cache.ts';
import { keyOf } from '#lib/loop/key.ts';
import { projectionOf } from '#lib/loop/projection.ts';

interface Traits {
  readonly name?: string;
  readonly uid?: string;
  readonly phase?: string;
  readonly owner?: string;
}

const pod = (
  version: number,
  { name = 'a', uid = `uid-${name}`, phase = 'Pending', owner }: Traits = {},
): ApiObject => {
  const reference = { apiVersion: 'app.example.com/v1alpha1', kind: 'PodSet', name: 'web', controller: true };
  const metadata = {
    name,
    namespace: 'default',
    uid,
    resourceVersion: String(version),
    ...(owner === undefined ? {} : { ownerReferences: [{ ...reference, uid: owner }] }),
  };
  return { apiVersion: 'v1', kind: 'Pod', metadata, status: { phase, podIP: `10.0.0.${version}` } };
};

const event = (type: 'ADDED' | 'MODIFIED' | 'DELETED', object: ApiObject): WatchEvent => ({ type, object });
const key = keyOf('default', 'a');

/** A cache that has listed nothing yet at version 10, and what it told of changes: names and phases. */
const filled = (items: readonly ApiObject[] = []) => {
  const changes: string[] = [];
  const phase = (object: CacheChange['after']): string =>
    object === undefined ? '-' : (object as unknown as { status: { phase: string } }).status.phase;
  const cache = new ObjectCache({
    project: projectionOf(['status.phase']),
    onChange: ({ before, after }) =>
      changes.push(`${(after ?? before)?.metadata.name ?? ''}: ${phase(before)} → ${phase(after)}`),
  });
  cache.replace(items, '10');
  changes.length = 0;
  return { cache, changes, version: () => cache.get(key)?.metadata.resourceVersion };
};

describe('ObjectCache.event()', () => {
  it('event() adds, changes and removes, and tells of each', () => {
    const { cache, changes } = filled();
    cache.event(event('ADDED', pod(11)));
    cache.event(event('MODIFIED', pod(12, { phase: 'Running' })));
    cache.event(event('DELETED', pod(13, { phase: 'Running' })));
    expect(changes).toEqual(['a: - → Pending', 'a: Pending → Running', 'a: Running → -']);
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

  it('event() tells nobody when nothing that is kept differs, and holds the new version all the same', () => {
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
  it('overlay() shows our own write at once, and tells nobody', () => {
    const { cache, changes, version } = filled();
    cache.overlay(pod(12));
    expect({ version: version(), changes }).toEqual({ version: '12', changes: [] });
  });

  it('overlay() is not told of again when the watch delivers the same state', () => {
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

  it('overlay() is removed when the watch tells of its deletion', () => {
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
  it('overlayGone() removes at once, and tells nobody', () => {
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

  it('overlayGone() holds when the answer to an earlier write of ours arrives after it', () => {
    const { cache } = filled([pod(9)]);
    cache.overlayGone(key, 'uid-a');
    cache.overlay(pod(11, { phase: 'Running' }));
    expect(cache.get(key)).toBeUndefined();
  });
});

describe('ObjectCache.replace()', () => {
  it('replace() drops what is missing, takes what is new, and tells of both', () => {
    const { cache, changes } = filled([pod(8), pod(9, { name: 'b' })]);
    cache.replace([pod(12, { name: 'b', phase: 'Running' }), pod(13, { name: 'c' })], '15');
    expect([...cache.keys()].toSorted()).toEqual(['default/b', 'default/c']);
    expect(changes).toEqual(['a: Pending → -', 'b: Pending → Running', 'c: - → Pending']);
  });

  it('replace() tells nobody when the list is what is held', () => {
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
    expect([...cache.keys()]).toEqual(['default/a']);
    expect(version()).toBe('5');
    expect(changes.toSorted()).toEqual(['a: - → Pending', 'a: Running → -', 'b: Pending → -', 'c: Pending → -']);
  });

  it('replace() tells of both when another object has taken the name', () => {
    const { cache, changes } = filled([pod(8, { uid: 'old', phase: 'Failed' })]);
    cache.replace([pod(12, { uid: 'new' })], '15');
    expect(cache.get(key)?.metadata.uid).toBe('new');
    expect(changes).toEqual(['a: Failed → Pending']);
  });
});

describe('ObjectCache.controlledBy()', () => {
  const owned = (version: number, name: string, owner?: string): ApiObject =>
    pod(version, { name, ...(owner === undefined ? {} : { owner }) });
  const namesOf = (cache: ObjectCache, uid: string): string[] =>
    cache.controlledBy('default', uid).map((it) => it.metadata.name);

  it('controlledBy() is sorted by name', () => {
    const { cache } = filled([owned(7, 'c', 'u'), owned(8, 'a', 'u'), owned(9, 'b', 'v')]);
    expect(namesOf(cache, 'u')).toEqual(['a', 'c']);
  });

  it.each([
    { to: 'v', u: [], v: ['a'], reason: 'it has passed to another controller' },
    { to: undefined, u: [], v: [], reason: 'it was released' },
    { to: 'u', u: ['a'], v: [], reason: 'it has stayed' },
  ])('controlledBy() follows an object when $reason', ({ to, u, v }) => {
    const { cache } = filled([owned(9, 'a', 'u')]);
    cache.event(event('MODIFIED', owned(11, 'a', to)));
    expect({ u: namesOf(cache, 'u'), v: namesOf(cache, 'v') }).toEqual({ u, v });
  });

  it('controlledBy() does not count owners that do not control', () => {
    const object = owned(9, 'a');
    const ownerReferences = [{ apiVersion: 'v1', kind: 'Node', name: 'n', uid: 'u' }];
    const { cache } = filled([
      { ...object, metadata: { ...object.metadata, ownerReferences } as ApiObject['metadata'] },
    ]);
    expect(namesOf(cache, 'u')).toEqual([]);
  });

  it('controlledBy() does not count objects of another namespace, where a reference means nothing', () => {
    const object = owned(9, 'a', 'u');
    const { cache } = filled([{ ...object, metadata: { ...object.metadata, namespace: 'other' } }]);
    expect(namesOf(cache, 'u')).toEqual([]);
    expect(cache.controlledBy('other', 'u')).toHaveLength(1);
  });

  it('controlledBy() is empty again when the last object went, by any road', () => {
    const { cache } = filled([owned(7, 'a', 'u'), owned(8, 'b', 'u'), owned(9, 'c', 'u')]);
    cache.event(event('DELETED', owned(11, 'a', 'u')));
    cache.overlayGone(keyOf('default', 'b'), 'uid-b');
    cache.replace([], '12');
    expect(namesOf(cache, 'u')).toEqual([]);
  });
});
