import { ownerLabels } from '#lib/desired/names.ts';
import { carries } from '#lib/desired/selection.ts';
import { ApiError } from '#lib/errors.ts';
import type { KubeObject } from '#lib/kind/reference.ts';
import type { ApiObject } from '#lib/kube/api.ts';
import { controllerOf } from '#lib/loop/cache/cache.ts';
import { ownedFieldsOf } from '#lib/loop/cache/fingerprint.ts';
import type { CachedObject } from '#lib/loop/cache/projection.ts';
import { type Context, cacheOf, rememberImmutable, rememberPin } from '#lib/loop/context.ts';
import { covers } from '#lib/plan/covers.ts';
import type { Step } from '#lib/plan/step.ts';
import { type ChildTarget, lookUpChild, targetOf, type Written } from './live-child.ts';
import { immutableFieldsOf } from './refusal.ts';
import type { Seen } from './seen.ts';

type CreateStep = Extract<Step, { readonly step: 'create' }>;
type ApplyStep = Extract<Step, { readonly step: 'apply' }>;

/** No object ever has this version, so an apply that demands it creates or is refused with 409; it never takes over. */
const NO_VERSION = '1';

/** The object that we say is ours; the API server adds what it knows. */
const demanding = (object: KubeObject, demands: object): object => ({
  ...object,
  metadata: { ...object.metadata, ...demands },
});

/** An object that we control belongs to us whole: what somebody else set in our fields is taken over. */
const applied = async (context: Context, { kind, ...target }: ChildTarget, object: object): Promise<ApiObject> =>
  context.api.apply(kind, target, object, { fieldManager: context.fieldManager, force: true });

const posted = async ({ api, fieldManager }: Context, target: ChildTarget, object: object): Promise<ApiObject> =>
  api.create(target.kind, object, { namespace: target.namespace, fieldManager });

/** Old API servers cannot create a Service by apply with a version: their storage wants to set it (kubernetes#106745). */
const cannotCreateByApply = (error: unknown): boolean =>
  error instanceof ApiError &&
  error.httpStatus === 500 &&
  /resourceVersion should not be set/i.test(error.serverMessage);

const created = async (context: Context, target: ChildTarget, object: KubeObject): Promise<ApiObject> => {
  if (target.kind.createOnce) return posted(context, target, object);
  try {
    return await applied(context, target, demanding(object, { resourceVersion: NO_VERSION }));
  } catch (error) {
    if (!cannotCreateByApply(error)) throw error;
    return posted(context, target, object);
  }
};

/** POST says so; to an apply that only creates, every conflict looks the same. */
const mayBeTaken = ({ code, httpStatus }: ApiError, { kind }: ChildTarget): boolean =>
  code === 'AlreadyExists' || (httpStatus === 409 && !kind.createOnce);

/** What a POST says when the name is taken; an apply that only creates says it with less precision. */
const nameTaken = (error: ApiError): ApiError =>
  error.code === 'AlreadyExists'
    ? error
    : new ApiError(
        'create a child',
        { httpStatus: error.httpStatus, reason: 'AlreadyExists', message: error.serverMessage },
        { cause: error },
      );

/** What the server made of our intent is what later states are compared with. */
const takeAnswer = (
  context: Context,
  seen: Seen,
  { step, object }: { readonly step: CreateStep | ApplyStep; readonly object: CachedObject },
): void => {
  cacheOf(context, step.kind).overlay(object as unknown as ApiObject);
  const owned = ownedFieldsOf(object);
  rememberPin(context, seen, { uid: object.metadata.uid, pin: { intent: step.intent, ...(owned && { owned }) } });
};

/** A watch by label does not show a child whose label somebody took off; it would be missed for ever. */
const foundAgain = async (
  context: Context,
  seen: Seen,
  { step, live }: { readonly step: CreateStep; readonly live: ApiObject },
): Promise<Written> => {
  const labels = ownerLabels(context.definition, seen.resource.metadata.name);
  if (step.kind.labelled !== true || carries(live, labels)) return 'done';
  const target = targetOf(seen, step);
  const { uid } = live.metadata;
  const body = { metadata: { uid, labels } };
  const { api, fieldManager } = context;
  cacheOf(context, step.kind).overlay(await api.patch(step.kind, target, body, { type: 'merge', fieldManager }));
  return 'done';
};

/**
 * Creates a child. A name that is taken by a child of ours means that an earlier create went through, whatever became of
 * its answer.
 *
 * @throws {ApiError} when it is refused; `AlreadyExists` when somebody else holds the name
 * @throws {ConnectionError} when no answer came
 */
export const createChild = async (context: Context, seen: Seen, step: CreateStep): Promise<Written> => {
  const target = targetOf(seen, step);
  try {
    const answer = await created(context, target, step.object);
    takeAnswer(context, seen, { step, object: cacheOf(context, step.kind).reduced(answer) });
    return 'done';
  } catch (error) {
    if (!(error instanceof ApiError && mayBeTaken(error, target))) throw error;
    const live = await lookUpChild(context, target);
    if (live && controllerOf(live)?.uid === seen.resource.metadata.uid)
      return foundAgain(context, seen, { step, live });
    throw live ? nameTaken(error) : error;
  }
};

const patched = async (
  { api, fieldManager }: Context,
  { kind, ...target }: ChildTarget,
  patch: readonly object[],
): Promise<ApiObject> => api.patch(kind, target, patch, { fieldManager, type: 'json' });

/** @returns what is kept of the server's last answer */
const changed = async (context: Context, target: ChildTarget, step: ApplyStep): Promise<CachedObject> => {
  const { object, uid, resourceVersion, patch } = step;
  const cache = cacheOf(context, step.kind);
  if (patch) return cache.reduced(await patched(context, target, patch));
  const demands = resourceVersion === undefined ? { uid } : { uid, resourceVersion };
  const answer = await applied(context, target, demanding(object, demands));
  const reduced = cache.reduced(answer);
  if (!isEmptied(step, { answer, reduced })) return reduced;
  return cache.reduced(await applied(context, target, demanding(object, { uid })));
};

/**
 * True when an empty map or list of the intent does not stand in the answer. When an apply takes away all that was in a map
 * that shall be empty, the server drops the map (structured-merge-diff, `prune`); to apply once more brings it back.
 */
const isEmptied = (
  { object }: ApplyStep,
  { answer, reduced }: { readonly answer: ApiObject; readonly reduced: CachedObject },
): boolean => {
  const owned = ownedFieldsOf(reduced);
  const owner = controllerOf(answer)?.uid ?? '';
  return owned !== undefined && !covers(owned.set.tree, object, { owner, live: answer, isWhole: true });
};

/** 409 and 422 also say that the object is gone, or another; 404 says so to a patch. */
const mayBeAnother = ({ httpStatus }: ApiError): boolean =>
  httpStatus === 404 || httpStatus === 409 || httpStatus === 422;

/**
 * Changes a child, and that very child: one that is gone is not brought back, and one of the same name is left alone. In
 * both cases there is nothing to change, and the next snapshot shows it.
 *
 * @returns `outdated` when it was to be changed only in the state that was observed, and is in another one
 *
 * @throws {ApiError} when it is refused
 * @throws {ConnectionError} when no answer came
 */
export const changeChild = async (context: Context, seen: Seen, step: ApplyStep): Promise<Written> => {
  const target = targetOf(seen, step);
  try {
    takeAnswer(context, seen, { step, object: await changed(context, target, step) });
    return 'done';
  } catch (error) {
    if (!(error instanceof ApiError && mayBeAnother(error))) throw error;
    const live = await lookUpChild(context, target);
    if (live?.metadata.uid !== step.uid) return 'done';
    const fields = immutableFieldsOf(error);
    if (fields.length > 0)
      rememberImmutable(context, seen, { uid: step.uid, immutable: { intent: step.intent, fields } });
    if (step.resourceVersion !== undefined && step.resourceVersion !== live.metadata.resourceVersion) return 'outdated';
    if (fields.length === 0 && step.patch && error.httpStatus === 422) return removeVanished(context, target, step);
    throw error;
  }
};

/**
 * The whole change did not fit, as where somebody has put containers before ours: only what an apply would leave behind
 * goes now, and the next pass applies the rest.
 */
const removeVanished = async (context: Context, target: ChildTarget, { patch = [] }: ApplyStep): Promise<Written> => {
  const [same, ...operations] = patch;
  const removals = operations.filter(({ op }) => op === 'remove');
  cacheOf(context, target.kind).overlay(await patched(context, target, same ? [same, ...removals] : removals));
  return 'done';
};
