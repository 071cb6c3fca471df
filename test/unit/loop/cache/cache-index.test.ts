import { describe, expect, it } from 'vitest';
import type { ApiObject } from '#lib/kube/interface/api.ts';
import type { ObjectCache } from '#lib/loop/cache/cache.ts';
import { keyOf } from '#lib/loop/context/key.ts';
import { event, filled, pod } from '#test/unit/support/cached-pods.ts';

const owned = (version: number, name: string, owner?: string): ApiObject =>
  pod(version, { name, ...(owner === undefined ? {} : { owner }) });

const namesOf = (cache: ObjectCache, uid: string): string[] =>
  cache.ownedBy('default', uid).map((it) => it.metadata.name);

describe('ObjectCache.ownedBy()', () => {
  it('ownedBy() is sorted by name', () => {
    const { cache } = filled([owned(7, 'c', 'u'), owned(8, 'a', 'u'), owned(9, 'b', 'v')]);
    expect(namesOf(cache, 'u')).toEqual(['a', 'c']);
  });

  it.each([
    { to: 'v', u: [], v: ['a'], reason: 'it has passed to another controller' },
    { to: undefined, u: [], v: [], reason: 'it was released' },
    { to: 'u', u: ['a'], v: [], reason: 'it has stayed' },
  ])('ownedBy() follows an object when $reason', ({ to, u, v }) => {
    const { cache } = filled([owned(9, 'a', 'u')]);
    cache.event(event('MODIFIED', owned(11, 'a', to)));
    expect({ u: namesOf(cache, 'u'), v: namesOf(cache, 'v') }).toEqual({ u, v });
  });

  it('ownedBy() does not count owners that do not control', () => {
    const object = owned(9, 'a');
    const ownerReferences = [{ apiVersion: 'v1', kind: 'Node', name: 'n', uid: 'u' }];
    const { cache } = filled([
      { ...object, metadata: { ...object.metadata, ownerReferences } as ApiObject['metadata'] },
    ]);
    expect(namesOf(cache, 'u')).toEqual([]);
  });

  it('ownedBy() does not count objects of another namespace, where a reference means nothing', () => {
    const object = owned(9, 'a', 'u');
    const { cache } = filled([{ ...object, metadata: { ...object.metadata, namespace: 'other' } }]);
    expect(namesOf(cache, 'u')).toEqual([]);
    expect(cache.ownedBy('other', 'u')).toHaveLength(1);
  });

  it('ownedBy() is empty again when the last object went, by any road', () => {
    const { cache } = filled([owned(7, 'a', 'u'), owned(8, 'b', 'u'), owned(9, 'c', 'u')]);
    cache.event(event('DELETED', owned(11, 'a', 'u')));
    cache.overlayGone(keyOf('default', 'b'), 'uid-b');
    cache.replace([], '12');
    expect(namesOf(cache, 'u')).toEqual([]);
  });
});
