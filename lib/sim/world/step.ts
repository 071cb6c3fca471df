/**
 * What sort of thing a step is, for whoever chooses between steps:
 * `progress` happens by itself sooner or later; `script` is what the scenario does next; `time` lets time pass until
 * something is due; `harmless` may happen or not (a bookmark); `fault` is a misfortune.
 */
export type StepNature = 'progress' | 'script' | 'time' | 'harmless' | 'fault';

/** One thing that can happen next in a virtual cluster. */
export interface WorldStep {
  /** Names it; unique among the steps that are enabled, and the same in every run where it is the same thing. */
  readonly label: string;
  readonly nature: StepNature;
  /** @returns what came of it, for the trace */
  run(): string | undefined;
}
