import { ApiError, UnsupportedError } from '#lib/errors.ts';
import type { KindRef } from '#lib/kind/reference.ts';
import type { ApiObject } from '#lib/kube/api.ts';
import { controllerOf } from '#lib/loop/cache/cache.ts';
import { lookUp } from '#lib/loop/cache/look-up.ts';
import { type Context, cacheOf } from '#lib/loop/context.ts';
import { keyOf } from '#lib/loop/key.ts';
import type { Step } from '#lib/plan/step.ts';
import type { Seen } from './observe.ts';

/** A step that asks the API server for something. */
export type WriteStep = Exclude<Step, { readonly step: 'skip' }>;
type CreateStep = Extract<Step, { readonly step: 'create' }>;
type DeleteStep = Extract<Step, { readonly step: 'remove' | 'prune' }>;

/** One child of a namespace, whatever is known of it. */
export interface ChildTarget {
  readonly kind: KindRef;
  readonly namespace: string;
  readonly name: string;
}

/** Looks a child up live, so that the next snapshot shows what is found. */
export const lookUpChild = async (context: Context, target: ChildTarget): Promise<ApiObject | undefined> =>
  lookUp(context.api, { ...target, cache: cacheOf(context, target.kind) });

const targetOf = ({ resource }: Seen, { kind, name }: Step): ChildTarget => ({
  kind,
  namespace: resource.metadata.namespace,
  name,
});

/** A name that is taken by a child of ours means that an earlier create went through, whatever became of its answer. */
const create = async (context: Context, seen: Seen, step: CreateStep): Promise<void> => {
  const { api, fieldManager } = context;
  const target = targetOf(seen, step);
  try {
    const answer = await api.create(step.kind, step.object, { namespace: target.namespace, fieldManager });
    cacheOf(context, step.kind).overlay(answer);
  } catch (error) {
    if (!(error instanceof ApiError && error.code === 'AlreadyExists')) throw error;
    const live = await lookUpChild(context, target);
    if (!live || controllerOf(live)?.uid !== seen.resource.metadata.uid) throw error;
  }
};

const demandsOf = (step: DeleteStep) => {
  if (step.step === 'prune') return { resourceVersion: step.resourceVersion };
  return step.gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds: step.gracePeriodSeconds };
};

/** A deletion is done, too, when the object is gone already, or when another has its name. */
const remove = async (context: Context, seen: Seen, step: DeleteStep): Promise<void> => {
  const { kind, ...target } = targetOf(seen, step);
  const cache = cacheOf(context, kind);
  try {
    const lingering = await context.api.delete(kind, target, { uid: step.uid, ...demandsOf(step) });
    if (lingering) cache.overlay(lingering);
    else cache.overlayGone(keyOf(target.namespace, target.name), step.uid);
  } catch (error) {
    if (!(error instanceof ApiError && (error.httpStatus === 404 || error.httpStatus === 409))) throw error;
    const live = await lookUpChild(context, { kind, ...target });
    if (live?.metadata.uid === step.uid) throw error;
  }
};

/**
 * Asks the API server for one step. Answers go into the cache at once.
 *
 * @throws {ApiError} when it is refused
 * @throws {ConnectionError} when no answer came, so that nobody knows
 */
export const writeChild = async (context: Context, seen: Seen, step: WriteStep): Promise<void> => {
  switch (step.step) {
    case 'create':
      return create(context, seen, step);
    case 'remove':
    case 'prune':
      return remove(context, seen, step);
    case 'apply':
    case 'adopt':
    case 'release':
      throw new UnsupportedError(`Step "${step.step}" is not supported by this version of the loop`);
  }
};
