import { changePod, isReady, living, namesOf, podsIn, resourceAt, waiting } from './access.ts';
import type { Chapter, Life, Place } from './life.ts';
import { podsEndState } from './pod-set-life.ts';

interface Status {
  readonly replicas: number;
  readonly readyReplicas: number;
  readonly podNames: readonly string[];
}

const appService = resourceAt<Status>({
  apiVersion: 'app.example.com/v1alpha1',
  kind: 'AppService',
  plural: 'appservices',
  name: 'app',
});

/** Waits until this many pods exist and serve, and none of the previous ones. */
const settled = (place: Place, replicas: number, without?: string): Promise<void> =>
  waiting(`${replicas} pods in ${place.namespace}`, async () => {
    const resource = await appService.read(place);
    if (!isReady(resource) || resource.status?.readyReplicas !== replicas) return false;
    const pods = await podsIn(place);
    const isGone = pods.every(({ metadata }) => metadata?.uid !== without);
    return isGone && resource.status.replicas === replicas && namesOf(pods).join() === resource.status.podNames.join();
  });

const scaled = async (place: Place, replicas: number): Promise<void> => {
  await appService.edit(place, { spec: { replicas } });
  await settled(place, replicas);
};

const chapters: readonly Chapter[] = [
  {
    title: 'created with 2',
    live: async (place) => {
      await appService.create(place, { replicas: 2 });
      await settled(place, 2);
    },
  },
  { title: 'scaled up to 5', live: (place) => scaled(place, 5) },
  {
    title: 'another writer deletes a pod',
    live: async (place) => {
      const [victim] = living(await podsIn(place));
      await changePod(place, ['DELETE', victim?.name ?? '']);
      await settled(place, 5, victim?.uid);
    },
  },
  { title: 'scaled down to 1', live: (place) => scaled(place, 1) },
  { title: 'scaled up to 4', live: (place) => scaled(place, 4) },
  { title: 'scaled down to 0', live: (place) => scaled(place, 0) },
  { title: 'scaled up to 3', live: (place) => scaled(place, 3) },
];

/** The life of an AppService whose pods become ready. */
export const appServiceLife: Life = {
  title: 'AppService',
  chapters,
  children: ['pods'],
  childrenIn: async (place) => living(await podsIn(place)),
  endState: async (place) => podsEndState(await appService.read(place), await podsIn(place)),
  lastDay: async (place) => {
    await appService.remove(place);
    await waiting(`the pods in ${place.namespace} to go`, async () => (await podsIn(place)).length === 0);
  },
};
