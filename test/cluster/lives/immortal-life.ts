import { changePod, isReady, living, podShape, podsIn, resourceAt, stillOf, waiting } from './access.ts';
import type { Chapter, Life, Place } from './life.ts';

interface Status {
  readonly phase: string;
  readonly startTimes: number;
  readonly consecutiveFailures: number;
  readonly currentPodUID?: string;
  readonly lastExit?: { readonly podUID: string; readonly reason: string; readonly exitCode?: number };
}

const immortal = resourceAt<Status>({
  apiVersion: 'immortalcontainer.flugel.it/v1alpha1',
  kind: 'ImmortalContainer',
  plural: 'immortalcontainers',
  name: 'one',
});

const POD = 'one-immortalpod';

const uidIn = async (place: Place): Promise<string | undefined> => (await podsIn(place))[0]?.metadata?.uid;

/** Waits until the pod of the start `startTimes` runs and is counted, and the end of the previous pod is recorded. */
const running = (place: Place, startTimes: number, lastExit?: { readonly of?: string; readonly reason: string }) =>
  waiting(`start ${startTimes} in ${place.namespace}`, async () => {
    const resource = await immortal.read(place);
    const { status } = resource;
    // Superfluous starts show in the end state.
    if (!isReady(resource) || status?.phase !== 'Running' || status.startTimes < startTimes) return false;
    if (status.lastExit?.reason !== lastExit?.reason || status.lastExit?.podUID !== lastExit?.of) return false;
    return status.currentPodUID === (await uidIn(place));
  });

/** Ends the pod in some way, and waits for its replacement. */
const replaced = async (
  place: Place,
  { reason, startTimes, happens }: { reason: string; startTimes: number; happens: () => Promise<unknown> },
): Promise<void> => {
  const of = await uidIn(place);
  await happens();
  await running(place, startTimes, { ...(of === undefined ? {} : { of }), reason });
};

/** The status that a kubelet reports when a container fails right after its start. */
const failure = (): object => {
  const now = `${new Date().toISOString().slice(0, 19)}Z`;
  const terminated = { exitCode: 3, reason: 'Error', startedAt: now, finishedAt: now };
  const container = { name: 'acontainer', image: 'a:1', imageID: '', ready: false, restartCount: 0 };
  return {
    phase: 'Failed',
    conditions: [{ type: 'Ready', status: 'False', lastTransitionTime: now }],
    containerStatuses: [{ ...container, state: { terminated } }],
  };
};

const chapters: readonly Chapter[] = [
  {
    title: 'created',
    live: async (place) => {
      await immortal.create(place, { image: 'a:1', backoff: { initialSeconds: 1 } });
      await running(place, 1);
    },
  },
  {
    title: 'the pod fails',
    live: (place) =>
      replaced(place, {
        reason: 'Error',
        startTimes: 2,
        happens: () => changePod(place, ['PATCH', `${POD}/status`], { status: failure() }),
      }),
  },
  {
    title: 'another writer deletes the pod',
    live: (place) =>
      replaced(place, { reason: 'Deleted', startTimes: 3, happens: () => changePod(place, ['DELETE', POD]) }),
  },
  {
    title: 'the template changes',
    live: (place) => {
      const template = { spec: { containers: [{ name: 'acontainer', image: 'a:1', args: ['serve'] }] } };
      const happens = (): Promise<void> => immortal.edit(place, { spec: { template } });
      return replaced(place, { reason: 'Replaced', startTimes: 4, happens });
    },
  },
  {
    title: 'suspended',
    live: async (place) => {
      await immortal.edit(place, { spec: { suspend: true } });
      await waiting(`${place.namespace} to be suspended`, async () => {
        const resource = await immortal.read(place);
        const isSuspended = isReady(resource) && resource.status?.phase === 'Suspended';
        return isSuspended && resource.status?.lastExit?.reason === 'Suspended' && (await uidIn(place)) === undefined;
      });
    },
  },
  {
    title: 'resumed',
    live: async (place) => {
      const { status } = await immortal.read(place);
      await immortal.edit(place, { spec: { suspend: false } });
      await running(place, 5, { of: status?.lastExit?.podUID ?? '', reason: 'Suspended' });
    },
  },
];

/** The life of an ImmortalContainer: every way in which its pod can end, each counted once. */
export const immortalLife: Life = {
  title: 'ImmortalContainer',
  chapters,
  children: ['pods'],
  childrenIn: async (place) => living(await podsIn(place)),
  endState: async (place) => {
    const { metadata, spec, status } = await immortal.read(place);
    const pods = await podsIn(place);
    const ordinals = pods.map((pod) => pod.metadata?.annotations?.['immortalcontainer.flugel.it/start-ordinal']);
    const shapes = pods.map((pod) => podShape(pod, metadata.uid));
    return { spec, status: stillOf(status), pods: shapes, ordinals };
  },
  lastDay: async (place) => {
    await immortal.remove(place);
    await waiting(`the pod in ${place.namespace} to go`, async () => (await podsIn(place)).length === 0);
  },
};
