import { setTimeout as sleep } from 'node:timers/promises';
import type { PodSetBody } from '#test/cluster/pod-set-body.ts';
import type { ControlPlane } from '#test/control-plane/control-plane.ts';
import { waitFor } from '#test/control-plane/poll.ts';

import { createRandom } from '../../differential/random.ts';

/** The highest number of replicas that a PodSet asks for. */
export const MOST_PODS = 4;

/** PodSets whose specs keep changing. */
export interface Fleet {
  /** Creates the PodSets that do not exist, as a GitOps tool does. */
  readonly createMissing: () => Promise<void>;
  /** Scales PodSets up and down, one after the other, until the returned function is called. */
  readonly keepChanging: () => () => Promise<void>;
  /** Waits until every PodSet has and reports exactly the pods that it asks for, and no other pod exists. */
  readonly converged: () => Promise<void>;
  /** Polls the number of pods of each PodSet until the returned function is called. */
  readonly countPods: () => () => Promise<Census>;
}

/** Result of polling the pods of a fleet. */
export interface Census {
  /** The highest number of pods of one PodSet (by uid) that existed at one time and were not being deleted. */
  readonly most: number;
  readonly looks: number;
}

interface PodBody {
  readonly metadata: {
    readonly name: string;
    readonly deletionTimestamp?: string;
    readonly ownerReferences?: readonly { readonly uid: string }[];
  };
}

const merge = { contentType: 'application/merge-patch+json' } as const;
const LOOK_EVERY_MS = 300;
const CHANGE_EVERY_MS = 5;

const livingByOwner = (pods: readonly PodBody[]): Map<string, PodBody[]> =>
  Map.groupBy(
    pods.filter(({ metadata }) => metadata.deletionTimestamp === undefined),
    ({ metadata }) => metadata.ownerReferences?.[0]?.uid ?? '',
  );

const isSettled = ({ metadata, spec, status }: PodSetBody, pods: readonly PodBody[] = []): boolean =>
  status?.observedGeneration === metadata.generation &&
  status.replicas === spec.replicas &&
  status.podNames.join() ===
    pods
      .map((pod) => pod.metadata.name)
      .toSorted()
      .join() &&
  !status.conditions.some(({ type, status: value }) => type === 'Stalled' && value === 'True');

/** Repeats an action until the returned function is called. Failures are expected: the API server may be down. */
const repeating = (everyMs: number, act: () => Promise<void>): (() => Promise<void>) => {
  const over = new AbortController();
  const run = async (): Promise<void> => {
    while (!over.signal.aborted) {
      await act().catch(() => undefined);
      await sleep(everyMs);
    }
  };
  const running = run();
  return async () => {
    over.abort();
    await running;
  };
};

/** @param count how many PodSets, in a namespace of their own */
export const createFleet = (plane: ControlPlane, namespace: string, count: number): Fleet => {
  const podSets = `/apis/app.example.com/v1alpha1/namespaces/${namespace}/podsets`;
  const names = Array.from({ length: count }, (_, index) => `set-${index}`);
  const random = createRandom(1);
  const itemsOf = async <T>(path: string): Promise<readonly T[]> => {
    const { status, body } = await plane.request<{ items: T[] }>('GET', path);
    if (status === 200) return body.items;
    throw new Error(`Cannot list ${path}: ${status}`);
  };
  const podsIn = (): Promise<readonly PodBody[]> => itemsOf<PodBody>(`/api/v1/namespaces/${namespace}/pods`);
  const create = (name: string) => {
    const body = { apiVersion: 'app.example.com/v1alpha1', kind: 'PodSet', metadata: { name } };
    return plane.request('POST', podSets, { ...body, spec: { replicas: 1 + random.int(MOST_PODS) } });
  };
  return {
    createMissing: async () => {
      const existing = new Set((await itemsOf<PodSetBody>(podSets)).map(({ metadata }) => metadata.name));
      for (const name of names) if (!existing.has(name)) await create(name);
    },
    keepChanging: () =>
      repeating(CHANGE_EVERY_MS, async () => {
        const replicas = random.int(MOST_PODS + 1);
        await plane.request('PATCH', `${podSets}/${random.pick(names)}`, { spec: { replicas } }, merge);
      }),
    converged: () =>
      waitFor(
        `${count} PodSets to converge`,
        async () => {
          const [sets, pods] = await Promise.all([itemsOf<PodSetBody>(podSets), podsIn()]);
          const owned = livingByOwner(pods);
          const uids = new Set(sets.map(({ metadata }) => metadata.uid));
          const isOurs = [...owned.keys()].every((uid) => uids.has(uid));
          return sets.length === count && isOurs && sets.every((set) => isSettled(set, owned.get(set.metadata.uid)));
        },
        { pollMs: 250, timeoutMs: 300_000 },
      ),
    countPods: () => {
      let most = 0;
      let looks = 0;
      const stop = repeating(LOOK_EVERY_MS, async () => {
        for (const pods of livingByOwner(await podsIn()).values()) most = Math.max(most, pods.length);
        looks += 1;
      });
      return async () => {
        await stop();
        return { most, looks };
      };
    },
  };
};
