import type { ControllerRevision } from 'kubernetes-types/apps/v1.js';
import type { Pod as KubePod } from 'kubernetes-types/core/v1.js';
import { isReady, listIn, living, namesOf, podsIn, resourceAt, servesAlready, waiting } from './access.ts';
import type { Chapter, Life, Place } from './life.ts';
import { podsEndState, webSet } from './pod-set-life.ts';

interface Status {
  readonly replicas: number;
  readonly updatedReplicas: number;
  readonly availableReplicas: number;
  readonly terminatingReplicas: number;
  readonly currentRevision: string;
  readonly updateRevision: string;
  readonly podNames: readonly string[];
}

const podSet = resourceAt<Status>(webSet);

const templateOf = (image: string, more: object = {}) => ({ spec: { containers: [{ name: 'c', image }], ...more } });

const imagesOf = (pods: readonly KubePod[]): string =>
  pods
    .map(({ spec }) => spec?.containers[0]?.image ?? '')
    .toSorted()
    .join(' ');

/** Waits until exactly these pods exist, and the status reports them for the latest spec. */
const settled = (
  place: Place,
  images: string,
  isSo: (status: Status, isWholeSetReady: boolean) => boolean,
): Promise<void> =>
  waiting(`${images} in ${place.namespace}`, async () => {
    const resource = await podSet.read(place);
    const { metadata, status } = resource;
    if (status?.observedGeneration !== metadata.generation || !isSo(status, isReady(resource))) return false;
    const pods = await podsIn(place);
    return imagesOf(pods) === images && namesOf(pods).join() === status.podNames.join();
  });

const updated = (place: Place, image: string): Promise<void> =>
  settled(place, `${image} ${image} ${image}`, (status, isWholeSetReady) => {
    const { availableReplicas, updatedReplicas, currentRevision, updateRevision } = status;
    return isWholeSetReady && availableReplicas === 3 && updatedReplicas === 3 && currentRevision === updateRevision;
  });

const chapters: readonly Chapter[] = [
  {
    title: 'created',
    live: async (place) => {
      const updateStrategy = { type: 'RollingUpdate', maxSurge: 1, maxUnavailable: 1 };
      await podSet.create(place, { replicas: 3, updateStrategy, template: templateOf('a:1') });
      await updated(place, 'a:1');
    },
  },
  {
    title: 'updated',
    live: async (place) => {
      await podSet.edit(place, { spec: { template: templateOf('a:2') } });
      await updated(place, 'a:2');
    },
  },
  {
    title: 'updated to what never becomes ready, which stops in the middle',
    live: async (place) => {
      await podSet.edit(place, { spec: { template: templateOf('a:3', { nodeSelector: { nowhere: 'true' } }) } });
      await settled(place, 'a:2 a:2 a:3 a:3', (status) => status.updatedReplicas === 2 && status.replicas === 4);
    },
  },
  {
    title: 'taken back',
    live: async (place) => {
      await podSet.edit(place, { spec: { template: templateOf('a:2', { nodeSelector: null }) } });
      await updated(place, 'a:2');
    },
  },
];

/** The stored templates, the oldest first. */
const revisionsIn = async (place: Place): Promise<readonly object[]> =>
  (await listIn<ControllerRevision>(place, '/apis/apps/v1', 'controllerrevisions'))
    .toSorted((a, b) => a.revision - b.revision)
    .map(({ data, metadata, revision }) => ({ data, name: metadata?.name, revision }));

/** The life of a PodSet whose template is changed, and reverted during an update. */
export const podSetUpdateLife: Life = {
  title: 'PodSet, updated',
  chapters,
  children: ['pods', 'controllerrevisions'],
  childrenIn: async (place) => living(await podsIn(place)),
  endState: async (place) => {
    const pods = await podsIn(place);
    const serving = pods.filter(servesAlready).length;
    return {
      ...(podsEndState(await podSet.read(place), pods) as object),
      serving,
      revisions: await revisionsIn(place),
    };
  },
  lastDay: async (place) => {
    await podSet.remove(place);
    await waiting(`the children in ${place.namespace} to go`, async () => {
      return (await podsIn(place)).length === 0 && (await revisionsIn(place)).length === 0;
    });
  },
};
