/**
 * The type of a step. The choice of the next step depends on the types of the possible steps:
 * - `progress` happens sooner or later in any cluster.
 * - `script` is the next action of the scenario.
 * - `time` advances the clock to the next due timer.
 * - `harmless` may or may not happen (a bookmark).
 * - `fault` is an injected fault.
 */
export type StepNature = 'progress' | 'script' | 'time' | 'harmless' | 'fault';

/** The sorts of misfortune, as they are switched on and off. `actor` is what actors call faults of their own. */
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

/** One sort of misfortune. */
export type FaultClass = (typeof FAULT_CLASSES)[number];

/** One thing that can happen next in a virtual cluster. */
export interface WorldStep {
  /** Names it; unique among the steps that are enabled, and the same in every run where it is the same thing. */
  readonly label: string;
  readonly nature: StepNature;
  /** Present for faults. */
  readonly fault?: FaultClass;
  /** @returns the outcome, for the trace */
  run(): string | undefined;
}

/** A misfortune as a step. */
export const faultStep = (fault: FaultClass, label: string, run: () => string | undefined): WorldStep => ({
  label,
  nature: 'fault',
  fault,
  run,
});

/** A step without an outcome worth recording. */
export const silently =
  (act: () => void): (() => undefined) =>
  () => {
    act();
  };
