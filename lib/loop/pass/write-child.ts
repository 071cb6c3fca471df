import { ApiError } from '#lib/errors.ts';
import { type Context, cacheOf } from '#lib/loop/context.ts';
import { keyOf } from '#lib/loop/key.ts';
import type { Step } from '#lib/plan/step.ts';
import { changeChild, createChild } from './apply-child.ts';
import { lookUpChild, targetOf, type Written } from './live-child.ts';
import { adoptChild, releaseChild } from './ownership.ts';
import type { Seen } from './seen.ts';

/** A step that asks the API server for something. */
export type WriteStep = Exclude<Step, { readonly step: 'skip' }>;
type DeleteStep = Extract<Step, { readonly step: 'remove' | 'prune' | 'replace' }>;

const versionOf = (step: DeleteStep): string | undefined =>
  step.step === 'replace' ? undefined : step.resourceVersion;

const demandsOf = (step: DeleteStep) => {
  const resourceVersion = versionOf(step);
  const version = resourceVersion === undefined ? {} : { resourceVersion };
  if (step.step !== 'remove' || step.gracePeriodSeconds === undefined) return version;
  return { ...version, gracePeriodSeconds: step.gracePeriodSeconds };
};

/** A deletion is done, too, when the object is gone already, or when another has its name. */
const remove = async (context: Context, seen: Seen, step: DeleteStep): Promise<Written> => {
  const { kind, ...target } = targetOf(seen, step);
  const cache = cacheOf(context, kind);
  try {
    const lingering = await context.api.delete(kind, target, { uid: step.uid, ...demandsOf(step) });
    if (lingering) cache.overlay(lingering);
    else cache.overlayGone(keyOf(target.namespace, target.name), step.uid);
    return 'done';
  } catch (error) {
    if (!(error instanceof ApiError && (error.httpStatus === 404 || error.httpStatus === 409))) throw error;
    const live = await lookUpChild(context, { kind, ...target });
    if (live?.metadata.uid !== step.uid) return 'done';
    const resourceVersion = versionOf(step);
    if (resourceVersion === undefined || resourceVersion === live.metadata.resourceVersion) throw error;
    return 'outdated';
  }
};

/**
 * Asks the API server for one step. Answers go into the cache at once.
 *
 * @returns `outdated` when the child was not as it was observed; it has been looked up
 *
 * @throws {ApiError} when it is refused
 * @throws {ConnectionError} when no answer came, so that nobody knows
 */
export const writeChild = async (context: Context, seen: Seen, step: WriteStep): Promise<Written> => {
  switch (step.step) {
    case 'create':
      return createChild(context, seen, step);
    case 'apply':
      return changeChild(context, seen, step);
    case 'remove':
    case 'prune':
    case 'replace':
      return remove(context, seen, step);
    case 'adopt':
      return adoptChild(context, seen, step);
    case 'release':
      return releaseChild(context, seen, step);
  }
};
