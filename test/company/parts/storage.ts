import type { Case, Part } from '#test/company/part.ts';
import { missingPrograms } from '#test/company/programs.ts';
import { shared } from '#test/company/shared.ts';
import { playOlderSnapshot } from '#test/company/storage/older.ts';
import { Replicas } from '#test/company/storage/replicas.ts';
import { createFleet, type StoryOptions, storageStory } from '#test/company/storage/story.ts';
import { startControlPlane } from '#test/control-plane/control-plane.ts';
import { installBundle } from '#test/control-plane/install.ts';
import { provideEtcdutl } from '#test/control-plane/storage.ts';

interface Scene {
  readonly bump: number;
  readonly replicas: readonly string[];
  readonly isStopped: boolean;
}

const BUMP = 1_000_000_000;
/** The goal: R16. */
const LIMIT_MS = 60_000;

/** A control plane and resources of all kinds, which all scenes share. */
const stage = shared(async () => {
  const plane = await startControlPlane({ audit: 'Writes' });
  await installBundle(plane);
  return { plane, fleet: await createFleet(plane), [Symbol.asyncDispose]: () => plane.stop() };
});

const play = async ({ bump, replicas: names, isStopped }: Scene, round: number): Promise<string> => {
  const { plane, fleet } = await stage.get();
  const replicas = new Replicas(plane);
  await replicas.start(...names);
  const options: StoryOptions = {
    plane,
    fleet,
    round,
    bump,
    ...(isStopped && {
      operators: { stop: () => replicas.stop('SIGKILL'), start: () => replicas.start(...names) },
    }),
    ...(names.length > 1 && { afterSnapshot: () => replicas.restartFirst() }),
  };
  try {
    const { followedAfterMs, editsAfterMs, orphans } = await storageStory(options);
    if (orphans.length > 0) throw new Error(`made for resources that are gone: ${orphans.join(', ')}`);
    const allMs = followedAfterMs + editsAfterMs;
    if (allMs > LIMIT_MS) throw new Error(`well only after ${allMs} ms`);
    return `well after ${followedAfterMs} ms, edits after ${editsAfterMs} ms`;
  } finally {
    await replicas.stop();
  }
};

const scenes: readonly Scene[] = [0, BUMP].flatMap((bump) =>
  [['a'], ['a', 'b']].flatMap((replicas) => [false, true].map((isStopped) => ({ bump, replicas, isStopped }))),
);

const caseOf = (scene: Scene, round: number): Case => {
  const revision = scene.bump > 0 ? 'a higher revision' : 'the revision of then';
  const operators = `${scene.replicas.length === 1 ? 'one replica' : 'two replicas'} ${scene.isStopped ? 'stopped' : 'running'}`;
  return { title: `restored at ${revision}, ${operators}`, run: async () => play(scene, round) };
};

/** etcd restored from a snapshot, under a running operator and a stopped one, with all kinds. */
export const part: Part = {
  lacks: () => missingPrograms(provideEtcdutl),
  cases: [
    ...scenes.map(caseOf),
    { title: 'restored from before the installation, operator running', run: playOlderSnapshot },
  ],
  end: stage.end,
};
