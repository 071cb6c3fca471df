import { createClusterServer, simulationOf } from '#lib/sim/cluster.ts';
import { CalmOrder } from '#lib/sim/world/calm.ts';
import type { ClusterView, Scenario } from '#lib/sim/world/scenario/scenario.ts';
import { World } from '#lib/sim/world/world.ts';
import { deployerIn, deploymentsIn, type StoredDeployer, sizesIn } from './deployer.ts';

/** The state after one step of a world. */
export interface Scene {
  /** Seconds since the start of the world. */
  readonly second: number;
  readonly sizes: Readonly<Record<string, number>>;
  /** Available pods of all versions. */
  readonly available: number;
  readonly pods: number;
  readonly status: StoredDeployer['status'];
}

const sceneOf = (view: ClusterView, startMs: number): Scene => {
  const deployments = deploymentsIn(view);
  return {
    second: Math.round((view.nowMs - startMs) / 1000),
    sizes: sizesIn(view),
    available: deployments.reduce((sum, { status }) => sum + (status?.availableReplicas ?? 0), 0),
    pods: view.objects({ group: '', plural: 'pods' }).filter(({ metadata }) => !metadata.deletionTimestamp).length,
    status: deployerIn(view)?.status,
  };
};

/** An action at one moment of a calm world, once. */
export interface Incident {
  when(scene: Scene, view: ClusterView): boolean;
  run(world: World): Promise<void> | void;
}

/** The operator's process ends and starts again. */
export const crash = (when: Incident['when']): Incident => ({
  when,
  run: async (world) => world.take('crash: operator-1'),
});

/** Runs a world to its end, without any fault except the given incidents. */
export const play = async (
  scenario: Scenario,
  incidents: readonly Incident[] = [],
): Promise<{ scenes: readonly Scene[]; view: ClusterView }> => {
  const world = new World({ scenario: simulationOf(scenario).scenario, seed: 1, createServer: createClusterServer });
  const { view } = world;
  const startMs = view.nowMs;
  const scenes: Scene[] = [];
  const left = [...incidents];
  const order = new CalmOrder(world);
  for (let step = order.next(); step !== undefined; step = order.next()) {
    await world.take(step);
    const scene = sceneOf(view, startMs);
    scenes.push(scene);
    const [next] = left;
    if (next?.when(scene, view)) await left.shift()?.run(world);
  }
  return { scenes, view };
};

/** Each text of progress, with its time and the sizes at that time. */
export const progressIn = (scenes: readonly Scene[]): readonly (readonly [second: number, ...words: unknown[]])[] =>
  scenes
    .filter(({ status }, index) => {
      const before = scenes[index - 1]?.status?.progress;
      return status?.progress !== undefined && JSON.stringify(status.progress) !== JSON.stringify(before);
    })
    .map(({ second, sizes, status }) => [second, Object.values(status?.progress ?? {}).join(', '), sizes] as const);
