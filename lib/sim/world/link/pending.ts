import { ConnectionError } from '#lib/errors.ts';
import type { WorldStep } from '#lib/sim/world/step/step.ts';

/** A request or a watch between a host and a server. */
export interface Pending {
  /** Sequence number of the message. Runs without faults deliver messages in this order. */
  readonly since: number;
  /**
   * The next step without faults; `undefined` while there is nothing to deliver. The step stays the same, or an equal one, until
   * the state of the message changes.
   */
  progress(): WorldStep | undefined;
  /** The other possible steps: faults and bookmarks. */
  others(): readonly WorldStep[];
  /** The host and a description, for labels. */
  readonly words: string;
  /** The state as JSON, for fingerprints. */
  describe(): unknown;
}

/** Options that all requests and watches share. */
export interface PendingSurroundings {
  readonly since: () => number;
  /** Called at the end: removes the request or watch from its link. */
  readonly done: () => void;
  /** Called for every message that the process receives, just before the process receives it. */
  readonly heard: (what: unknown) => void;
}

/** The error of a host that has lost its connection. */
export const connectionLost = (doing: string): ConnectionError =>
  new ConnectionError(`Cannot ${doing}: the connection broke`);
