import { describe, expect, it } from 'vitest';
import { isProbe, withRoom } from '#lib/loop/pass/execute/holds.ts';
import { after, create, refusal } from './refusals.ts';

describe('isProbe()', () => {
  const west = after({ refused: [refusal('west/a')] });
  const moment = { now: 99_000, generation: 1, populationOf: () => 2 };

  it.each([
    { holds: west, write: create('west/b'), probe: true, reason: 'writes of its sort were refused in its namespace' },
    {
      holds: west,
      write: create('east/b'),
      probe: true,
      reason: 'writes of its sort were refused in another namespace',
    },
    { holds: west, write: create('east/b', 'PodSet'), probe: false, reason: 'it is of another kind' },
    {
      holds: after({ refused: [refusal('west/a', 'Unavailable')] }),
      write: create('east/b'),
      probe: false,
      reason: 'the reason does not last',
    },
    {
      holds: after({ refused: [refusal('west/a', 'NameConflict')] }),
      write: create('east/b'),
      probe: false,
      reason: 'the refusal concerned one name',
    },
    {
      holds: after({ refused: [refusal('a')] }),
      write: create('east/b'),
      probe: true,
      reason: 'writes of its sort were refused in the namespace of the resource',
    },
    {
      holds: after({ refused: [refusal('west/a', 'Invalid', 'apply')] }),
      write: { verb: 'apply', kind: 'Pod', name: 'east/b' } as const,
      probe: false,
      reason: 'one child was invalid in another namespace',
    },
    {
      holds: after(
        {
          refused: [refusal('east/a')],
          waiting: [refusal('west/a')],
        },
        withRoom(west, { now: 1000, madeAt: 1000, random: () => 0 }),
      ),
      write: create('west/b'),
      probe: false,
      reason: 'the quota of its namespace got room, and that of another one did not',
    },
    {
      holds: after({ refused: [{ ...refusal('west/a'), kind: 'PodSet' }] }),
      write: create('east/b'),
      probe: false,
      reason: 'writes of a kind with a longer name were refused',
    },
  ])('isProbe() is $probe when $reason', ({ holds, write, probe }) => {
    expect(isProbe(holds, write, moment)).toBe(probe);
  });
});

describe('isProbe()', () => {
  const holds = after({ refused: [refusal('a')] });
  const roomy = withRoom(holds, { now: 1000, madeAt: 1000, random: () => 0 });

  it.each([
    { holds, generation: 1, population: 2, probe: true, reason: 'nothing changed' },
    { holds, generation: 2, population: 2, probe: false, reason: 'the spec changed' },
    { holds, generation: 1, population: 1, probe: false, reason: 'there are fewer children' },
    { holds: roomy, generation: 1, population: 2, probe: false, reason: 'the quota got room' },
  ])('isProbe() is $probe after a refusal in the same namespace when $reason', (one) => {
    const moment = { now: 99_000, generation: one.generation, populationOf: () => one.population };
    expect(isProbe(one.holds, create('b'), moment)).toBe(one.probe);
  });
});
