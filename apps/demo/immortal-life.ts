import { applyManifest, kubectl, reported, type Stage, show } from './stage.ts';

const place = {
  resource: 'immortalcontainer.flugel.it/v1alpha1/immortalcontainers',
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

/** No container runs in this cluster: what a kubelet would say of one that was killed is said in its place. */
const killContainer = async ({ plane, namespace, screen }: Stage): Promise<void> => {
  const now = `${new Date().toISOString().slice(0, 19)}Z`;
  const terminated = { exitCode: 137, reason: 'OOMKilled', startedAt: now, finishedAt: now };
  const container = { name: 'acontainer', image: 'nginx:latest', imageID: '', ready: false, restartCount: 0 };
  const status = {
    phase: 'Failed',
    conditions: [{ type: 'Ready', status: 'False', lastTransitionTime: now }],
    containerStatuses: [{ ...container, state: { terminated } }],
  };
  screen.text('');
  screen.event('=', 'the kubelet says: acontainer ran out of memory and was killed, exit code 137');
  const path = `/api/v1/namespaces/${namespace}/pods/${IMMORTAL_POD}/status`;
  await plane.request('PATCH', path, { status }, { contentType: 'application/merge-patch+json' });
};

/** Applies the classic manifest, has its container killed, and shows that another was started and counted. */
export const playImmortalLife = async (stage: Stage): Promise<void> => {
  await applyManifest(stage, 'test/manifests/immortalcontainer.yaml');
  await running(stage, 1);
  const patch = '{"spec":{"backoff":{"initialSeconds":2}}}';
  const args = ['patch', 'immortalcontainer', place.name, '--type=merge', '-p'];
  await kubectl(stage, { args: [...args, patch], shown: `${args.join(' ')} '${patch}'` });
  await reported(stage, place, () => true);
  await killContainer(stage);
  await running(stage, 2);
  await show(stage, 'get', 'immortalcontainer');
};
