import { describe, expect, it } from 'vitest';
import type { Replica } from '#constructs/pod-set/look/census.ts';
import { countsOf } from '#constructs/pod-set/look/census.ts';
import { nextMoves } from '#constructs/pod-set/move/moves.ts';
import {
  type PodSetSettings,
  plainSettings,
  podSetSettingsOf,
  type SettingsSpec,
} from '#constructs/pod-set/settings.ts';
import { clockAt, setPod } from '../support.ts';

type Sort = 'old' | 'old idle' | 'new' | 'new idle';

const replicaOf = (sort: Sort, index: number): Replica => {
  const name = `${sort.replace(' ', '-')}-${index}`;
  const isReady = !sort.endsWith('idle');
  return {
    pod: setPod({ name, ready: isReady }),
    name,
    isUpdated: sort.startsWith('new'),
    isReady,
    isAvailable: isReady,
  };
};

const replicasOf = (counts: Partial<Record<Sort, number>>): Replica[] =>
  Object.entries(counts).flatMap(([sort, count]) =>
    Array.from({ length: count }, (_, index) => replicaOf(sort as Sort, index)),
  );

interface Case {
  readonly settings: Partial<PodSetSettings> & { readonly replicas: number };
  readonly pods: Partial<Record<Sort, number>>;
  readonly terminating?: number;
  readonly isRolling?: boolean;
  readonly isFull?: boolean;
  readonly create: number;
  readonly remove: Partial<Record<Sort, number>>;
  readonly reason: string;
}

const movesIn = ({
  settings,
  pods,
  terminating = 0,
  isRolling = true,
  isFull = false,
}: Omit<Case, 'create' | 'remove'>) => {
  const active = replicasOf(pods);
  const gone = Array.from({ length: terminating }, (_, i) => setPod({ name: `gone-${i}`, terminating: true }));
  const counts = countsOf({ active, terminating: gone });
  const whole = { ...plainSettings(settings.replicas), ...settings };
  const moves = nextMoves({ settings: whole, census: { active }, counts, isRolling, isFull, clock: clockAt() });
  const remove: Partial<Record<Sort, number>> = {};
  for (const { replica } of moves.remove) {
    const sort = `${replica.isUpdated ? 'new' : 'old'}${replica.isAvailable ? '' : ' idle'}` as Sort;
    remove[sort] = (remove[sort] ?? 0) + 1;
  }
  return { create: moves.create, remove, because: [...new Set(moves.remove.map(({ because }) => because))] };
};

const s3 = { replicas: 3, maxSurge: 1, maxUnavailable: 0 };
const u3 = { replicas: 3, maxSurge: 0, maxUnavailable: 1 };
const b4 = { replicas: 4, maxSurge: 1, maxUnavailable: 1 };

const cases: readonly Case[] = [
  { settings: s3, pods: { old: 3 }, create: 1, remove: {}, reason: 'an update with surge begins with a new pod' },
  { settings: s3, pods: { old: 3, 'new idle': 1 }, create: 0, remove: {}, reason: 'the new pod is not available yet' },
  {
    settings: s3,
    pods: { old: 3, new: 1 },
    create: 0,
    remove: { old: 1 },
    reason: 'one more is available than needed',
  },
  { settings: s3, pods: { old: 1, new: 3 }, create: 0, remove: { old: 1 }, reason: 'all new pods are available' },
  {
    settings: u3,
    pods: { old: 3 },
    create: 0,
    remove: { old: 1 },
    reason: 'one may be unavailable, and there is no surge',
  },
  { settings: u3, pods: { old: 2 }, create: 1, remove: {}, reason: 'its place is taken before the next one goes' },
  {
    settings: u3,
    pods: { old: 2, 'new idle': 1 },
    create: 0,
    remove: {},
    reason: 'the budget is used up by the new pod',
  },
  { settings: b4, pods: { old: 4 }, create: 1, remove: {}, reason: 'the set grows first, and then replaces' },
  { settings: b4, pods: { old: 4, 'new idle': 1 }, create: 0, remove: { old: 1 }, reason: 'one may be unavailable' },
  { settings: b4, pods: { old: 3, 'new idle': 1 }, create: 1, remove: {}, reason: 'there is room for one more' },
  {
    settings: u3,
    pods: { 'old idle': 3 },
    create: 0,
    remove: { 'old idle': 3 },
    reason: 'old pods that do not serve go at once',
  },
  {
    settings: s3,
    pods: { old: 2, 'old idle': 1, 'new idle': 1 },
    create: 0,
    remove: { 'old idle': 1 },
    reason: 'what is broken goes first, although nothing is to spare',
  },
  {
    settings: u3,
    pods: { new: 2, 'old idle': 1 },
    create: 0,
    remove: { 'old idle': 1 },
    reason: 'a bad image is reverted: its pod goes without manual deletion',
  },
  {
    settings: { ...s3, replicas: 5 },
    pods: { old: 2, new: 1 },
    create: 3,
    remove: {},
    reason: 'it is scaled up meanwhile',
  },
  {
    settings: { ...s3, replicas: 1 },
    pods: { old: 3, 'new idle': 1 },
    create: 0,
    remove: { 'new idle': 1, old: 1 },
    reason: 'it is scaled down meanwhile: what does not serve goes before what does',
  },
  {
    settings: { ...s3, replicas: 2 },
    pods: { old: 4, new: 1 },
    create: 0,
    remove: { old: 2 },
    reason: 'it is scaled down meanwhile: of those that serve the old ones go first',
  },
  {
    settings: { ...s3, isPaused: true },
    pods: { old: 3, new: 1 },
    isRolling: false,
    create: 0,
    remove: {},
    reason: 'an update that is paused half-way keeps its surge',
  },
  {
    settings: { ...s3, isPaused: true },
    pods: { old: 2 },
    isRolling: false,
    create: 1,
    remove: {},
    reason: 'a paused set replaces what is lost',
  },
  {
    settings: { ...s3, isOnDelete: true },
    pods: { old: 3 },
    isRolling: false,
    create: 0,
    remove: {},
    reason: 'OnDelete waits for a deletion',
  },
  {
    settings: { ...s3, waitsForTermination: true },
    pods: { old: 2 },
    terminating: 2,
    create: 0,
    remove: {},
    reason: 'pods that are being deleted still take up room',
  },
  {
    settings: { ...s3, waitsForTermination: true },
    pods: { old: 2 },
    terminating: 1,
    create: 1,
    remove: {},
    reason: 'there is room besides those that are being deleted',
  },
  {
    settings: s3,
    pods: { old: 2 },
    terminating: 5,
    create: 2,
    remove: {},
    reason: 'those that are being deleted do not count',
  },
  {
    settings: b4,
    pods: { old: 4 },
    isFull: true,
    create: 1,
    remove: { old: 1 },
    reason: 'a quota is full: only what goes makes room',
  },
  {
    settings: { replicas: 2 },
    pods: { new: 4 },
    isRolling: false,
    create: 0,
    remove: { new: 2 },
    reason: 'it is scaled down',
  },
  { settings: { replicas: 2 }, pods: {}, isRolling: false, create: 2, remove: {}, reason: 'it begins' },
  { settings: { replicas: 0 }, pods: {}, isRolling: false, create: 0, remove: {}, reason: 'nothing is wanted' },
];

describe('nextMoves()', () => {
  it.each(cases)('nextMoves() makes $create and removes $remove of $pods when $reason', (row) => {
    const { create, remove } = movesIn(row);
    expect({ create, remove }).toEqual({ create: row.create, remove: row.remove });
  });

  it('nextMoves() distinguishes the pods that go for the number from those that go for the update', () => {
    expect(movesIn({ settings: u3, pods: { old: 3 }, reason: '' }).because).toEqual(['Updated']);
    expect(movesIn({ settings: u3, pods: { old: 5 }, reason: '' }).because).toEqual(['ScaledDown']);
  });
});

const spec = (replicas: number, maxSurge: number | string, maxUnavailable: number | string): SettingsSpec => ({
  replicas,
  minReadySeconds: 0,
  progressDeadlineSeconds: 600,
  paused: false,
  podReplacementPolicy: 'TerminationStarted',
  updateStrategy: { type: 'RollingUpdate', maxSurge, maxUnavailable },
  failedPods: { keepLast: 1, initialSeconds: 10, maxSeconds: 300 },
});

describe('settingsOf()', () => {
  it.each([
    { replicas: 10, surge: '25%', unavailable: '25%', gives: [3, 2], reason: 'surge is rounded up, unavailable down' },
    { replicas: 1, surge: '25%', unavailable: '25%', gives: [1, 0], reason: 'one pod is replaced by way of a second' },
    {
      replicas: 3,
      surge: 0,
      unavailable: '25%',
      gives: [0, 1],
      reason: 'both come out as zero: one may be unavailable',
    },
    { replicas: 3, surge: '0%', unavailable: '1%', gives: [0, 1], reason: 'both come out as zero in percent' },
    { replicas: 0, surge: '25%', unavailable: '25%', gives: [0, 0], reason: 'there are no pods' },
    { replicas: 2, surge: 5, unavailable: 7, gives: [5, 2], reason: 'no more can be unavailable than there are' },
    { replicas: 10, surge: '30%', unavailable: '30%', gives: [3, 3], reason: 'nothing has to be rounded' },
    { replicas: 4, surge: '200%', unavailable: '100%', gives: [8, 4], reason: 'the surge is more than the whole' },
  ])('settingsOf() is $gives of $replicas for $surge and $unavailable when $reason', (row) => {
    const { maxSurge, maxUnavailable } = podSetSettingsOf(spec(row.replicas, row.surge, row.unavailable));
    expect([maxSurge, maxUnavailable]).toEqual(row.gives);
  });
});
