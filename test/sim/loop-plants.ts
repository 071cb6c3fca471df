import { vi } from 'vitest';
import { ApiError } from '#lib/errors.ts';
import type { ApiObject, ApiResource, ApiTarget, KubeApi } from '#lib/kube/interface/api.ts';
import { isNewerVersion } from '#lib/kube/interface/resource-version.ts';
import { ObjectCache } from '#lib/loop/cache/cache.ts';
import { type Key, keyOf } from '#lib/loop/context/key.ts';
import { Controller } from '#lib/loop/controller.ts';
import { EffectRunner } from '#lib/loop/effects/runner.ts';
import { type ManagerOptions, startManager } from '#lib/loop/manager/manager.ts';
import { doubtsSlot } from '#lib/loop/pass/doubts.ts';
import { WorkQueue } from '#lib/loop/queue/queue.ts';
import type { Scenario } from '#lib/sim/world/scenario/scenario.ts';

/** Adds a bug of the loop to a scenario. `vi.restoreAllMocks` removes it. */
export type Plant = (scenario: Scenario) => Scenario;

/** Starts the loop with another API. */
export const startedWith =
  (change: (api: KubeApi) => KubeApi, more: Pick<ManagerOptions, 'watchLists'> = {}): Plant =>
  (scenario) => ({ ...scenario, start: (options) => startManager({ ...options, ...more, api: change(options.api) }) });

/** The method of a class before it is replaced. */
const originalOf = <Method>(prototype: object, name: string): Method =>
  Object.getOwnPropertyDescriptor(prototype, name)?.value as Method;

/** The bug that a response replaces a newer state, or brings back a deleted object. */
export const acceptsOlderVersions: Plant = (scenario) => {
  const overlay = originalOf<ObjectCache['overlay']>(ObjectCache.prototype, 'overlay');
  const seenThrough = originalOf<ObjectCache['seenThrough']>(ObjectCache.prototype, 'seenThrough');
  let isAccepting = false;
  vi.spyOn(ObjectCache.prototype, 'seenThrough').mockImplementation(function (this: ObjectCache, scope) {
    return isAccepting ? '0' : seenThrough.call(this, scope);
  });
  vi.spyOn(ObjectCache.prototype, 'overlay').mockImplementation(function (this: ObjectCache, answer, options) {
    const { namespace, name, uid, resourceVersion } = answer.metadata;
    const held = this.get(keyOf(namespace, name));
    if (held?.metadata.uid === uid && isNewerVersion(held.metadata.resourceVersion, resourceVersion)) {
      this.overlayGone(keyOf(namespace, name), uid);
      this.gone.delete(uid);
    }
    isAccepting = true;
    overlay.call(this, answer, options);
    isAccepting = false;
  });
  return scenario;
};

/** The bug that the loop does not try a resource again after a write without a response. */
export const withoutRetries: Plant = (scenario) => {
  vi.spyOn(WorkQueue.prototype, 'addFailed').mockReturnValue(undefined);
  return scenario;
};

/** The bug that the loop does not remember its own deletions until the watch shows them. */
export const withoutDeletions: Plant = (scenario) => {
  vi.spyOn(ObjectCache.prototype, 'overlayGone').mockReturnValue(undefined);
  return scenario;
};

/** The bug that the deletion of an object starts no pass, neither for its owner nor for a resource that looks it up. */
export const asleepAtDeletions: Plant = (scenario) => {
  const { prototype } = Controller;
  const childChanged = originalOf<Controller['childChanged']>(prototype, 'childChanged');
  const lookedUpChanged = originalOf<Controller['lookedUpChanged']>(prototype, 'lookedUpChanged');
  vi.spyOn(prototype, 'childChanged').mockImplementation(function (this: Controller, change) {
    if (change.after !== undefined) childChanged.call(this, change);
  });
  vi.spyOn(prototype, 'lookedUpChanged').mockImplementation(function (this: Controller, kind, change) {
    if (change.after !== undefined) lookedUpChanged.call(this, kind, change);
  });
  return scenario;
};

const isConflict = (error: unknown): boolean => error instanceof ApiError && error.httpStatus === 409;

const targetText = ({ plural }: ApiResource, { namespace = '', name }: ApiTarget): string =>
  `${plural} ${namespace}/${name}`;

/** The bug that the loop does not read the object after a refused apply. */
export const blindAfterConflicts = startedWith((api) => {
  const conflicts = new Map<string, unknown>();
  return {
    ...api,
    apply: async (resource, target, ...rest): Promise<ApiObject> => {
      try {
        return await api.apply(resource, target, ...rest);
      } catch (error) {
        if (isConflict(error)) conflicts.set(targetText(resource, target), error);
        throw error;
      }
    },
    get: async (resource, target): Promise<ApiObject> => {
      const conflict = conflicts.get(targetText(resource, target));
      conflicts.delete(targetText(resource, target));
      if (conflict !== undefined) throw conflict;
      return api.get(resource, target);
    },
  };
});

/** The bug that the loop does not read the object after a write without a response. */
export const withoutDoubts: Plant = (scenario) => {
  vi.spyOn(doubtsSlot, 'set').mockReturnValue(undefined);
  return scenario;
};

/**
 * The bug that a resource gets the effects of an earlier resource of the same name, unless a pass ran while the name was free.
 */
export const withForeignEffects: Plant = (scenario) => {
  const { prototype } = EffectRunner;
  const outcomes = originalOf<EffectRunner['outcomes']>(prototype, 'outcomes');
  const request = originalOf<EffectRunner['request']>(prototype, 'request');
  const forget = originalOf<EffectRunner['forget']>(prototype, 'forget');
  const first = new WeakMap<EffectRunner, Map<Key, string>>();
  const uidOf = (runner: EffectRunner, key: Key, uid: string): string => {
    const uids = first.get(runner) ?? new Map<Key, string>();
    first.set(runner, uids);
    if (!uids.has(key)) uids.set(key, uid);
    return uids.get(key) ?? uid;
  };
  vi.spyOn(prototype, 'outcomes').mockImplementation(function (this: EffectRunner, key, uid) {
    return outcomes.call(this, key, uidOf(this, key, uid));
  });
  vi.spyOn(prototype, 'request').mockImplementation(function (this: EffectRunner, resource, effects) {
    const { namespace, name, uid } = resource.metadata;
    const metadata = { ...resource.metadata, uid: uidOf(this, keyOf(namespace, name), uid) };
    request.call(this, { ...resource, metadata }, effects);
  });
  vi.spyOn(prototype, 'forget').mockImplementation(function (this: EffectRunner, key) {
    first.get(this)?.delete(key);
    forget.call(this, key);
  });
  return scenario;
};
