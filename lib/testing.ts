/**
 * The entry point for tests of kinds: one pass as plain data, and the virtual cluster, in virtual time or behind HTTPS.
 *
 * @see docs/testing.md
 * @see docs/virtual-cluster.md
 * @see docs/embedded.md
 */

export type { RequestRecord } from '#lib/apiserver/http/http-api.ts';
export type { ServerObject } from '#lib/apiserver/machinery/object.ts';
export type { Actor, ActorStep } from '#lib/controllers/actor.ts';
export type { VersionedObject } from '#lib/conversion/convert.ts';
export { assertRoundTrip, versionedObjects } from '#lib/conversion/testing/round-trip.ts';
export type { FastCheckModule } from '#lib/conversion/testing/valid-values.ts';
export { type EmbeddedCluster, startEmbeddedCluster } from '#lib/embedded/embedded-cluster.ts';
export type { EmbeddedClusterOptions } from '#lib/embedded/options.ts';
export { type CheckOptions, type CheckReport, check } from '#lib/foresight/check/check.ts';
export { findingPictureOf } from '#lib/foresight/check/finding-picture.ts';
export { type FindingTextOptions, findingText } from '#lib/foresight/check/finding-text.ts';
export { type PictureOptions, pictureOf } from '#lib/foresight/picture/picture.ts';
export { UnservedKindError, type UnservedNeed } from '#lib/foresight/served/unserved-kind-error.ts';
export type { SimulationReport } from '#lib/foresight/simulate/report/report.ts';
export { type TimelineTextOptions, timelineText } from '#lib/foresight/simulate/report/timeline-text.ts';
export {
  type ResourceRuns,
  type SimulateRunsOptions,
  type SimulationRuns,
  simulateRuns,
} from '#lib/foresight/simulate/runs/simulate-runs.ts';
export type { Script } from '#lib/foresight/simulate/script/script.ts';
export { type SimulateOptions, simulate } from '#lib/foresight/simulate/simulate.ts';
export { appliedOf, conditionOf, type Rendered, type RenderedChild, render } from '#lib/render/render.ts';
export { clusterActors, createClusterServer, simulationOf } from '#lib/sim/cluster.ts';
export type { ChaosOptions } from '#lib/sim/explore/chaos.ts';
export { type Exploration, type ExploreOptions, explore, runSeed, seedsFrom } from '#lib/sim/explore/explore.ts';
export { disturbanceOf, type Failure, failureInWords } from '#lib/sim/explore/failure.ts';
export { type Problem, type Run, runDisturbed, runUndisturbed, type Simulation } from '#lib/sim/explore/run.ts';
export type { Schedule } from '#lib/sim/explore/schedule.ts';
export { type SearchOptions, type SearchReport, search } from '#lib/sim/explore/search.ts';
export { type CalmOptions, type Rest, runCalmly } from '#lib/sim/world/calm.ts';
export type { HttpExchange } from '#lib/sim/world/scenario/http-exchange.ts';
export type { ClusterView, HttpScript, Invariant, Scenario, ScriptStep } from '#lib/sim/world/scenario/scenario.ts';
export type { User, UserTarget } from '#lib/sim/world/scenario/user.ts';
export type { FaultClass, StepNature, WorldStep } from '#lib/sim/world/step/step.ts';
export { type TraceEntry, timeline } from '#lib/sim/world/step/trace.ts';
export { World, type WorldOptions } from '#lib/sim/world/world.ts';
