import type { Replica } from '#constructs/pod-set/look/census.ts';
import { countsOf } from '#constructs/pod-set/look/census.ts';
import { type MoveSituation, type Moves, nextMoves } from '#constructs/pod-set/move/moves.ts';
import { plainSettings } from '#constructs/pod-set/settings.ts';
import { observedPod } from '#test/unit/support/pods.ts';
import { clockAt } from '../support.ts';

/** Numbers of replicas of each sort (old or new, serving or not), the requested number, and the edits that are left. */
export interface UpdateState {
  readonly old: number;
  readonly oldIdle: number;
  readonly fresh: number;
  readonly freshIdle: number;
  readonly replicas: number;
  /** Edits of the template that are left. */
  readonly edits: number;
  /** Edits of the number that are left. */
  readonly scales: number;
}

/** A step, and the state after it. */
export interface Taken {
  readonly step: string;
  readonly state: UpdateState;
}

/** The bounds of an update, and the function that decides about moves. */
export interface SearchOptions {
  readonly replicas: number;
  readonly maxSurge: number;
  readonly maxUnavailable: number;
  /** Edits of the template; the second one reverts the first. */
  readonly edits: number;
  /** Edits of the number of replicas: to half of it, and back. */
  readonly scales: number;
  /** @default the kind's own */
  readonly decide?: (situation: MoveSituation) => Moves;
}

/** The size of the search, and the shortest way to a forbidden state. */
export interface SearchReport {
  readonly states: number;
  readonly ends: number;
  readonly violation?: { readonly problem: string; readonly trace: readonly Taken[] };
}

const replica = (name: string, isUpdated: boolean, isAvailable: boolean): Replica => {
  const pod = observedPod({ name, uid: name, ready: isAvailable });
  return { pod, name, isUpdated, isReady: isAvailable, isAvailable };
};

const replicasOf = ({ old, oldIdle, fresh, freshIdle }: UpdateState): Replica[] => [
  ...Array.from({ length: old }, (_, i) => replica(`old-${i}`, false, true)),
  ...Array.from({ length: oldIdle }, (_, i) => replica(`old-idle-${i}`, false, false)),
  ...Array.from({ length: fresh }, (_, i) => replica(`new-${i}`, true, true)),
  ...Array.from({ length: freshIdle }, (_, i) => replica(`new-idle-${i}`, true, false)),
];

const total = (state: UpdateState): number => state.old + state.oldIdle + state.fresh + state.freshIdle;
const available = ({ old, fresh }: UpdateState): number => old + fresh;

type Sort = 'old' | 'oldIdle' | 'fresh' | 'freshIdle';

const sortOf = ({ isUpdated, isAvailable }: Replica): Sort =>
  isUpdated ? (isAvailable ? 'fresh' : 'freshIdle') : isAvailable ? 'old' : 'oldIdle';

const shifted = (state: UpdateState, from: Sort, to?: Sort): UpdateState => ({
  ...state,
  [from]: state[from] - 1,
  ...(to && { [to]: state[to] + 1 }),
});

const leastOf = ({ replicas }: UpdateState, maxUnavailable: number): number => Math.min(replicas, maxUnavailable);

/** Each write of a pass is a step of its own, in any order: the operator may stop between any two writes. */
const movesFrom = (state: UpdateState, options: SearchOptions): readonly Taken[] => {
  const active = replicasOf(state);
  const counts = countsOf({ active, terminating: [] });
  const { maxSurge, maxUnavailable, decide = nextMoves } = options;
  const settings = { ...plainSettings(state.replicas), maxSurge, maxUnavailable: leastOf(state, maxUnavailable) };
  const isRolling = counts.active > counts.updated;
  const { create, remove } = decide({ settings, census: { active }, counts, isRolling, clock: clockAt() });
  const whole = remove.reduce((at, { replica: gone }) => shifted(at, sortOf(gone)), state);
  const end = { ...whole, freshIdle: whole.freshIdle + create };
  const first = remove[0] && shifted(state, sortOf(remove[0].replica));
  return [
    ...(create > 0 || remove.length > 0
      ? [{ step: `the set makes ${create} and removes ${remove.length}`, state: end }]
      : []),
    ...(first && remove.length > 1 ? [{ step: 'the set removes the first of them', state: first }] : []),
  ];
};

/**
 * Steps that are not the operator's: pods become ready, become unready or are lost, and a user edits the template, or reverts
 * the edit.
 */
const othersFrom = (state: UpdateState, { replicas }: SearchOptions): readonly Taken[] => [
  ...(state.oldIdle > 0 ? [{ step: 'an old pod becomes ready', state: shifted(state, 'oldIdle', 'old') }] : []),
  ...(state.freshIdle > 0 ? [{ step: 'a new pod becomes ready', state: shifted(state, 'freshIdle', 'fresh') }] : []),
  ...(state.old > 0 ? [{ step: 'an old pod stops to be ready', state: shifted(state, 'old', 'oldIdle') }] : []),
  ...(state.fresh > 0 ? [{ step: 'a new pod stops to be ready', state: shifted(state, 'fresh', 'freshIdle') }] : []),
  ...(['old', 'oldIdle', 'fresh', 'freshIdle'] as const)
    .filter((sort) => state[sort] > 0)
    .map((sort) => ({ step: `a pod is lost (${sort})`, state: shifted(state, sort) })),
  ...(state.edits > 0 ? [{ step: 'the template is edited, or taken back', state: swapped(state) }] : []),
  ...(state.scales > 0 ? [{ step: 'a user scales the set', state: scaled(state, replicas) }] : []),
];

const scaled = (state: UpdateState, replicas: number): UpdateState => ({
  ...state,
  replicas: state.replicas === replicas ? Math.ceil(replicas / 2) : replicas,
  scales: state.scales - 1,
});

const swapped = (state: UpdateState): UpdateState => {
  const { old, oldIdle, fresh, freshIdle, edits } = state;
  return { ...state, old: fresh, oldIdle: freshIdle, fresh: old, freshIdle: oldIdle, edits: edits - 1 };
};

/** The rule that a step of the operator breaks; pods that others delete do not count. */
const problemOf = (before: UpdateState, after: UpdateState, options: SearchOptions): string | undefined => {
  const { maxSurge, maxUnavailable } = options;
  const { replicas } = before;
  const least = Math.min(available(before), replicas - leastOf(before, maxUnavailable));
  if (available(after) < least) return `${available(after)} pods are available, at least ${least} had to be`;
  const most = Math.max(total(before), replicas + maxSurge);
  return total(after) > most ? `there are ${total(after)} pods, at most ${most} were allowed` : undefined;
};

const keyOf = (state: UpdateState): string => Object.values(state).join(' ');

/** Visits all reachable states breadth first, so that the way to a fault is a shortest one. */
export const searchUpdates = (options: SearchOptions): SearchReport => {
  const { replicas, edits, scales } = options;
  const start: UpdateState = { old: replicas, oldIdle: 0, fresh: 0, freshIdle: 0, replicas, edits, scales };
  const ways = new Map<string, readonly Taken[]>([[keyOf(start), [{ step: 'all pods are old', state: start }]]]);
  const queue: UpdateState[] = [start];
  let ends = 0;
  for (const state of queue) {
    const way = ways.get(keyOf(state)) ?? [];
    const moves = movesFrom(state, options);
    if (moves.length === 0) ends += 1;
    for (const taken of moves) {
      const problem = problemOf(state, taken.state, options);
      if (problem !== undefined) return { states: ways.size, ends, violation: { problem, trace: [...way, taken] } };
    }
    for (const taken of [...moves, ...othersFrom(state, options)]) {
      if (ways.has(keyOf(taken.state))) continue;
      ways.set(keyOf(taken.state), [...way, taken]);
      queue.push(taken.state);
    }
  }
  return { states: ways.size, ends };
};
