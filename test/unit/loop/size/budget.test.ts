import { describe, expect, it } from 'vitest';
import { SizeBudget } from '#lib/loop/cache/size/budget.ts';

const filled = (share: ReturnType<SizeBudget['share']>, namespace: string, bytes = 10): number => {
  let count = 0;
  while (count < 1000 && share.admits({ uid: `${namespace}-${count}`, namespace, bytes })) count += 1;
  return count * bytes;
};

describe('SizeBudget', () => {
  it('admits() gives one namespace half at most, and a later one always room', () => {
    const budget = new SizeBudget(10_000);
    const share = budget.share();
    const taken = ['a', 'b', 'c', 'd'].map((namespace) => filled(share, namespace));
    expect(taken).toEqual([4970, 2480, 1240, 620]);
    expect(budget.taken).toBeLessThan(10_000);
  });

  it('admits() counts an object in each share that keeps it, and release() concerns one share only', () => {
    const budget = new SizeBudget(10_000);
    const [home, elsewhere] = [budget.share(), budget.share()];
    const object = { uid: 'both', namespace: 'a', bytes: 100 };
    expect([home.admits(object), elsewhere.admits(object)]).toEqual([true, true]);
    expect(budget.taken).toBe(200);
    home.release('both');
    expect(budget.taken).toBe(100);
    home.retain(undefined, () => new Set());
    expect(budget.taken).toBe(100);
    elsewhere.retain('a', () => new Set());
    expect(budget.taken).toBe(0);
  });

  it('admits() goes on with small resources where large ones find no room', () => {
    const share = new SizeBudget(10_000).share();
    filled(share, 'a', 500);
    expect(share.admits({ uid: 'large', namespace: 'a', bytes: 500 })).toBe(false);
    expect(share.admits({ uid: 'small', namespace: 'a', bytes: 20 })).toBe(true);
  });

  it('admits() keeps what was admitted and does not grow, however full it has become', () => {
    const share = new SizeBudget(10_000).share();
    share.admits({ uid: 'first', namespace: 'a', bytes: 100 });
    filled(share, 'b');
    filled(share, 'a');
    expect(share.admits({ uid: 'first', namespace: 'a', bytes: 100 })).toBe(true);
    expect(share.admits({ uid: 'first', namespace: 'a', bytes: 90 })).toBe(true);
    expect(share.admits({ uid: 'first', namespace: 'a', bytes: 4000 })).toBe(false);
  });

  it('admits() keeps an object that grows a little, although no other of its size would find room', () => {
    const share = new SizeBudget(10_000).share();
    share.admits({ uid: 'first', namespace: 'a', bytes: 500 });
    filled(share, 'a');
    filled(share, 'b');
    expect(share.admits({ uid: 'other', namespace: 'a', bytes: 510 })).toBe(false);
    expect(share.admits({ uid: 'first', namespace: 'a', bytes: 510 })).toBe(true);
  });

  it('admits() gives the groups of one namespace room separately, and moves an object from one to the other', () => {
    const budget = new SizeBudget(10_000);
    const share = budget.share();
    let others = 0;
    while (share.admits({ uid: `o-${others}`, namespace: 'a', group: 'others', bytes: 100 })) others += 1;
    expect(share.admits({ uid: 'child', namespace: 'a', bytes: 100 })).toBe(true);
    const { taken } = budget;
    expect(share.admits({ uid: 'o-0', namespace: 'a', bytes: 100 })).toBe(true);
    expect(budget.taken).toBe(taken);
  });

  it('retain() leaves the objects of other namespaces alone', () => {
    const budget = new SizeBudget(10_000);
    const share = budget.share();
    for (const namespace of ['a', 'b']) share.admits({ uid: namespace, namespace, bytes: 100 });
    share.retain('a', () => new Set());
    expect(budget.taken).toBe(100);
  });

  it('release() makes room, and so does a resource that has grown out of it', () => {
    const budget = new SizeBudget(10_000);
    const share = budget.share();
    filled(share, 'a', 100);
    const next = { uid: 'next', namespace: 'a', bytes: 100 };
    expect(share.hasRoomFor(next)).toBe(false);
    for (let index = 0; index < 20; index += 1) share.release(`a-${index}`);
    expect(share.hasRoomFor(next)).toBe(true);
    const before = budget.taken;
    expect(share.admits({ uid: 'a-20', namespace: 'a', bytes: 9000 })).toBe(false);
    expect(budget.taken).toBe(before - 100);
  });

  it('retain() gives back what is gone of one kind, and nothing of another', () => {
    const budget = new SizeBudget(10_000);
    const [one, other] = [budget.share(), budget.share()];
    one.admits({ uid: 'a', namespace: 'a', bytes: 100 });
    one.admits({ uid: 'b', namespace: 'a', bytes: 50 });
    other.admits({ uid: 'c', namespace: 'a', bytes: 7 });
    one.retain(undefined, () => new Set(['b']));
    expect(budget.taken).toBe(57);
  });
});
