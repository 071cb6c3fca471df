import type { ClusterView, Invariant } from '#lib/sim/world/scenario/scenario.ts';
import {
  immortalsIn,
  isLive,
  isOff,
  isRunning,
  ordinalIn,
  ownerOf,
  podsIn,
  type StoredImmortal,
  type StoredPod,
} from './views.ts';

/** Steps in which a container stops although no kubelet reports it: its node returns and cleans up. */
const CLEANS_UP = /^nodes: .* comes back$/;

/**
 * No resource ever has two pods that may be running. A pod whose object was removed while its containers ran counts
 * until its node is off: the API server has forgotten it, the machine has not.
 */
export const neverTwoLive = (): Invariant => {
  let before = new Map<string, StoredPod>();
  /** Containers without an object: their owner and node, by uid. */
  const ghosts = new Map<string, { readonly owner: string; readonly node: string }>();
  const haunt = (view: ClusterView, now: ReadonlyMap<string, StoredPod>): void => {
    if (CLEANS_UP.test(view.lastStep)) ghosts.clear();
    if (!/operator/.test(view.lastStep)) return;
    for (const [uid, pod] of before) {
      const owner = ownerOf(pod);
      if (now.has(uid) || owner === undefined || !isRunning(pod) || isOff(view, pod.spec.nodeName)) continue;
      ghosts.set(uid, { owner, node: pod.spec.nodeName ?? '' });
    }
  };
  return {
    name: 'never more than one live pod',
    check: (view) => {
      const now = new Map(podsIn(view).map((pod) => [pod.metadata.uid, pod]));
      haunt(view, now);
      before = now;
      const live = [...now.values()].filter(isLive).flatMap((pod) => ownerOf(pod) ?? []);
      const haunting = [...ghosts.values()].filter(({ node }) => !isOff(view, node)).map(({ owner }) => owner);
      const owners = [...live, ...haunting];
      const twice = owners.find((owner, index) => owners.indexOf(owner) !== index);
      return twice === undefined ? undefined : `${live.length} pods, ${haunting.length} forgotten containers`;
    },
    memory: () => [[...before.keys()], [...ghosts]],
  };
};

/** Actors that may delete a foreign pod: its owner, and the machine that it runs on. */
const MAY_DELETE = /^(?:user|admin|kubelet|node|namespace|taint)/;

/** A foreign pod is deleted only by its owner. */
export const strangersStay = (): Invariant => {
  let before = new Map<string, string>();
  return {
    name: 'pods of other owners are left alone',
    check: (view) => {
      const loose = podsIn(view).filter(({ metadata }) => metadata.ownerReferences === undefined);
      const given = podsIn(view).filter(({ metadata }) => metadata.annotations?.['immortalcontainer.flugel.it/adopt']);
      const alive = [...loose, ...given].filter(({ metadata }) => metadata.deletionTimestamp === undefined);
      const now = new Map(alive.map(({ metadata }) => [metadata.uid, metadata.name]));
      const gone = [...before].filter(([uid]) => !now.has(uid)).map(([, name]) => name);
      before = now;
      return gone.length === 0 || MAY_DELETE.test(view.lastStep) ? undefined : `${gone.join()} by "${view.lastStep}"`;
    },
    memory: () => [...before],
  };
};

interface Books {
  /** Started pods that the status has named. */
  readonly named: Set<string>;
  startTimes: number;
}

/**
 * The status counts every pod that it ever names once, whatever happens in between. A pod that is deleted before the
 * next status is written is not named, and so not counted: that is the documented window.
 */
export const startsAreCounted = (): Invariant => {
  const books = new Map<string, Books>();
  /** Pods with an ordinal, including deleted ones. */
  const started = new Set<string>();
  const read = ({ metadata, status }: StoredImmortal): string | undefined => {
    const { named, ...before } = books.get(metadata.uid) ?? { named: new Set<string>(), startTimes: 0 };
    for (const uid of [status?.currentPodUID, status?.lastExit?.podUID])
      if (uid !== undefined && started.has(uid)) named.add(uid);
    const startTimes = status?.startTimes ?? 0;
    books.set(metadata.uid, { named, startTimes });
    if (startTimes < before.startTimes) return `startTimes fell from ${before.startTimes} to ${startTimes}`;
    return startTimes === named.size ? undefined : `startTimes is ${startTimes}, and ${named.size} pods were named`;
  };
  return {
    name: 'every start is counted once',
    check: (view) => {
      for (const pod of podsIn(view)) if (ordinalIn(pod) > 0) started.add(pod.metadata.uid);
      return immortalsIn(view).flatMap((immortal) => read(immortal) ?? [])[0];
    },
    memory: () => [[...started], [...books].map(([uid, { named, startTimes }]) => [uid, [...named], startTimes])],
  };
};
