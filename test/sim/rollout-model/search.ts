import type { RolloutSettings } from '#constructs/rollout/engine/settings.ts';
import { fencepostsOf } from '#lib/workload/fenceposts.ts';
import { type Found, type Machine, type Move, searchStates } from '#test/sim/model-search.ts';
import { type Pass, passOf, type Sight } from './operator.ts';
import { type Cell, countedIn, inWords, type ModelState, readyIn, sizesOf } from './state.ts';

/** A rollout, and the edits of users while it goes on. */
export interface Model {
  readonly settings: RolloutSettings;
  /** Edits in order; each may happen at any moment. */
  readonly edits: readonly ((state: ModelState) => ModelState)[];
  /** Versions whose pods never become ready. */
  readonly broken?: readonly string[];
  /** Whether the rollout begins with too few ready pods. Uncounted pods may then be given up. */
  readonly beginsShort?: boolean;
  /** @default the operator's own view */
  readonly sight?: Sight;
}

type Step = Move<ModelState>;

const withCell = (state: ModelState, cell: Cell, change: Partial<Cell>): ModelState => ({
  ...state,
  cells: state.cells.map((it) => (it === cell ? { ...it, ...change } : it)),
});

/** The Deployment controller resizes the ReplicaSet, and publishes counts of it that may be stale. */
const deploymentSync = (cell: Cell): Partial<Cell> => ({
  setSize: cell.size,
  observed: cell.generation,
  counted: cell.setCounted,
  available: cell.setAvailable,
});

/** The ReplicaSet controller creates pods, or deletes pods, unready ones first. */
const podSync = ({ setSize, ready, unready }: Cell): Partial<Cell> => {
  const surplus = ready + unready - setSize;
  if (surplus <= 0) return { unready: unready - surplus };
  const fromUnready = Math.min(unready, surplus);
  return { unready: unready - fromUnready, ready: ready - (surplus - fromUnready) };
};

const countSync = ({ ready, unready }: Cell): Partial<Cell> => ({ setCounted: ready + unready, setAvailable: ready });

const differs = (cell: Cell, change: Partial<Cell>): boolean =>
  Object.entries(change).some(([name, value]) => cell[name as keyof Cell] !== value);

const clusterSteps = (state: ModelState, broken: readonly string[]): Step[] =>
  state.cells.flatMap((cell) => {
    const mayBeReady = cell.unready > 0 && !broken.includes(cell.hash);
    const changes: [string, Partial<Cell>][] = [
      ['deployment controller', deploymentSync(cell)],
      ['pods', podSync(cell)],
      ['counts', countSync(cell)],
      ...(mayBeReady
        ? ([['ready', { ready: cell.ready + 1, unready: cell.unready - 1 }]] as [string, Partial<Cell>][])
        : []),
    ];
    return changes
      .filter(([, change]) => differs(cell, change))
      .map(([label, change]) => ({ label: `${label} ${cell.hash}`, state: withCell(state, cell, change) }));
  });

const keyOf = (state: ModelState): string => JSON.stringify(state);

/** Time passes only when the operator waits for it: otherwise the search would not end. */
const operatorSteps = (state: ModelState, { state: next, awaited }: Pass): Step[] => {
  if (keyOf(next) !== keyOf(state)) return [{ label: 'operator', state: next }];
  return awaited === undefined ? [] : [{ label: 'time', state: { ...state, now: awaited } }];
};

/**
 * I1: a deletion never takes ready pods below the minimum. If too few were ready from the beginning, this holds for
 * counted pods: a pod that is given up may become ready before its ReplicaSet acts.
 */
const losesPods = (before: ModelState, { label, state }: Step, model: Model): string | undefined => {
  if (!label.startsWith('pods')) return undefined;
  const { settings, beginsShort = false } = model;
  const { unavailable } = fencepostsOf(settings);
  const had = beginsShort ? countedIn(before) : readyIn(before);
  const least = Math.min(had, Math.min(before.replicas, settings.replicas) - unavailable);
  return readyIn(state) < least ? `I1: ${readyIn(state)} pods are ready, ${least} must be` : undefined;
};

/** I1 at the decision: a smaller size never leaves fewer counted pods than the minimum. */
const uncounts = (before: ModelState, { label, state }: Step, { settings }: Model): string | undefined => {
  if (label !== 'operator') return undefined;
  const { unavailable } = fencepostsOf(settings);
  const least = Math.min(countedIn(before), Math.min(before.replicas, settings.replicas) - unavailable);
  return countedIn(state) < least ? `I1: ${countedIn(state)} pods are kept, ${least} must be` : undefined;
};

/** I2: never more pods than replicas plus surge, unless replicas were reduced. */
const asksTooMuch = (before: ModelState, { state }: Step, { settings }: Model): string | undefined => {
  const { surge } = fencepostsOf({ ...settings, replicas: state.replicas });
  const most = Math.max(sizesOf(before), state.replicas + surge);
  return sizesOf(state) > most ? `I2: ${sizesOf(state)} pods are asked for, at most ${most} may be` : undefined;
};

const sizeIn = ({ cells }: ModelState, hash: string): number | undefined => cells.find((it) => it.hash === hash)?.size;

/**
 * I3 and I6: only stable and a canary that was not given up grow. I5: stable stays until another version is promoted.
 */
const wrongWrite = (before: ModelState, { label, state }: Step): string | undefined => {
  if (label !== 'operator') return undefined;
  const { stableHash, canaryHash, abortedAt } = before.status;
  for (const { hash, size } of state.cells) {
    const grows = size > (sizeIn(before, hash) ?? 0);
    if (grows && hash !== stableHash && hash !== canaryHash)
      return `I3: ${hash} grows and is neither stable nor canary`;
    if (grows && hash === canaryHash && hash !== stableHash && abortedAt !== undefined)
      return `I6: ${hash} grows and was given up`;
  }
  const lost = before.cells.find(({ hash }) => sizeIn(state, hash) === undefined)?.hash;
  return lost !== undefined && lost === stableHash ? `I5: stable ${lost} is deleted` : undefined;
};

/** I5: a version becomes stable when all of its pods are available. */
const earlyPromotion = (before: ModelState, { state }: Step): string | undefined => {
  const { stableHash } = state.status;
  if (stableHash === undefined || stableHash === before.status.stableHash) return undefined;
  const { available = 0 } = state.cells.find(({ hash }) => hash === stableHash) ?? {};
  return available < state.replicas ? `I5: ${stableHash} is stable with ${available} of ${state.replicas}` : undefined;
};

/** I4: no step is shorter than its sleep. */
const shortSleep = (before: ModelState, { state }: Step, { settings }: Model): string | undefined => {
  const { currentStepIndex = 0, stepReadyAt, canaryHash, abortedAt } = before.status;
  const goesOn = (state.status.currentStepIndex ?? 0) > currentStepIndex && state.status.canaryHash === canaryHash;
  if (!goesOn || abortedAt !== undefined || stepReadyAt === undefined) return undefined;
  const slept = state.now - Date.parse(stepReadyAt) / 1000;
  const { sleep = 0 } = settings.steps[currentStepIndex] ?? {};
  return slept < sleep ? `I4: step ${currentStepIndex} slept ${slept} of ${sleep} s` : undefined;
};

const laws = [losesPods, uncounts, asksTooMuch, wrongWrite, earlyPromotion, shortSleep];

/** In the end the requested version runs alone; or it was given up, and the stable version runs alone. */
const wrongEnd = ({ status, cells, replicas, asked }: ModelState, broken: readonly string[]): string | undefined => {
  const { stableHash, canaryHash, abortedAt } = status;
  const isDone = stableHash === asked && cells.length === 1;
  const isGivenUp = canaryHash === asked && abortedAt !== undefined;
  const stable = cells.find(({ hash }) => hash === stableHash);
  // A broken version is not given up: its deadline is not reached in the model.
  if (broken.includes(asked) && stable !== undefined) return undefined;
  return (isDone || isGivenUp) && stable?.size === replicas ? undefined : 'it rests, and is not where it should be';
};

/** Searches all states of a model, breadth first. */
export const searchModel = (model: Model, first: ModelState, options: { readonly maxStates: number }): Found => {
  const { settings, edits, broken = [], sight = (child) => child } = model;
  const people = (state: ModelState): Step[] => {
    const edit = edits[state.edits];
    return edit === undefined ? [] : [{ label: 'user', state: { ...edit(state), edits: state.edits + 1 } }];
  };
  const machine: Machine<ModelState> = {
    goesOn: (state) => [...operatorSteps(state, passOf(state, settings, sight)), ...clusterSteps(state, broken)],
    mayHappen: people,
    broken: (before, step) => laws.map((law) => law(before, step, model)).find((it) => it !== undefined),
    wrongEnd: (state) => wrongEnd(state, broken),
    inWords,
  };
  return searchStates(machine, first, options);
};
