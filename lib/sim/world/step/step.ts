/**
 * The type of a step. The choice of the next step depends on the types of the possible steps:
 * - `progress` happens sooner or later in any cluster.
 * - `script` is the next action of the scenario.
 * - `time` advances the clock until a timer, the end of a watch or a step of an actor is due.
 * - `harmless` may or may not happen (a bookmark).
 * - `fault` is something that goes wrong, such as a lost request or a crash.
 */
export type StepNature = 'progress' | 'script' | 'time' | 'harmless' | 'fault';

/**
 * The classes of faults, which a search or a schedule can exclude. The class `actor` has the faults that actors cause, such
 * as a node that disappears.
 */
export const FAULT_CLASSES = [
  'request lost',
  'answer lost',
  'error answer',
  'conflict',
  'stale list',
  'watch cut',
  'watch expired',
  'watch silent',
  'events coalesced',
  'history forgotten',
  'crash',
  'clock jump',
  'http',
  'actor',
] as const;

/** A class of faults. */
export type FaultClass = (typeof FAULT_CLASSES)[number];

/**
 * Whether a write of the loop can fail with the class `conflict`. The loop sends no updates.
 *
 * @param verb - the verb of the write
 */
export const canConflict = (verb: string): boolean => verb === 'patch' || verb === 'delete';

/** The parts of a virtual cluster that a step reads and changes. A search uses them to find independent steps. */
export interface StepTouches {
  /** Whether the step reads or changes the objects of the API server; absent if the step does neither. */
  readonly server?: 'reads' | 'writes';
  /** Name of a host, if the step reads or changes the process, timers or connections of this host; otherwise absent. */
  readonly host?: string;
  /** Name of the host that sent the request of the step. A crash of this host changes the name of the step. */
  readonly sender?: string;
  /** Name of the host whose process the step ends; absent for all steps except crashes. */
  readonly ends?: string;
}

/** One event that can happen next in a virtual cluster. */
export interface WorldStep {
  /**
   * The name of the step, which is unique among the possible steps. The same event has the same name in every run, apart from a
   * number that makes equal names unique.
   */
  readonly label: string;
  readonly nature: StepNature;
  /** The class of a fault; absent for all other steps. */
  readonly fault?: FaultClass;
  /** The write that the step delivers, answers or disturbs, such as `create pods`; absent if there is none. */
  readonly write?: string;
  /** The parts of the cluster that the step reads and changes; absent if they can be any. */
  readonly touches?: StepTouches;
  /** Executes the step. @returns the result in a few words, for the trace */
  run(): string | undefined;
}

/** Makes the step of a fault. */
export const faultStep = (fault: FaultClass, label: string, run: () => string | undefined): WorldStep => ({
  label,
  nature: 'fault',
  fault,
  run,
});

/**
 * Wraps a function, so that it returns no result. The trace then shows the responses to the requests of the step, if there are
 * any.
 */
export const silently =
  (act: () => void): (() => undefined) =>
  () => {
    act();
  };
