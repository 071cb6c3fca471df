import { describe, expect, it } from 'vitest';
import type { Move } from '#lib/sim/explore/budget.ts';
import { sleepAfter } from '#lib/sim/explore/independence.ts';

const arrival = (sender: string): Move => ({ label: `${sender} → create pods`, touches: { server: 'writes', sender } });
const response: Move = { label: 'operator-1 ← get pods', touches: { host: 'operator-1' } };
const crash: Move = { label: 'crash: operator-1', touches: { host: 'operator-1', ends: 'operator-1' } };
const time: Move = { label: 'time' };

const asleepAfter = (move: Move, before: readonly Move[]): readonly string[] => [...sleepAfter(move, before).keys()];

describe('sleepAfter()', () => {
  it('sleepAfter() keeps moves of other parts of the cluster', () => {
    expect(asleepAfter(response, [arrival('operator-1')])).toEqual(['operator-1 → create pods']);
    expect(asleepAfter(crash, [arrival('operator-2')])).toEqual(['operator-2 → create pods']);
  });

  it('sleepAfter() wakes moves of the same process, two accesses to the API server, and moves with unknown effects', () => {
    expect(asleepAfter(crash, [response])).toEqual([]);
    expect(asleepAfter(arrival('operator-1'), [arrival('operator-2')])).toEqual([]);
    expect(asleepAfter(arrival('operator-1'), [time])).toEqual([]);
  });

  // The next process can send an equal request, which has the label that the request of the crashed process had before.
  it('sleepAfter() wakes requests of a process that crashes, and crashes of the process of a request', () => {
    expect(asleepAfter(crash, [arrival('operator-1')])).toEqual([]);
    expect(asleepAfter(arrival('operator-1'), [crash])).toEqual([]);
  });
});
