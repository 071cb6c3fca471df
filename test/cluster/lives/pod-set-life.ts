import type { Pod as KubePod } from 'kubernetes-types/core/v1.js';
import type { PodSetBody } from '#test/cluster/pod-set-body.ts';
import { waitFor } from '#test/control-plane/poll.ts';
import type { Chapter, Child, Life, Place } from './life.ts';

const NAME = 'web';
const merge = { contentType: 'application/merge-patch+json' } as const;

const podSets = ({ namespace }: Place): string => `/apis/app.example.com/v1alpha1/namespaces/${namespace}/podsets`;
const pods = ({ namespace }: Place): string => `/api/v1/namespaces/${namespace}/pods`;

const read = async (place: Place): Promise<PodSetBody> =>
  (await place.plane.request<PodSetBody>('GET', `${podSets(place)}/${NAME}`)).body;

const podsIn = async (place: Place): Promise<readonly KubePod[]> =>
  (await place.plane.request<{ items: KubePod[] }>('GET', pods(place))).body.items;

const livingIn = async (place: Place): Promise<readonly KubePod[]> =>
  (await podsIn(place)).filter(({ metadata, status }) => !metadata?.deletionTimestamp && status?.phase !== 'Failed');

const namesOf = (some: readonly KubePod[]): string[] => some.map(({ metadata }) => metadata?.name ?? '').toSorted();

/** Several lives are waited for at a time, and asking costs CPU time that the operators need. */
const waiting = (what: string, isTrue: () => Promise<boolean>): Promise<void> => waitFor(what, isTrue, { pollMs: 50 });

/** So many pods exist, no other, and the status says so of the latest spec. */
const settled = async (place: Place, replicas: number, without?: Child): Promise<void> =>
  waiting(`${replicas} pods in ${place.namespace}`, async () => {
    const { metadata, status } = await read(place);
    if (status?.observedGeneration !== metadata.generation || status.replicas !== replicas) return false;
    const living = await podsIn(place);
    // By uid: a name may come back, when nobody was there to see both at a time.
    return (
      namesOf(living).join() === status.podNames.join() && !living.some((pod) => pod.metadata?.uid === without?.uid)
    );
  });

const scaled = async (place: Place, replicas: number): Promise<void> => {
  await place.plane.request('PATCH', `${podSets(place)}/${NAME}`, { spec: { replicas } }, merge);
  await settled(place, replicas);
};

const childrenIn = async (place: Place): Promise<readonly Child[]> =>
  (await livingIn(place)).map(({ metadata }) => ({ name: metadata?.name ?? '', uid: metadata?.uid ?? '' }));

/** Any of its pods. */
const victimIn = async (place: Place): Promise<Child> => {
  const [, victim] = await childrenIn(place);
  if (victim) return victim;
  throw new Error(`Cannot pick a pod in ${place.namespace}: there are less than 2`);
};

const chapters: readonly Chapter[] = [
  {
    title: 'created with 3',
    live: async (place) => {
      const body = { apiVersion: 'app.example.com/v1alpha1', kind: 'PodSet', metadata: { name: NAME } };
      // Nobody waits longer for the pod that takes the place of a failed one than it takes to see that it does.
      const failedPods = { keepLast: 0, initialSeconds: 1 };
      await place.plane.request('POST', podSets(place), { ...body, spec: { replicas: 3, failedPods } });
      await settled(place, 3);
    },
  },
  { title: 'scaled up to 5', live: (place) => scaled(place, 5) },
  {
    title: 'a pod fails',
    live: async (place) => {
      const victim = await victimIn(place);
      const path = `${pods(place)}/${victim.name}/status`;
      await place.plane.request('PATCH', path, { status: { phase: 'Failed' } }, merge);
      await settled(place, 5, victim);
    },
  },
  {
    title: 'another writer deletes a pod',
    live: async (place) => {
      const victim = await victimIn(place);
      await place.plane.request('DELETE', `${pods(place)}/${victim.name}`);
      await settled(place, 5, victim);
    },
  },
  {
    title: 'another writer changes the status',
    live: async (place) => {
      await place.plane.request('PATCH', `${podSets(place)}/${NAME}/status`, { status: { replicas: 9 } }, merge);
      await settled(place, 5);
    },
  },
  { title: 'scaled down to 2', live: (place) => scaled(place, 2) },
];

/** Without names and uids, which differ from life to life, and what the API server puts into every pod. */
const podShape = ({ metadata, spec, status }: KubePod, uid: string): object => ({
  labels: metadata?.labels,
  owners: metadata?.ownerReferences?.map((owner) => ({ ...owner, uid: owner.uid === uid })),
  images: spec?.containers.map(({ name, image, command }) => ({ name, image, command })),
  phase: status?.phase,
});

const endState = async (place: Place): Promise<unknown> => {
  const { metadata, spec, status } = await read(place);
  const living = await podsIn(place);
  const isProgressing = status !== undefined && 'progressingSince' in status;
  const conditions = status?.conditions.map(({ type, status: value, reason, message }) => [
    type,
    value,
    reason,
    message,
  ]);
  return {
    spec,
    // An instant: when it is written differs, that it is must not.
    status: { ...status, podNames: status?.podNames.length, conditions, progressingSince: isProgressing },
    namesAgree: status?.podNames.join() === namesOf(living).join(),
    pods: living.map((pod) => podShape(pod, metadata.uid)),
  };
};

/**
 * The life of a PodSet until the day before its deletion: everything that makes its operator write.
 * Pods stay Pending (no scheduler), so that requests can be counted.
 */
export const podSetLife: Life = { chapters, children: 'pods', childrenIn, endState };

/** Its last day: nothing to be done for the operator, because the garbage collector removes the pods. */
export const deletePodSet = async (place: Place): Promise<void> => {
  await place.plane.request('DELETE', `${podSets(place)}/${NAME}`);
  await waiting(`the pods in ${place.namespace} to go`, async () => (await podsIn(place)).length === 0);
};
