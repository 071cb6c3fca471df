import { describe, expect, it } from 'vitest';
import { deepFreeze } from '#lib/desired/canonical/freeze.ts';
import { Pod } from '#lib/kind/handles/reference.ts';
import { projectionOf } from '#lib/loop/cache/projection/projection.ts';
import { shareParts } from '#lib/loop/cache/projection/shared-values.ts';
import { viewOf } from '#lib/loop/cache/projection/view.ts';

const podLike = (name: string, note = '') => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: {
    name,
    uid: name,
    resourceVersion: '1',
    labels: { app: 'a', tier: 'b' },
    ownerReferences: [{ apiVersion: 'demo.example.com/v1', kind: 'Shelf', name: 's', uid: 's', controller: true }],
  },
  status: { phase: 'Running', conditions: [{ type: 'Ready', status: 'True', message: note }] },
});

const secret = (name: string) => ({ apiVersion: 'v1', kind: 'Secret', metadata: { name }, data: { a: 'eA==' } });

/** A list with equal parts, after `shareParts()`. */
const sharedListOf = (...list: readonly object[]): readonly object[] => {
  const value = { conditions: list.map((part) => ({ ...part })) };
  shareParts(value);
  expect(value.conditions).toEqual(list);
  return value.conditions;
};

describe('shareParts()', () => {
  it('shareParts() gives equal labels, owner references and conditions of several objects one place in memory', () => {
    const [a, b] = [podLike('a'), podLike('b')];
    shareParts(a);
    shareParts(b);
    expect(b).toEqual(podLike('b'));
    expect(b.metadata.labels).toBe(a.metadata.labels);
    expect(b.metadata.ownerReferences[0]).toBe(a.metadata.ownerReferences[0]);
    expect(b.status.conditions[0]).toBe(a.status.conditions[0]);
  });

  it('shareParts() shares a list of equal parts, and keeps a list with another part, order or length apart', () => {
    const [ready, scheduled] = [{ type: 'Ready' }, { type: 'Scheduled' }];
    const first = sharedListOf(ready, scheduled);
    expect(sharedListOf(ready, scheduled)).toBe(first);
    expect(Object.isFrozen(first)).toBe(true);
    for (const other of [sharedListOf(scheduled, ready), sharedListOf(ready), sharedListOf(ready, scheduled, ready)])
      expect(other).not.toBe(first);
  });

  it('shareParts() does not share a list with an element that is not a small part', () => {
    const made = [1, 2].map(() => ({ list: [{ a: 1 }, { nested: { b: 2 } }, 'text'] }));
    for (const value of made) shareParts(value);
    expect(made[1]).toEqual({ list: [{ a: 1 }, { nested: { b: 2 } }, 'text'] });
    expect(made[1]?.list).not.toBe(made[0]?.list);
  });

  it('shareParts() keeps parts that differ apart', () => {
    const [a, b] = [podLike('a'), podLike('b', 'other')];
    shareParts(a);
    shareParts(b);
    expect(b.status.conditions).toEqual([{ type: 'Ready', status: 'True', message: 'other' }]);
    expect(a.status.conditions).toEqual([{ type: 'Ready', status: 'True', message: '' }]);
  });

  it('shareParts() freezes what it shares, so that no reader changes the objects of others', () => {
    const a = podLike('a');
    shareParts(a);
    expect(Object.isFrozen(a.metadata.labels)).toBe(true);
  });

  it('shareParts() keeps nothing of Secrets', () => {
    const [a, b] = [secret('a'), secret('b')];
    shareParts(a);
    shareParts(b);
    expect(b.data).not.toBe(a.data);
    expect(b).toEqual(secret('b'));
  });

  it('shareParts() leaves frozen objects and long texts alone', () => {
    const long = 'x'.repeat(1000);
    const [frozen, a, b] = [deepFreeze(podLike('f')), podLike('a', long), podLike('b', long)];
    shareParts(frozen);
    shareParts(a);
    shareParts(b);
    expect(frozen).toEqual(podLike('f'));
    expect(b.status.conditions[0]).not.toBe(a.status.conditions[0]);
  });

  it('shareParts() forgets what does not come again, and goes on sharing what does', () => {
    const first = podLike('first');
    shareParts(first);
    for (let number = 0; number < 6000; number += 1) {
      const other = podLike(`${number}`, `${number}`);
      shareParts(other);
      expect(other.metadata.labels).toBe(first.metadata.labels);
    }
    const again = podLike('again');
    shareParts(again);
    expect(again).toEqual(podLike('again'));
  });
});

describe('viewOf()', () => {
  it('viewOf() returns the cached object itself where the kind reads all that is kept', () => {
    const object = projectionOf(Pod.fields)(podLike('a'));
    expect(viewOf(Pod, object)).toBe(object);
  });

  it('viewOf() returns less where another kind of the process reads more', () => {
    const object = projectionOf(undefined)({ ...podLike('a'), spec: { nodeName: 'n' } });
    expect(viewOf(Pod, object)).not.toHaveProperty('spec');
  });
});
