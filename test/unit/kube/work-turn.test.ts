import { setImmediate } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { WorkTurn } from '#lib/kube/interface/work-turn.ts';

const waits = (): void => undefined;

it('hasTime() ends a turn after 8 ms, and lets all work that waits proceed once in the next turn, in its order', async () => {
  let now = 100;
  const turn = new WorkTurn(() => now);
  const proceeded: string[] = [];
  const [passes, stream] = ['passes', 'stream'].map((name) => () => void proceeded.push(name)) as [
    () => void,
    () => void,
  ];
  expect(turn.hasTime(passes)).toBe(true);
  now += 7.9;
  expect(turn.hasTime(stream)).toBe(true);
  now += 0.1;
  expect([turn.hasTime(passes), turn.hasTime(stream), turn.hasTime(passes)]).toEqual([false, false, false]);
  expect(proceeded).toEqual([]);
  await setImmediate();
  expect(proceeded).toEqual(['passes', 'stream']);
  expect(turn.hasTime(passes)).toBe(true);
});

it('hasTime() lets nothing go before work that waits, even if the clock goes back', async () => {
  let now = 0;
  const turn = new WorkTurn(() => now);
  turn.hasTime(waits);
  now = 8;
  expect(turn.hasTime(waits)).toBe(false);
  now = 0;
  expect(turn.hasTime(waits)).toBe(false);
  await setImmediate();
  expect(turn.hasTime(waits)).toBe(true);
});
