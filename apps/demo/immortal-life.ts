import { immortalContainer } from '#constructs/immortal-container/kind.ts';
import { Pod } from '#lib/kind/handles/reference.ts';
import { refOf } from '#lib/kind/names.ts';
import { applyManifest, type Place, patch, remove, reported, type Stage } from './stage.ts';

const place: Place = {
  resource: refOf(immortalContainer),
  short: 'immortalcontainer',
  name: 'example-immortalcontainer',
};

/** The one pod; its name never changes. */
export const IMMORTAL_POD = `${place.name}-immortalpod`;

interface Status {
  readonly phase: string;
  readonly startTimes: number;
  readonly readySince?: string;
}

const running = async (stage: Stage, starts: number): Promise<void> =>
  reported<Status>(
    stage,
    place,
    ({ phase, startTimes, readySince }) => phase === 'Running' && startTimes === starts && readySince !== undefined,
  );

const pod: Place = { resource: Pod, short: 'pod', name: IMMORTAL_POD };

/** Where no container runs: what a kubelet would say of one that was killed is said in its place. */
const killContainer = async ({ access, namespace, screen }: Stage): Promise<void> => {
  const now = `${new Date().toISOString().slice(0, 19)}Z`;
  const terminated = { exitCode: 137, reason: 'OOMKilled', startedAt: now, finishedAt: now };
  const container = { name: 'acontainer', image: 'nginx:latest', imageID: '', ready: false, restartCount: 0 };
  const status = {
    phase: 'Failed',
    conditions: [{ type: 'Ready', status: 'False', lastTransitionTime: now }],
    containerStatuses: [{ ...container, state: { terminated } }],
  };
  await screen.beat();
  screen.text('');
  screen.event('=', 'the kubelet says: acontainer ran out of memory and was killed, exit code 137');
  const target = { namespace, name: IMMORTAL_POD };
  await access.api.patchStatus(Pod, target, { status }, { fieldManager: 'kubelet' });
};

/** Applies the classic manifest, loses its container or its pod, and waits until another was started and counted. */
export const playImmortalLife = async (stage: Stage): Promise<void> => {
  await applyManifest(stage, 'test/manifests/immortalcontainer.yaml');
  await running(stage, 1);
  await patch(stage, place, { spec: { backoff: { initialSeconds: 2 } } });
  await reported(stage, place, () => true);
  await (stage.hasKubelets ? remove(stage, pod) : killContainer(stage));
  await running(stage, 2);
};
