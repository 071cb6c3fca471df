import { describe, expect, it } from 'vitest';
import { ObjectCache } from '#lib/loop/cache/cache.ts';
import { keyOfObject } from '#lib/loop/cache/objects.ts';
import { projectionOf } from '#lib/loop/cache/projection/projection.ts';
import type { CacheEvidence } from '#lib/loop/cache/restored/restores.ts';
import { event, key, pod } from '#test/unit/support/cached-pods.ts';

/** A cache that has seen everything through version 30. */
const filled = (items = [pod(9), pod(20, { name: 'b' })], isPartial = false) => {
  const proofs: CacheEvidence[] = [];
  const changes: string[] = [];
  const cache = new ObjectCache({
    project: projectionOf(['status.phase']),
    isPartial,
    onChange: ({ before, after }) =>
      changes.push(
        `${before?.metadata.name ?? '-'}@${before?.metadata.resourceVersion ?? ''} → ${after?.metadata.resourceVersion ?? '-'}`,
      ),
    onRestored: (proof) => proofs.push(proof),
  });
  cache.replace(items, '25');
  cache.event({ type: 'BOOKMARK', resourceVersion: '30' });
  changes.length = 0;
  return { cache, proofs, changes, version: () => cache.get(key)?.metadata.resourceVersion };
};

const opaque = (version: string) => ({ ...pod(1), metadata: { ...pod(1).metadata, resourceVersion: version } });

const MUCH_LATER = '1000000';

describe('ObjectCache.replace() when storage was restored under a higher version', () => {
  it('replace() believes a list that is as new as what is held and shows it older, and reports it as one change', () => {
    const { cache, proofs, changes, version } = filled();
    cache.event(event('MODIFIED', pod(40, { phase: 'Running' })));
    changes.length = 0;
    cache.replace([pod(9), pod(20, { name: 'b' })], MUCH_LATER);
    expect({ version: version(), changes }).toEqual({ version: '9', changes: ['a@40 → 9'] });
    expect(proofs).toEqual([{ by: 'list', object: 'a', seen: '40', shown: '9' }]);
  });

  it('replace() believes another object of the name that is older than the one that is held', () => {
    const { cache, proofs } = filled([pod(20, { uid: 'later' })]);
    cache.replace([pod(9, { uid: 'earlier' })], MUCH_LATER);
    expect(cache.get(key)?.metadata.uid).toBe('earlier');
    expect(proofs).toEqual([{ by: 'list', object: 'a', seen: '20', shown: '9' }]);
  });

  it('replace() takes back what was deleted after the snapshot, and takes it for a proof', () => {
    const { cache, proofs } = filled([pod(20, { name: 'b' })]);
    cache.replace([pod(9), pod(20, { name: 'b' })], MUCH_LATER);
    expect(cache.size).toBe(2);
    expect(proofs).toEqual([{ by: 'list', object: 'a', seen: '30', shown: '9' }]);
  });

  it('replace() restores objects that we deleted after the snapshot, with or without an event of the watch', () => {
    const { cache, version } = filled();
    cache.event(event('MODIFIED', pod(40, { phase: 'Running' })));
    cache.gone.listBegins('');
    cache.overlayGone(key, 'uid-a');
    cache.replace([pod(9)], MUCH_LATER);
    expect(version()).toBe('9');
  });

  it('replace() drops our own write that the list, which is newer, does not show', () => {
    const { cache } = filled();
    cache.overlay(pod(50, { name: 'c' }));
    cache.replace([pod(9)], MUCH_LATER);
    expect([...cache.all()].map(keyOfObject)).toEqual([key]);
  });
});

describe('ObjectCache.replace() when nothing was restored', () => {
  it.each([
    ['is as it was', [pod(9), pod(20, { name: 'b' })], '40'],
    ['has changed', [pod(35), pod(36, { name: 'b' }), pod(37, { name: 'c' })], '40'],
    ['lacks what was deleted', [pod(9)], '40'],
  ])('replace() proves nothing by a list that %s', (_, items, version) => {
    const { cache, proofs } = filled();
    cache.replace(items, version);
    expect(proofs).toEqual([]);
  });

  it('replace() proves nothing by what an answer of 404 was wrong about', () => {
    const { cache, proofs } = filled();
    cache.overlayGone(key, 'uid-a', { isCertain: false });
    cache.gone.listBegins('');
    cache.replace([pod(9), pod(20, { name: 'b' })], '40');
    expect([cache.size, proofs]).toEqual([2, []]);
  });

  it('replace() proves nothing by our own write that is newer than the list', () => {
    const { cache, proofs, version } = filled();
    cache.overlay(pod(45, { phase: 'Running' }));
    cache.replace([pod(9), pod(20, { name: 'b' })], '40');
    expect([version(), proofs]).toEqual(['45', []]);
  });

  it('replace() proves nothing by versions that are no numbers', () => {
    const { cache, proofs } = filled();
    cache.replace([opaque('zz')], 'zzz');
    cache.replace([opaque('a')], 'b');
    expect(proofs).toEqual([]);
  });
});

describe('ObjectCache.doubt', () => {
  it('replace() believes a list in doubt whatever it shows, also of the very version that is held', () => {
    const { cache, proofs, changes } = filled();
    cache.overlay(pod(50, { name: 'c' }));
    cache.trust.doubted.add('');
    cache.replace([pod(9, { phase: 'Failed' })], '40');
    expect([...cache.all()].map(keyOfObject)).toEqual([key]);
    expect(changes).toEqual(['b@20 → -', 'c@50 → -', 'a@9 → 9']);
    expect(proofs).toEqual([]);
  });

  it('replace() keeps our own writes that are newer than the list once trust is regained', () => {
    const { cache } = filled();
    cache.trust.doubted.add('');
    cache.trust.doubted.delete('');
    cache.overlay(pod(50, { name: 'c' }));
    cache.replace([pod(9)], '40');
    expect(cache.size).toBe(2);
  });
});

describe('ObjectCache.overlay() of an answer that is older than what was known when it was asked for', () => {
  it('overlay() believes it, and takes it for a proof', () => {
    const { cache, proofs, version } = filled([pod(20, { phase: 'Running' })]);
    const asked = cache.ask('default', 'a');
    cache.overlay(pod(9), { asked });
    expect([version(), proofs]).toEqual(['9', [{ by: 'answer', object: 'a', seen: '20', shown: '9' }]]);
  });

  it('overlay() believes that there is what was deleted after the snapshot', () => {
    const { cache, proofs, version } = filled([]);
    const asked = cache.ask('default', 'a');
    cache.overlay(pod(9), { asked });
    expect([version(), proofs]).toEqual(['9', [{ by: 'answer', object: 'a', seen: '30', shown: '9' }]]);
  });

  it('overlay() shows what storage that gives versions away again answers to a create', () => {
    const { cache, version } = filled([]);
    const asked = cache.ask('default', 'a');
    cache.overlay(pod(28), { asked });
    expect(version()).toBe('28');
  });

  it.each([
    ['shown a later state', event('MODIFIED', pod(32, { phase: 'Running' })), '32'],
    ['shown the deletion', event('DELETED', pod(32)), undefined],
    ['shown another object', event('ADDED', pod(32, { name: 'c' })), '20'],
  ])('overlay() believes no such answer when the watch has %s meanwhile', (_, later, expected) => {
    const { cache, proofs, version } = filled([pod(20)]);
    const asked = cache.ask('default', 'a');
    cache.event(later);
    cache.overlay(pod(20), { asked });
    expect([version(), proofs]).toEqual([expected, []]);
  });

  it('overlay() takes nothing for a proof that a watch by label does not bring', () => {
    const { cache, proofs } = filled([], true);
    const asked = cache.ask('default', 'a');
    cache.overlay(pod(9), { asked });
    expect([cache.size, proofs]).toEqual([0, []]);
  });
});
