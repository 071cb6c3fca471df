import type { ChaosOptions } from '#lib/sim/explore/chaos.ts';
import type { CalmOptions } from '#lib/sim/world/calm.ts';
import type { Scenario } from '#lib/sim/world/scenario.ts';

/** A scenario, and the misfortunes that its promises are made for. */
export interface Case {
  readonly scenario: Scenario;
  readonly chaos: ChaosOptions;
  readonly calm?: CalmOptions;
}
