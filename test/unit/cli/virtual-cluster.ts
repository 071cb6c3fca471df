import { kinds as ours } from '#apps/kinds.ts';
import type { ApiServer } from '#lib/apiserver/machinery/server.ts';
import type { Cluster } from '#lib/cli/shell/context.ts';
import type { AnyKindDefinition } from '#lib/desired/definition.ts';
import type { KubeApi } from '#lib/kube/interface/api.ts';
import { systemTimers } from '#lib/kube/interface/timers.ts';
import { clusterActors, createClusterServer } from '#lib/sim/cluster.ts';
import { directTransport } from '#lib/sim/world/api/direct-transport.ts';
import { kubeApiOver } from '#lib/sim/world/api/kube-api.ts';
import { runCalmly } from '#lib/sim/world/calm.ts';
import type { Scenario } from '#lib/sim/world/scenario/scenario.ts';
import type { User } from '#lib/sim/world/scenario/user.ts';
import { START_MS } from '#lib/sim/world/step/clock.ts';
import { World } from '#lib/sim/world/world.ts';

/** A cluster in memory whose operator is at rest. */
export interface VirtualCluster {
  readonly cluster: Cluster;
  readonly server: ApiServer;
  readonly api: KubeApi;
  /** The time at rest, which is the reference for ages. */
  readonly now: () => number;
  /** Lets the operator and the controllers finish their work. */
  readonly rest: () => Promise<void>;
}

/** Options of the virtual cluster of a command. */
export interface VirtualOptions {
  readonly kinds?: readonly AnyKindDefinition[];
  readonly actors?: Scenario['actors'];
  /** Answers to requests that are not about objects, by path. */
  readonly answers?: Readonly<Record<string, Awaited<ReturnType<Cluster['ask']>>>>;
  /** Whether no operator runs: the CRDs exist, but no resource is handled. */
  readonly isStill?: boolean;
}

/** Runs a script of users, lets the operator follow, and returns the cluster for commands. */
export const virtualCluster = async (
  run: (user: User) => void,
  { kinds = ours, actors = clusterActors, answers = {}, isStill = false }: VirtualOptions = {},
): Promise<VirtualCluster> => {
  const scenario: Scenario = { name: 'cli', kinds, actors, script: [{ label: 'user acts', run }], outcome: () => '' };
  const world = new World({ scenario, seed: 1, createServer: createClusterServer });
  const rest = async (): Promise<void> => void (await runCalmly(world, { quietMs: 60_000, watchMs: 1 }));
  if (!isStill) await rest();
  const { server } = world;
  const api = kubeApiOver(directTransport(server, systemTimers));
  const cluster: Cluster = {
    api,
    server: 'https://virtual',
    namespace: 'default',
    source: 'a test',
    ask: async (path) => answers[path] ?? { code: 404, body: '404 page not found', date: undefined },
    close: async () => undefined,
  };
  return { cluster, server, api, rest, now: () => START_MS + world.elapsedMs };
};
