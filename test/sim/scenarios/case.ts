import { simulationOf } from '#lib/sim/cluster.ts';
import type { ChaosOptions } from '#lib/sim/explore/chaos.ts';
import type { Simulation } from '#lib/sim/explore/run.ts';
import type { CalmOptions } from '#lib/sim/world/calm.ts';
import type { Scenario, ScriptStep } from '#lib/sim/world/scenario/scenario.ts';

/** A scenario, and the misfortunes that its promises are made for. */
export interface Case {
  readonly scenario: Scenario;
  readonly chaos: ChaosOptions;
  readonly calm?: CalmOptions;
}

/** What a case has that others of its kind have not. */
export interface CaseOptions extends Partial<Pick<Scenario, 'invariants' | 'operators' | 'outcome'>> {
  readonly chaos?: Case['chaos'];
  readonly calm?: Case['calm'];
}

/** What all cases of a kind have. */
export interface CaseBase extends Omit<Scenario, 'name' | 'script'> {
  /** Begins the names of the scenarios. */
  readonly prefix: string;
  /** Begins the scripts. @default nothing */
  readonly before?: readonly ScriptStep[];
}

/** Makes the cases of a kind: a name, what people do, and what is special. */
export const casesOf =
  ({ prefix, before = [], ...base }: CaseBase) =>
  (name: string, script: readonly ScriptStep[], { chaos = {}, calm, ...more }: CaseOptions = {}): Case => ({
    scenario: { ...base, name: `${prefix}-${name}`, script: [...before, ...script], ...more },
    chaos,
    ...(calm && { calm }),
  });

/** Nobody but the operator and people take pods away. */
export const undisturbedPods: ChaosOptions = { weights: { actor: 0 } };

/** A case on a whole virtual cluster. */
export const simulationIn = ({ scenario, calm }: Case): Simulation => simulationOf(scenario, calm && { calm });
