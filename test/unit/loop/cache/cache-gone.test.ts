import { describe, expect, it } from 'vitest';
import { ObjectCache } from '#lib/loop/cache/cache.ts';
import { event, filled, key, pod } from '#test/unit/support/cached-pods.ts';

/** A cache in which a pod counts as deleted after a 404. */
const doubted = () => {
  const made = filled([pod(9)]);
  made.cache.overlayGone(key, 'uid-a', { isCertain: false });
  expect(made.cache.get(key)).toBeUndefined();
  return made;
};

describe('ObjectCache.overlayGone() that was wrong', () => {
  it('event() brings an object back that a 404 took for gone, and reports it', () => {
    const { cache, changes, version } = doubted();
    cache.event(event('MODIFIED', pod(11, { phase: 'Running' })));
    expect({ version: version(), changes, gone: cache.inspect().gone }).toEqual({
      version: '11',
      changes: ['a: - → Running'],
      gone: [],
    });
  });

  it('event() does not bring it back in the state that was known', () => {
    const { cache } = doubted();
    cache.event(event('MODIFIED', pod(9)));
    expect(cache.get(key)).toBeUndefined();
  });

  it('replace() brings it back when the list began after the 404, even unchanged', () => {
    const { cache, version } = doubted();
    cache.gone.listBegins('');
    cache.replace([pod(9)], '15');
    expect({ version: version(), gone: cache.inspect().gone }).toEqual({ version: '9', gone: [] });
  });

  it('replace() does not bring it back when the list began before the 404', () => {
    const { cache } = filled([pod(9)]);
    cache.gone.listBegins('');
    cache.overlayGone(key, 'uid-a');
    cache.replace([pod(9)], '15');
    expect(cache.get(key)).toBeUndefined();
  });

  it('replace() of another namespace is no evidence', () => {
    const cache = new ObjectCache({
      project: (object) => object,
      onChange: () => undefined,
      namespaces: ['default', 'b'],
    });
    cache.replace([pod(9)], '10', 'default');
    cache.overlayGone(key, 'uid-a');
    cache.gone.listBegins('b');
    cache.replace([], '15', 'b');
    expect(cache.inspect('default').gone).toEqual(['uid-a@9']);
  });

  it('overlay() of a live read that began after the mark brings it back, even unchanged and behind the watch', () => {
    const { cache, version } = filled([pod(9)]);
    cache.overlayGone(key, 'uid-a');
    cache.event({ type: 'BOOKMARK', resourceVersion: '20' });
    const asked = cache.ask('default', 'a');
    cache.overlay(pod(9), { asked });
    expect(version()).toBe('9');
  });

  it('overlay() of a live read that began before the mark does not', () => {
    const { cache } = filled([pod(9)]);
    const asked = cache.ask('default', 'a');
    cache.overlayGone(key, 'uid-a');
    cache.overlay(pod(11), { asked });
    expect(cache.get(key)).toBeUndefined();
  });

  it('overlay() of a live read does not bring back what the watch has reported as deleted meanwhile', () => {
    const { cache } = filled([pod(9)]);
    cache.overlayGone(key, 'uid-a');
    const asked = cache.ask('default', 'a');
    cache.event(event('DELETED', pod(12)));
    cache.overlay(pod(9), { asked });
    expect(cache.get(key)).toBeUndefined();
  });
});
