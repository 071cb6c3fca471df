import { quotaAdmission } from '#lib/apiserver/builtin/quota/quota-admission.ts';
import type { ApiServer } from '#lib/apiserver/machinery/server.ts';
import { createApiServer } from '#lib/apiserver/server/server.ts';
import { createActors } from '#lib/controllers/actors.ts';
import type { Simulation } from '#lib/sim/explore/run.ts';
import type { Scenario } from '#lib/sim/world/scenario/scenario.ts';
import { servedKinds } from './served-kinds.ts';

/**
 * Makes a virtual API server with the supported built-in kinds, CustomResourceDefinitions, and the namespace `default`.
 *
 * @param now - returns the current time in epoch milliseconds
 * @example
 * const server = createClusterServer(() => Date.UTC(2026, 0, 1));
 */
export const createClusterServer = (now: () => number): ApiServer =>
  createApiServer({ kinds: servedKinds, now, customAdmission: quotaAdmission });

/** The controllers of a cluster, its scheduler, and one node with its kubelet. */
export const clusterActors: NonNullable<Scenario['actors']> = (server, now) => createActors({ server, now }).actors;

/**
 * Prepares a scenario to run on a complete virtual cluster.
 *
 * @param scenario - the scenario; without `actors`, it runs with all actors of the virtual cluster
 * @param more - `calm` has the limits of runs without faults, and of the part without faults of other runs
 * @example
 * const { failures } = await explore(simulationOf(scenario), { seeds: seedsFrom(1, 300) });
 */
export const simulationOf = (scenario: Scenario, more: Pick<Simulation, 'calm'> = {}): Simulation => ({
  scenario: { actors: clusterActors, ...scenario },
  createServer: createClusterServer,
  ...more,
});
