import { ConnectionError } from '#lib/errors.ts';
import type { WorldStep } from '#lib/sim/world/step/step.ts';

/** Something on its way between a host and the server. */
export interface Pending {
  /** Its place in the order in which things were put on their way; the calm schedule goes by it. */
  readonly since: number;
  /** What happens to it next when nothing goes wrong; `undefined` while it only waits. The same step until something happened. */
  progress(): WorldStep | undefined;
  /** What else may become of it. */
  others(): readonly WorldStep[];
  /** Host and description. */
  readonly words: string;
  /** Its state as JSON, for fingerprints. */
  describe(): unknown;
}

/** What everything on its way needs of its surroundings. */
export interface PendingSurroundings {
  readonly since: () => number;
  /** Takes it off the list. */
  readonly done: () => void;
  /** Called with everything that the process receives, just before it does. */
  readonly heard: (what: unknown) => void;
}

/** The host lost the connection. */
export const connectionLost = (doing: string): ConnectionError =>
  new ConnectionError(`Cannot ${doing}: the connection broke`);
