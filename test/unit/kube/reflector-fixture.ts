import { ApiError, type ReconcileError } from '#lib/errors.ts';
import type { ApiObject, WatchEvent } from '#lib/kube/interface/api.ts';
import { startReflector } from '#lib/kube/reflector/reflector.ts';
import type { ReflectorOptions } from '#lib/kube/reflector/types.ts';
import { WatchLists } from '#lib/kube/reflector/watch-list.ts';
import { type ManualTimers, manualTimers, settle } from './manual-timers.ts';
import type { OpenWatch, ScriptedApi } from './scripted-api.ts';

export const pods = { apiVersion: 'v1', kind: 'Pod', plural: 'pods', scope: 'Namespaced' } as const;

export const refused = (
  httpStatus: number,
  reason: string,
  more: { retryAfterMs?: number; cause?: string } = {},
): ApiError =>
  new ApiError('watch pods', {
    httpStatus,
    reason,
    message: 'no',
    ...(more.retryAfterMs !== undefined && { retryAfterMs: more.retryAfterMs }),
    ...(more.cause !== undefined && { causes: [{ reason: more.cause }] }),
  });

/** A sink with the contents that a cache would have. */
export const storeOf = () => {
  const objects = new Map<string, ApiObject>();
  const seen: string[] = [];
  return {
    objects,
    seen,
    names: () => [...objects.values()].map(({ metadata }) => `${metadata.name}@${metadata.resourceVersion}`).toSorted(),
    replace: (items: readonly ApiObject[], resourceVersion: string) => {
      seen.push(`replace ${resourceVersion}`);
      objects.clear();
      for (const item of items) objects.set(item.metadata.uid, item);
    },
    event: (event: WatchEvent) => {
      seen.push(event.type);
      if (event.type === 'BOOKMARK') return;
      if (event.type === 'DELETED') objects.delete(event.object.metadata.uid);
      else objects.set(event.object.metadata.uid, event.object);
    },
  };
};

export const start = async (api: ScriptedApi, more: Partial<ReflectorOptions> = {}) => {
  const timers = manualTimers();
  const store = storeOf();
  const errors: { error: ReconcileError; retryInMs: number }[] = [];
  const refusals: ReconcileError[] = [];
  const reflector = startReflector({
    api,
    resource: pods,
    sink: store,
    timers,
    random: () => 0.5,
    watchLists: new WatchLists({ isOff: true }),
    onError: (error, retryInMs) => errors.push({ error, retryInMs }),
    onRefused: (error) => refusals.push(error),
    ...more,
  });
  await settle();
  return { reflector, timers, store, errors, refusals };
};

/** The open watch. */
export const current = (api: ScriptedApi): OpenWatch => api.watches.at(-1)!;

/** Lets a watch run for a while, then breaks it. */
export const breakAfter = async (api: ScriptedApi, timers: ManualTimers, ms: number, error: unknown): Promise<void> => {
  await timers.advance(ms);
  current(api).fail(error);
  await settle();
};

export const page = (...items: ApiObject[]) => ({ items, resourceVersion: '10' });
