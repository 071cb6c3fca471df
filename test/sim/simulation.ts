import { createActors } from '#lib/sim/actors/actors.ts';
import { createClusterServer } from '#lib/sim/cluster.ts';
import type { ChaosOptions } from '#lib/sim/explore/chaos.ts';
import type { Simulation } from '#lib/sim/explore/run.ts';
import type { CalmOptions } from '#lib/sim/world/calm.ts';
import type { Scenario } from '#lib/sim/world/scenario.ts';

/** The controllers of a cluster, and its one node. */
export const clusterActors: NonNullable<Scenario['actors']> = (server, now) => createActors({ server, now }).actors;

/** A scenario, and the misfortunes that its promises are made for. */
export interface Case {
  readonly scenario: Scenario;
  readonly chaos: ChaosOptions;
  readonly calm?: CalmOptions;
}

/** A scenario on the virtual server. */
export const simulationOf = (scenario: Scenario, calm?: CalmOptions): Simulation => ({
  scenario,
  createServer: createClusterServer,
  ...(calm && { calm }),
});
