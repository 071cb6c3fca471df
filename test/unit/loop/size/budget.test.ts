import { describe, expect, it } from 'vitest';
import { SizeBudget } from '#lib/loop/cache/size/budget.ts';

const filled = (share: ReturnType<SizeBudget['share']>, namespace: string, bytes = 10): number => {
  let count = 0;
  while (count < 1000 && share.admits({ uid: `${namespace}-${count}`, party: namespace, bytes })) count += 1;
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

  it('admits() goes on with small resources where large ones find no room', () => {
    const share = new SizeBudget(10_000).share();
    filled(share, 'a', 500);
    expect(share.admits({ uid: 'large', party: 'a', bytes: 500 })).toBe(false);
    expect(share.admits({ uid: 'small', party: 'a', bytes: 20 })).toBe(true);
  });

  it('admits() keeps what was admitted and does not grow, however full it has become', () => {
    const share = new SizeBudget(10_000).share();
    share.admits({ uid: 'first', party: 'a', bytes: 100 });
    filled(share, 'b');
    filled(share, 'a');
    expect(share.admits({ uid: 'first', party: 'a', bytes: 100 })).toBe(true);
    expect(share.admits({ uid: 'first', party: 'a', bytes: 90 })).toBe(true);
    expect(share.admits({ uid: 'first', party: 'a', bytes: 4000 })).toBe(false);
  });

  it('release() makes room, and so does a resource that has grown out of it', () => {
    const budget = new SizeBudget(10_000);
    const share = budget.share();
    filled(share, 'a', 100);
    const next = { uid: 'next', party: 'a', bytes: 100 };
    expect(share.hasRoomFor(next)).toBe(false);
    for (let index = 0; index < 20; index += 1) share.release(`a-${index}`);
    expect(share.hasRoomFor(next)).toBe(true);
    const before = budget.taken;
    expect(share.admits({ uid: 'a-20', party: 'a', bytes: 9000 })).toBe(false);
    expect(budget.taken).toBe(before - 100);
  });

  it('retain() gives back what is gone of one kind, and nothing of another', () => {
    const budget = new SizeBudget(10_000);
    const [one, other] = [budget.share(), budget.share()];
    one.admits({ uid: 'a', party: 'a', bytes: 100 });
    one.admits({ uid: 'b', party: 'a', bytes: 50 });
    other.admits({ uid: 'c', party: 'a', bytes: 7 });
    one.retain(() => new Set(['b']));
    expect(budget.taken).toBe(57);
  });
});
