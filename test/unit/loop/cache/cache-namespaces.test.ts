import { describe, expect, it } from 'vitest';
import type { ApiObject } from '#lib/kube/interface/api.ts';
import { ObjectCache } from '#lib/loop/cache/cache.ts';
import { keyOfObject } from '#lib/loop/cache/objects.ts';
import { projectionOf } from '#lib/loop/cache/projection/projection.ts';
import { pod } from '#test/unit/support/cached-pods.ts';

const podIn = (namespace: string, version: number, name = 'a'): ApiObject => {
  const object = pod(version, { name, uid: `${namespace}-${name}` });
  return { ...object, metadata: { ...object.metadata, namespace } };
};

/** A cache of two namespaces, with a list of each at version 10, and the changes that the cache reported afterwards. */
const ofTwo = () => {
  const changes: string[] = [];
  const cache = new ObjectCache({
    project: projectionOf(['status.phase']),
    namespaces: ['blue', 'red'],
    onChange: ({ before, after }) => changes.push(`${after ? '+' : '-'}${(after ?? before)?.metadata.uid}`),
  });
  cache.replace([podIn('blue', 8)], '10', 'blue');
  cache.replace([podIn('red', 9)], '10', 'red');
  changes.length = 0;
  return { cache, changes, keys: () => [...cache.all()].map(keyOfObject).toSorted() };
};

describe('ObjectCache of some namespaces', () => {
  it('replace() leaves the objects of other namespaces alone when it takes the list of one', () => {
    const { cache, changes, keys } = ofTwo();
    cache.replace([], '20', 'blue');
    expect({ keys: keys(), changes }).toEqual({ keys: ['red/a'], changes: ['-blue-a'] });
  });

  it('replace() forgets one namespace only when the list of that one is from an earlier time', () => {
    const { cache, changes, keys } = ofTwo();
    cache.replace([podIn('blue', 3, 'restored')], '5', 'blue');
    expect(keys()).toEqual(['blue/restored', 'red/a']);
    expect(changes).toEqual(['-blue-a', '+blue-restored']);
  });

  it('overlay() is taken when another namespace, but not its own, has been seen beyond it', () => {
    const { cache, keys } = ofTwo();
    cache.event({ type: 'BOOKMARK', resourceVersion: '50' }, 'red');
    cache.overlay(podIn('blue', 30, 'made'));
    cache.overlay(podIn('red', 30, 'made'));
    expect(keys()).toEqual(['blue/a', 'blue/made', 'red/a']);
  });

  it('overlay() is not taken when its namespace is not watched, as nothing would ever remove it', () => {
    const { cache, keys } = ofTwo();
    cache.overlay(podIn('green', 30));
    expect(keys()).toEqual(['blue/a', 'red/a']);
  });

  it('replace() still knows what is gone in one namespace when the list of another comes', () => {
    const { cache, keys } = ofTwo();
    cache.overlayGone([...cache.all()].map(keyOfObject)[0]!, 'blue-a');
    cache.replace([podIn('red', 9)], '20', 'red');
    cache.event({ type: 'MODIFIED', object: podIn('blue', 12) }, 'blue');
    expect(keys()).toEqual(['red/a']);
    cache.event({ type: 'DELETED', object: podIn('blue', 13) }, 'blue');
    expect(cache.inspect('blue')).toEqual({ objects: {}, gone: [], seenThrough: '13' });
  });
});
