import type { RolloutMemory, RolloutStatus } from '#constructs/rollout/engine/state/memory.ts';

/** A Deployment, its ReplicaSet and its pods. The status of each may be stale. */
export interface Cell {
  readonly hash: string;
  /** `spec.replicas`, and the value of its annotation. */
  readonly size: number;
  readonly generation: number;
  /** Status of the Deployment. */
  readonly observed: number;
  readonly counted: number;
  readonly available: number;
  /** The ReplicaSet: its size, and its status. */
  readonly setSize: number;
  readonly setCounted: number;
  readonly setAvailable: number;
  /** Numbers of ready and of unready pods. */
  readonly ready: number;
  readonly unready: number;
}

/** The complete state of a rollout. */
export interface ModelState {
  readonly status: Partial<RolloutStatus>;
  readonly cells: readonly Cell[];
  readonly asked: string;
  readonly replicas: number;
  /** Number of the user's edits so far. */
  readonly edits: number;
  readonly command?: string;
  /** Seconds. */
  readonly now: number;
}

/** A new Deployment without a status. */
export const newCell = (hash: string, size: number): Cell => ({
  hash,
  size,
  generation: 1,
  observed: 0,
  counted: 0,
  available: 0,
  setSize: 0,
  setCounted: 0,
  setAvailable: 0,
  ready: 0,
  unready: 0,
});

const sum = (numbers: readonly number[]): number => numbers.reduce((a, b) => a + b, 0);

/** Ready pods of all versions. */
export const readyIn = ({ cells }: ModelState): number => sum(cells.map(({ ready }) => ready));

/** Pods that the Deployments count as available, up to the size of each. */
export const countedIn = ({ cells }: ModelState): number =>
  sum(cells.map(({ available, size }) => Math.min(available, size)));

/** Requested pods of all versions. */
export const sizesOf = ({ cells }: ModelState): number => sum(cells.map(({ size }) => size));

/** Formats a state in one line. */
export const inWords = ({ status, cells, asked }: ModelState): string => {
  const { stableHash = '-', canaryHash = '-', percent = 0, stepReadyAt, abortedAt } = status as RolloutMemory;
  const parts = cells.map(
    (it) =>
      `${it.hash}: asked ${it.size} (gen ${it.observed}/${it.generation}) status ${it.available}/${it.counted} set ${it.setSize} (${it.setAvailable}/${it.setCounted}) pods ${it.ready}+${it.unready}`,
  );
  const step = `${percent}%${stepReadyAt === undefined ? '' : ' reached'}${abortedAt === undefined ? '' : ' aborted'}`;
  return `asks ${asked}, stable ${stableHash}, canary ${canaryHash} ${step} | ${parts.join(' | ')}`;
};
