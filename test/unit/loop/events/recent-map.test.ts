import { describe, expect, it } from 'vitest';
import { RecentMap } from '#lib/loop/events/recent-map.ts';

describe('RecentMap', () => {
  it('keeps as many entries as its limit when they are used in turn', () => {
    const map = new RecentMap<number>(100);
    for (let index = 0; index < 100; index += 1) map.set(`${index}`, index);
    for (let round = 0; round < 10; round += 1) {
      for (let index = 0; index < 100; index += 1) expect(map.get(`${index}`)).toBe(index);
    }
  });

  it('drops entries that were not used while twice its limit was used', () => {
    const map = new RecentMap<number>(10);
    map.set('first', 0);
    for (let index = 0; index < 20; index += 1) map.set(`${index}`, index);
    expect(map.get('first')).toBeUndefined();
    expect(map.values().length).toBeLessThan(20);
  });
});
