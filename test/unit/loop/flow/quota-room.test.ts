import { describe, expect, it } from 'vitest';
import { type Key, keyOf } from '#lib/loop/context/key.ts';
import { QuotaRoom } from '#lib/loop/flow/quota-room.ts';
import { type Holds, holdsWithRoom } from '#lib/loop/pass/execute/holds.ts';

const random = (): number => 0;
const hold = { attempts: 9, reason: 'QuotaExceeded', notBefore: 300_000, generation: 1, population: 0 } as const;
const refusedAt = (quotaSince: number): Holds => new Map([['create Pod', { ...hold, quotaSince }]]);
const inDefault = (name: string): Key => keyOf('default', name);

/** Four resources that were refused at 0 ms; the quota has room at 40 ms, and the first two try. */
const withFirstWave = () => {
  const woken: string[] = [];
  const room = new QuotaRoom((keys) => woken.push(...keys));
  for (const name of ['a', 'b', 'c', 'd']) room.passEnded(inDefault(name), refusedAt(0), { began: 0, now: 1, random });
  room.made('default', 40);
  return { room, woken };
};

describe('QuotaRoom', () => {
  it('QuotaRoom lets two others try for each that was not refused again', () => {
    const { room, woken } = withFirstWave();
    expect(woken).toEqual([inDefault('a'), inDefault('b')]);
    room.passEnded(inDefault('a'), new Map(), { began: 60, now: 61, random });
    expect(woken).toEqual([inDefault('a'), inDefault('b'), inDefault('c'), inDefault('d')]);
  });

  it('QuotaRoom lets a resource try that was woken while a pass over it was under way', () => {
    const { room } = withFirstWave();
    room.passEnded(inDefault('a'), new Map(), { began: 60, now: 61, random });
    // The pass of `c` began before `c` was woken, and the hold of `c` had not ended.
    const after = room.passEnded(inDefault('c'), refusedAt(0), { began: 59, now: 62, random });
    expect(holdsWithRoom(after).get('create Pod')?.notBefore).toBe(1000);
  });

  it('QuotaRoom lets a resource wait that has tried and was refused', () => {
    const { room, woken } = withFirstWave();
    const after = room.passEnded(inDefault('a'), refusedAt(60), { began: 60, now: 61, random });
    expect(after).toEqual(refusedAt(60));
    expect(woken).toEqual([inDefault('a'), inDefault('b')]);
  });
});
