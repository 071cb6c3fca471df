import type { Pod as KubePod } from 'kubernetes-types/core/v1.js';
import { changePod, living, namesOf, podShape, podsIn, type Resource, resourceAt, waiting } from './access.ts';
import type { Chapter, Child, Life, Place } from './life.ts';

interface Status {
  readonly replicas: number;
  readonly podNames: readonly string[];
}

/** The PodSet of the lives. */
export const webSet = {
  apiVersion: 'app.example.com/v1alpha1',
  kind: 'PodSet',
  plural: 'podsets',
  name: 'web',
} as const;

const podSet = resourceAt<Status>(webSet);

/** Waits until exactly this many pods exist, and the status reports them for the latest spec. */
const settled = async (place: Place, replicas: number, without?: Child): Promise<void> =>
  waiting(`${replicas} pods in ${place.namespace}`, async () => {
    const { metadata, status } = await podSet.read(place);
    if (status?.observedGeneration !== metadata.generation || status.replicas !== replicas) return false;
    const pods = await podsIn(place);
    // By uid: a new pod may get the name of a deleted one.
    return namesOf(pods).join() === status.podNames.join() && !pods.some((pod) => pod.metadata?.uid === without?.uid);
  });

const scaled = async (place: Place, replicas: number): Promise<void> => {
  await podSet.edit(place, { spec: { replicas } });
  await settled(place, replicas);
};

const childrenIn = async (place: Place): Promise<readonly Child[]> =>
  living((await podsIn(place)).filter(({ status }) => status?.phase !== 'Failed'));

/** Returns the second pod of the namespace, as any of them. */
const victimIn = async (place: Place): Promise<Child> => {
  const [, victim] = await childrenIn(place);
  if (victim) return victim;
  throw new Error(`Cannot pick a pod in ${place.namespace}: there are less than 2`);
};

const chapters: readonly Chapter[] = [
  {
    title: 'created with 3',
    live: async (place) => {
      // A short delay: the failed pod is replaced within the time that the chapter takes to check it.
      await podSet.create(place, { replicas: 3, failedPods: { keepLast: 0, initialSeconds: 1 } });
      await settled(place, 3);
    },
  },
  { title: 'scaled up to 5', live: (place) => scaled(place, 5) },
  {
    title: 'a pod fails',
    live: async (place) => {
      const victim = await victimIn(place);
      await changePod(place, ['PATCH', `${victim.name}/status`], { status: { phase: 'Failed' } });
      await settled(place, 5, victim);
    },
  },
  {
    title: 'another writer deletes a pod',
    live: async (place) => {
      const victim = await victimIn(place);
      await changePod(place, ['DELETE', victim.name]);
      await settled(place, 5, victim);
    },
  },
  {
    title: 'another writer changes the status',
    live: async (place) => {
      await podSet.edit(place, { status: { replicas: 9 } }, '/status');
      await settled(place, 5);
    },
  },
  { title: 'scaled down to 2', live: (place) => scaled(place, 2) },
];

/** The compared state of a resource whose children are the pods that its status names. */
export const podsEndState = ({ metadata, spec, status }: Resource<Status>, pods: readonly KubePod[]): unknown => ({
  spec,
  status: {
    ...status,
    podNames: status?.podNames.length,
    conditions: status?.conditions.map(({ type, status: value, reason, message }) => [type, value, reason, message]),
    // The time itself differs between runs, but in all of them it must be set or absent alike.
    progressingSince: status !== undefined && 'progressingSince' in status,
  },
  namesAgree: status?.podNames.join() === namesOf(pods).join(),
  pods: pods.map((pod) => podShape(pod, metadata.uid)),
});

/**
 * The life of a PodSet: everything that makes its operator write.
 * Pods stay Pending (no scheduler), so that requests can be counted.
 */
export const podSetLife: Life = {
  title: 'PodSet',
  chapters,
  children: ['pods'],
  childrenIn,
  endState: async (place) => podsEndState(await podSet.read(place), await podsIn(place)),
  // The garbage collector removes the pods; the operator has nothing to do.
  lastDay: async (place) => {
    await podSet.remove(place);
    await waiting(`the pods in ${place.namespace} to go`, async () => (await podsIn(place)).length === 0);
  },
};
