import { describe, expect, it } from 'vitest';
import { type MoveSituation, type Moves, nextMoves } from '#constructs/pod-set/move/moves.ts';
import { searchUpdates } from './search-updates.ts';

const sizes = [1, 2, 3, 4].flatMap((replicas) =>
  [0, 1, 2].flatMap((maxSurge) =>
    [0, 1, 2]
      .filter((maxUnavailable) => maxSurge + maxUnavailable > 0 && maxUnavailable <= replicas)
      .map((maxUnavailable) => ({ replicas, maxSurge, maxUnavailable, edits: 2, scales: 2 })),
  ),
);

/** Deletes one pod more than the budget allows. */
const oneTooMany = (situation: MoveSituation): Moves => {
  const { settings } = situation;
  return nextMoves({ ...situation, settings: { ...settings, maxUnavailable: settings.maxUnavailable + 1 } });
};

/** Creates one pod more than the surge allows. */
const oneTooBig = (situation: MoveSituation): Moves => {
  const { settings } = situation;
  return nextMoves({ ...situation, settings: { ...settings, maxSurge: settings.maxSurge + 1 } });
};

/** Deletes old pods first, whether they serve or not. */
const oldFirst = (situation: MoveSituation): Moves => {
  const moves = nextMoves(situation);
  const old = situation.census.active.filter(({ isUpdated }) => !isUpdated);
  const isScaling = moves.remove.some(({ because }) => because === 'ScaledDown');
  const going = old.slice(0, moves.remove.length).map((replica) => ({ replica, because: 'ScaledDown' as const }));
  return isScaling ? { ...moves, remove: going } : moves;
};

describe('an update in every order of events', () => {
  it('an update never takes away more than may be unavailable, and never makes more than the surge, in any state', () => {
    const reports = sizes.map((size) => ({ size, report: searchUpdates(size) }));
    for (const { size, report } of reports) expect([size, report.violation]).toEqual([size, undefined]);
    const states = reports.reduce((sum, { report }) => sum + report.states, 0);
    // oxlint-disable-next-line no-console -- the log of a run shows how much was searched
    console.log(
      `searched ${states} states of ${sizes.length} sizes (1 to 4 replicas, 2 edits, scaling, losses, unreadiness)`,
    );
    expect(states).toBeGreaterThan(10_000);
    for (const { report } of reports) expect(report.ends).toBeGreaterThan(0);
  });

  it('a budget with one pod too many is found, with the way that leads there', () => {
    const size = { replicas: 3, maxSurge: 1, maxUnavailable: 0, edits: 1, scales: 0 };
    const { violation } = searchUpdates({ ...size, decide: oneTooMany });
    expect(violation?.problem).toBe('2 pods are available, at least 3 had to be');
    expect(violation?.trace.map(({ step }) => step)).toEqual([
      'all pods are old',
      'the set makes 1 and removes 0',
      'the set makes 0 and removes 1',
    ]);
  });

  it('a surge with one pod too many is found', () => {
    const size = { replicas: 2, maxSurge: 1, maxUnavailable: 0, edits: 1, scales: 0 };
    const { violation } = searchUpdates({ ...size, decide: oneTooBig });
    expect(violation?.problem).toBe('there are 4 pods, at most 3 were allowed');
  });

  it('a surplus that is taken from the old pods, whether they serve or not, is found', () => {
    const size = { replicas: 4, maxSurge: 1, maxUnavailable: 0, edits: 1, scales: 1 };
    expect(searchUpdates(size).violation).toBeUndefined();
    expect(searchUpdates({ ...size, decide: oldFirst }).violation?.problem).toMatch(/pods are available, at least/);
  });
});
