import { circleIn } from './model-circle.ts';
import { keyOf } from './model-key.ts';

/** A step, and the state after it. */
export interface Move<S> {
  readonly label: string;
  readonly state: S;
}

/** A finite state machine whose states are immutable JSON values. */
export interface Machine<S> {
  /** Moves that happen by themselves sooner or later. A state without such moves is at rest. */
  goesOn(this: void, state: S): readonly Move<S>[];
  /** Moves that may or may not happen: users, accidents. */
  mayHappen(this: void, state: S): readonly Move<S>[];
  /** The law that a move breaks; `undefined` when the move keeps all laws. */
  broken(this: void, before: S, move: Move<S>): string | undefined;
  /** The fault of a state at rest. */
  wrongEnd(this: void, state: S): string | undefined;
  /** A state in one line. */
  inWords(this: void, state: S): string;
}

/** The result of a search. */
export interface Found {
  readonly states: number;
  /** Number of states at rest. */
  readonly ends: number;
  /** Whether the search has visited all states. */
  readonly isWhole: boolean;
  /** The shortest way to a fault, and the fault. */
  readonly trace?: readonly string[];
}

interface Visit<S> extends Move<S> {
  readonly parent: number;
  /** Successors by moves that happen by themselves. */
  readonly ways: number[];
}

const LABEL_LENGTH = 24;

type InWords<S> = Pick<Machine<S>, 'inWords'>;

const lineOf = <S>({ inWords }: InWords<S>, { label, state }: Move<S>): string =>
  `${label.padEnd(LABEL_LENGTH)} ${inWords(state)}`;

const wayTo = <S>(machine: InWords<S>, visits: readonly Visit<S>[], index: number): string[] => {
  const lines: string[] = [];
  for (let at = visits[index]; at !== undefined; at = visits[at.parent]) lines.unshift(lineOf(machine, at));
  return lines;
};

/** A trace from the start into a cycle, and once through the cycle; undefined without a cycle. */
const circleTrace = <S extends object>(machine: Machine<S>, visits: readonly Visit<S>[]): string[] | undefined => {
  const circle = circleIn(visits.map(({ ways }) => ways));
  if (circle === undefined) return undefined;
  const laps = circle.slice(1).map((to, index) => {
    const [from, next] = [visits[circle[index] ?? 0], visits[to]] as [Visit<S>, Visit<S>];
    const step = machine.goesOn(from.state).find(({ state }) => keyOf(state) === keyOf(next.state));
    return lineOf(machine, step ?? next);
  });
  return [...wayTo(machine, visits, circle[0] ?? 0), ...laps, 'it goes round for ever'];
};

/** The visited states, each once. */
const startingFrom = <S extends object>(first: S) => {
  const visits: Visit<S>[] = [{ label: 'start', state: first, parent: -1, ways: [] }];
  const known = new Map([[keyOf(first), 0]]);
  const arrive = ({ label, state }: Move<S>, parent: number): number => {
    const key = keyOf(state);
    const index = known.get(key) ?? visits.push({ label, state, parent, ways: [] }) - 1;
    known.set(key, index);
    return index;
  };
  return { visits, arrive };
};

/**
 * Searches all states of a machine breadth first, so that a trace is a shortest one.
 *
 * @returns with a trace when a move breaks a law, a state at rest is wrong, or the machine may go through a cycle
 * forever by itself
 */
export const searchStates = <S extends object>(
  machine: Machine<S>,
  first: S,
  { maxStates }: { readonly maxStates: number },
): Found => {
  const { visits, arrive } = startingFrom(first);
  let ends = 0;
  let head = 0;
  const found = (trace?: readonly string[]): Found => {
    const isWhole = head === visits.length;
    return { states: visits.length, ends, isWhole, ...(trace && { trace }) };
  };
  for (let at = visits[0]; at !== undefined && visits.length < maxStates; at = visits[(head += 1)]) {
    const { state: before, ways } = at;
    const own = machine.goesOn(before);
    if (own.length === 0) ends += 1;
    const wrong = own.length === 0 ? machine.wrongEnd(before) : undefined;
    if (wrong !== undefined) return found([...wayTo(machine, visits, head), wrong]);
    for (const [index, move] of [...own, ...machine.mayHappen(before)].entries()) {
      const law = machine.broken(before, move);
      if (law !== undefined) return found([...wayTo(machine, visits, head), lineOf(machine, move), law]);
      const next = arrive(move, head);
      if (index < own.length) ways.push(next);
    }
  }
  return found(circleTrace(machine, visits));
};
