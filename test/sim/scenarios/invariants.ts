import type { Invariant } from '#lib/sim/world/scenario/scenario.ts';
import { activePods, podSetsIn, podsIn, setUidOf } from './views.ts';

/** A set never has more pods than a spec has asked for. */
export const neverTooMany = (): Invariant => {
  /** The largest requested number, by the uid of the set. */
  const largest = new Map<string, number>();
  return {
    name: 'never more pods than asked for',
    check: (view) => {
      for (const { metadata, spec } of podSetsIn(view)) {
        largest.set(metadata.uid, Math.max(spec.replicas, largest.get(metadata.uid) ?? 0));
      }
      for (const [uid, pods] of activePods(view)) {
        const limit = largest.get(uid) ?? Infinity;
        const names = pods.map(({ metadata }) => metadata.name);
        if (pods.length > limit) return `${pods.length} pods, ${limit} asked for: ${names.join(', ')}`;
      }
      return undefined;
    },
    memory: () => [...largest],
  };
};

/** Once a set has reached the smallest number ever requested, the loop never takes it below that. */
export const neverTooFew = (): Invariant => {
  /** The smallest requested number, by the uid of the set. */
  const smallest = new Map<string, number>();
  const reached = new Set<string>();
  return {
    name: 'never fewer pods than asked for once they are there',
    check: (view) => {
      const pods = activePods(view);
      for (const { metadata, spec } of podSetsIn(view)) {
        if (metadata.deletionTimestamp !== undefined) continue;
        const { uid } = metadata;
        const limit = Math.min(spec.replicas, smallest.get(uid) ?? Infinity);
        smallest.set(uid, limit);
        const count = pods.get(uid)?.length ?? 0;
        if (count >= limit) reached.add(uid);
        else if (reached.has(uid)) return `${count} pods of "${metadata.name}", ${limit} asked for`;
      }
      return undefined;
    },
    memory: () => [[...smallest], [...reached].toSorted()],
  };
};

/** Actors that may delete a foreign pod: its owner, and the machine that it runs on. */
const MAY_DELETE = /^(?:user|admin|kubelet|node|namespace|taint)/;

/** A foreign pod is deleted only by its owner. */
export const foreignPodsStay = (): Invariant => {
  /** Pods without an owner that were not being deleted before the last step: names by uid. */
  let before = new Map<string, string>();
  return {
    name: 'pods of other owners are left alone',
    check: (view) => {
      const foreign = podsIn(view).filter((pod) => setUidOf(pod) === undefined);
      const alive = foreign.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
      const now = new Map(alive.map(({ metadata }) => [metadata.uid, metadata.name]));
      const gone = [...before].filter(([uid]) => !now.has(uid)).map(([, name]) => name);
      before = now;
      return gone.length === 0 || MAY_DELETE.test(view.lastStep)
        ? undefined
        : `${gone.join(', ')} by "${view.lastStep}"`;
    },
    memory: () => [...before],
  };
};
