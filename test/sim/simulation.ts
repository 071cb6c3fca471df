import { createActors } from '#lib/sim/actors/actors.ts';
import { builtinKinds } from '#lib/sim/builtin/index.ts';
import type { ChaosOptions } from '#lib/sim/explore/chaos.ts';
import type { Simulation } from '#lib/sim/explore/run.ts';
import type { ApiServer } from '#lib/sim/machinery/server.ts';
import { createApiServer } from '#lib/sim/server/server.ts';
import type { Scenario } from '#lib/sim/world/scenario.ts';

/** A virtual API server with everything it can serve. */
export const createServer = (now: () => number): ApiServer => createApiServer({ kinds: builtinKinds, now });

/** The controllers of a cluster, and its one node. */
export const clusterActors: NonNullable<Scenario['actors']> = (server, now) => createActors({ server, now }).actors;

/** A scenario, and the misfortunes that its promises are made for. */
export interface Case {
  readonly scenario: Scenario;
  readonly chaos: ChaosOptions;
}

/** A scenario on the virtual server. */
export const simulationOf = (scenario: Scenario): Simulation => ({ scenario, createServer });
