import { describe, expect, it } from 'vitest';
import { expectOneDeathEach, repeatedDeaths } from '#test/cluster/lives/deaths.ts';
import type { DisturbedLife } from '#test/cluster/lives/schedule.ts';

/** A life that creates two pods and deletes one, with two writes of its status. */
const lifeWith = (
  kills: number,
  { onlyCall, calls = 5 }: { onlyCall?: number; calls?: number } = {},
): DisturbedLife => ({
  plan: onlyCall === undefined ? 'at each call' : `before call ${onlyCall}`,
  ...(onlyCall !== undefined && { onlyCall }),
  endState: {},
  survivors: [],
  populations: [],
  mutations: Array.from({ length: calls }, () => 'patch pods'),
  kills,
  done: { pods: { created: 2, deleted: 1 } },
  createdLast: {},
  history: [],
});

const undisturbed = lifeWith(0);
const each = [1, 2, 3, 4, 5].flatMap((onlyCall) => [lifeWith(1, { onlyCall }), lifeWith(1, { onlyCall })]);

describe('expectOneDeathEach()', () => {
  it('expectOneDeathEach() accepts lives that ended before their call, and lives with repeated crashes', () => {
    const short = lifeWith(0, { onlyCall: 5, calls: 4 });
    expect(() => expectOneDeathEach({ undisturbed, disturbed: [...each, short, lifeWith(7)] })).not.toThrow();
  });

  it('expectOneDeathEach() throws when a life reached its call and nothing was killed', () => {
    const [first, ...others] = each;
    expect(first?.onlyCall).toBe(1);
    const disturbed = [lifeWith(0, { onlyCall: 1 }), ...others];
    expect(() => expectOneDeathEach({ undisturbed, disturbed })).toThrow('before call 1');
  });

  it('expectOneDeathEach() throws when too few lives reached their call', () => {
    const disturbed = each.filter(({ onlyCall }) => onlyCall !== 2);
    expect(() => expectOneDeathEach({ undisturbed, disturbed: disturbed.slice(0, 5) })).toThrow('or equal to 6');
  });
});

it('repeatedDeaths() counts the kills of lives with repeated crashes only', () => {
  expect(repeatedDeaths({ undisturbed, disturbed: [...each, lifeWith(7), lifeWith(6)] })).toBe(13);
});
