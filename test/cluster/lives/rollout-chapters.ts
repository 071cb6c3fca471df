import type { Deployment as KubeDeployment } from 'kubernetes-types/apps/v1.js';
import {
  isReady,
  listIn,
  living,
  podsIn,
  type Resource,
  type ResourceAccess,
  servesAlready,
  stillOf,
  waiting,
} from './access.ts';
import type { Life, Place } from './life.ts';

/** The status of a rollout, as far as lives read it. */
export interface RolloutStatus {
  readonly phase: string;
  readonly canaryHash?: string;
  readonly stableVersion?: string;
  readonly currentStepIndex?: number;
  readonly availableReplicas: number;
  readonly deployments: readonly { readonly replicas: number; readonly availableReplicas: number }[];
  readonly history?: readonly { readonly outcome: string }[];
}

type Rollout = ResourceAccess<RolloutStatus>;

const deploymentsIn = (place: Place): Promise<readonly KubeDeployment[]> =>
  listIn(place, '/apis/apps/v1', 'deployments');

const until = (
  rollout: Rollout,
  place: Place,
  [what, isSo]: readonly [what: string, isSo: (resource: Resource<RolloutStatus>) => boolean],
): Promise<void> =>
  waiting(`${what} in ${place.namespace}`, async () => {
    const resource = await rollout.read(place);
    return resource.status?.observedGeneration === resource.metadata.generation && isSo(resource);
  });

/** Waits until this many rollouts have ended and one Deployment is left with all its pods. */
export const healthy = async (rollout: Rollout, place: Place, finished: number): Promise<void> => {
  await until(rollout, place, [
    `the end of rollout ${finished}`,
    (resource) => {
      const { phase, history = [], deployments = [] } = resource.status ?? {};
      const [only] = deployments;
      const isAlone = deployments.length === 1 && only?.replicas === sizeIn(resource) && areAvailable({ deployments });
      return isReady(resource) && phase === 'Healthy' && history.length === finished && isAlone;
    },
  ]);
  await quiet(place, async () => (await deploymentsIn(place)).length === 1);
};

/** Waits until the rollout is paused with these sizes. */
export const pausedAt = (rollout: Rollout, place: Place, sizes: string): Promise<void> =>
  until(rollout, place, [
    `the pause at ${sizes}`,
    ({ status }) => status?.phase === 'Paused' && sizesOf(status) === sizes && areAvailable(status),
  ]);

/** Waits until the version is given up, and the previous version runs alone. */
export const degraded = (rollout: Rollout, place: Place, sizes: string): Promise<void> =>
  until(rollout, place, [
    'the version to be given up',
    ({ status }) => status?.phase === 'Degraded' && sizesOf(status) === sizes && areAvailable(status),
  ]);

const sizesOf = ({ deployments }: RolloutStatus): string =>
  deployments
    .map(({ replicas }) => replicas)
    .toSorted((a, b) => a - b)
    .join('+');

/** The number of pods that the spec asks for; a Deployer has this number in another field. */
const sizeIn = ({ spec }: Resource<RolloutStatus>): number => {
  const { replicas, deployment } = spec as { replicas?: number; deployment?: { replicas: number } };
  return deployment?.replicas ?? replicas ?? 1;
};

const areAvailable = ({ deployments }: Pick<RolloutStatus, 'deployments'>): boolean =>
  deployments.every(({ replicas, availableReplicas }) => replicas === availableReplicas);

/** Waits until a condition holds and no pod is starting or stopping. */
const quiet = (place: Place, isSo: () => Promise<boolean>): Promise<void> =>
  waiting(`the pods in ${place.namespace} to be ready`, async () => {
    const pods = await podsIn(place);
    return pods.every((pod) => servesAlready(pod) && pod.metadata?.deletionTimestamp === undefined) && (await isSo());
  });

/** Writes a command with an id of its own, as a user does. */
export const command = async (rollout: Rollout, place: Place, verb: string): Promise<void> => {
  const { status } = await rollout.read(place);
  const value = JSON.stringify({ id: verb, verb, revision: status?.canaryHash });
  await rollout.edit(place, { metadata: { annotations: { 'deploy.example.com/command': value } } });
};

/** The parts that all lives of rollouts share. */
export const rolloutLife = (rollout: Rollout): Omit<Life, 'title' | 'chapters'> => ({
  children: ['deployments', 'controllerrevisions'],
  childrenIn: async (place) => living(await deploymentsIn(place)),
  endState: async (place) => {
    const { metadata, spec, status } = await rollout.read(place);
    const deployments = (await deploymentsIn(place)).map((deployment) => ({
      name: deployment.metadata?.name,
      labels: deployment.metadata?.labels,
      owners: deployment.metadata?.ownerReferences?.map((owner) => ({ ...owner, uid: owner.uid === metadata.uid })),
      spec: deployment.spec,
      ready: deployment.status?.readyReplicas,
    }));
    const revisions = await listIn<object>(place, '/apis/apps/v1', 'controllerrevisions');
    return {
      ...(stillOf({ spec, status }) as object),
      deployments,
      revisions: revisions.length,
      images: (await podsIn(place)).map(({ spec: pod }) => pod?.containers[0]?.image),
    };
  },
  lastDay: async (place) => {
    await rollout.remove(place);
    await waiting(`the children in ${place.namespace} to go`, async () => {
      const isLeft = [await deploymentsIn(place), await podsIn(place)].some((some) => some.length > 0);
      return !isLeft && (await listIn(place, '/apis/apps/v1', 'controllerrevisions')).length === 0;
    });
  },
});
