import { simulationOf } from '#lib/sim/cluster.ts';
import type { ChaosOptions } from '#lib/sim/explore/chaos.ts';
import type { Simulation } from '#lib/sim/explore/run.ts';
import type { CalmOptions } from '#lib/sim/world/calm.ts';
import type { Scenario, ScriptStep } from '#lib/sim/world/scenario/scenario.ts';

/** A scenario, and the faults under which its promises hold. */
export interface Case {
  readonly scenario: Scenario;
  readonly chaos: ChaosOptions;
  readonly calm?: CalmOptions;
}

/** The parts in which a case differs from others of its kind. */
export interface CaseOptions extends Partial<Pick<Scenario, 'invariants' | 'operators' | 'outcome'>> {
  readonly chaos?: Case['chaos'];
  readonly calm?: Case['calm'];
}

/** The parts that all cases of a kind share. */
export interface CaseBase extends Omit<Scenario, 'name' | 'script'> {
  /** Prefix of the names of the scenarios. */
  readonly prefix: string;
  /** First steps of the scripts. @default none */
  readonly before?: readonly ScriptStep[];
}

/** Makes the cases of a kind: a name, a script, and options. */
export const casesOf =
  ({ prefix, before = [], ...base }: CaseBase) =>
  (name: string, script: readonly ScriptStep[], { chaos = {}, calm, ...more }: CaseOptions = {}): Case => ({
    scenario: { ...base, name: `${prefix}-${name}`, script: [...before, ...script], ...more },
    chaos,
    ...(calm && { calm }),
  });

/** Only the operator and users delete pods. */
export const undisturbedPods: ChaosOptions = { weights: { actor: 0 } };

/** A case on a complete virtual cluster. */
export const simulationIn = ({ scenario, calm }: Case): Simulation => simulationOf(scenario, calm && { calm });
