import { carries } from '#lib/desired/observe/selection.ts';
import { ApiError } from '#lib/errors.ts';
import type { KindRef, KubeObject } from '#lib/kind/handles/reference.ts';
import type { ApiObject } from '#lib/kube/interface/api.ts';
import { ownedFieldsOf } from '#lib/loop/cache/projection/fingerprint.ts';
import type { CachedObject } from '#lib/loop/cache/projection/projection.ts';
import type { CacheMoment } from '#lib/loop/cache/trust.ts';
import { type Context, cacheOf } from '#lib/loop/context/context.ts';
import { keyOf } from '#lib/loop/context/key.ts';
import {
  type ChildTarget,
  childTargetOf,
  isOwnedBy,
  lookUpChild,
  ownedOr,
  shownAsOurs,
  type Written,
} from '#lib/loop/pass/live-child.ts';
import type { Snapshot } from '#lib/loop/pass/snapshot.ts';
import { covers } from '#lib/plan/fields/covers.ts';
import { overridesOf } from '#lib/plan/fields/overrides.ts';
import { identityOf } from '#lib/plan/identity.ts';
import { type Stamped, stamp } from '#lib/plan/stamp.ts';
import type { PatchOperation, Step } from '#lib/plan/step.ts';
import { adoptChild, releaseChild } from './ownership.ts';
import { rememberImmutable, rememberPin } from './pins.ts';
import { immutableFieldsOf } from './refusal.ts';

type CreateStep = Extract<Step, { readonly step: 'create' }>;
type ApplyStep = Extract<Step, { readonly step: 'apply' }>;

/**
 * No object ever has this resource version. An apply with this version therefore creates an object or is refused; it never
 * changes an existing object.
 */
const NO_VERSION = '1';

/** The object with preconditions (uid, resource version) in its metadata. */
const demanding = (object: KubeObject, demands: object): object => ({
  ...object,
  metadata: { ...object.metadata, ...demands },
});

/** Applies with force, because the operator owns all fields of its intent, also those that other managers have set. */
const applied = async (context: Context, { kind, ...target }: ChildTarget, object: object): Promise<ApiObject> =>
  context.api.apply(kind, target, object, { fieldManager: context.fieldManager, force: true });

const posted = async ({ api, fieldManager }: Context, target: ChildTarget, object: object): Promise<ApiObject> =>
  api.create(target.kind, object, { namespace: target.namespace, fieldManager });

/**
 * Old API servers cannot create a Service by an apply with a resource version: their storage sets the version itself
 * (kubernetes#106745).
 */
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

/**
 * Whether the error can mean that the name is taken. A POST reports `AlreadyExists`. An apply reports the same status 409 for
 * every conflict.
 */
const mayBeTaken = ({ code, httpStatus }: ApiError, { kind }: ChildTarget): boolean =>
  code === 'AlreadyExists' || (httpStatus === 409 && !kind.createOnce);

/** The error of a create with the code `AlreadyExists`, because the error of an apply is less precise. */
const nameTaken = (error: ApiError): ApiError =>
  error.code === 'AlreadyExists'
    ? error
    : new ApiError(
        'create a child',
        { httpStatus: error.httpStatus, reason: 'AlreadyExists', message: error.serverMessage },
        { cause: error },
      );

/** Puts the response of a write into the cache, and sets the pin of the child. */
const takeAnswer = (
  context: Context,
  seen: Snapshot,
  { kind, sent, answer, object, asked }: Answer & TakenAnswer,
): void => {
  cacheOf(context, kind).overlay(object as unknown as ApiObject, { asked });
  const owned = ownedFieldsOf(object);
  const options = { owner: seen.uid, tree: owned?.set.tree, isWhole: true };
  const overrides = kind.createOnce ? [] : overridesOf(sent.object, answer, options);
  const pin = { intent: sent.intent, ...(owned && { owned }), ...(overrides.length > 0 && { overrides }) };
  rememberPin(context, seen, { uid: object.metadata.uid, pin });
};

/** The response of the server: the complete object, and the object as the cache keeps it. */
interface Answer {
  readonly answer: ApiObject;
  readonly object: CachedObject;
}

/** The request that had the response. */
interface TakenAnswer {
  readonly kind: KindRef;
  readonly sent: Stamped;
  readonly asked: CacheMoment;
}

/**
 * Restores the label and the owner reference of a child that a create found, if the loop needs them. Without the label, a watch
 * that filters by label would never deliver the child. Without the reference, a child of an extension would not belong to its
 * parent.
 */
const foundAgain = async (
  context: Context,
  seen: Snapshot,
  { step, live }: { readonly step: CreateStep; readonly live: ApiObject },
): Promise<Written> => {
  const { api, fieldManager, definition } = context;
  const identity = identityOf(definition, step.kind);
  const parent = seen.resource.metadata;
  const labels = identity.labelsOf(parent);
  const isOwned = isOwnedBy(context, seen.uid, { kind: step.kind, object: live });
  if (isOwned && (step.kind.labelled !== true || carries(live, labels)))
    return shownAsOurs(context, seen, { step, answer: live });
  const { uid, resourceVersion, ownerReferences = [] } = live.metadata as CachedObject['metadata'];
  const others = ownerReferences.filter((owner) => owner.uid !== seen.uid);
  const owners = isOwned ? {} : { resourceVersion, ownerReferences: [...others, ...identity.newReferencesOf(parent)] };
  const body = { metadata: { uid, labels, ...owners } };
  const answer = await api.patch(step.kind, childTargetOf(seen, step), body, { type: 'merge', fieldManager });
  cacheOf(context, step.kind).overlay(answer);
  return shownAsOurs(context, seen, { step, answer });
};

/** Whether an object is a child of the resource, or was one and lost its label or its owner reference. */
const isOurs = (
  context: Context,
  { uid }: Snapshot,
  found: { readonly kind: KindRef; readonly object: ApiObject },
): boolean => isOwnedBy(context, uid, found) || identityOf(context.definition, found.kind).isLost(found.object, uid);

/**
 * Creates a child. If a child of the resource already has the name, usually an earlier create succeeded and its response was
 * lost.
 *
 * @returns `outdated` when the cache does not show the child after the write
 * @throws {ApiError} when the API server refuses the create; `AlreadyExists` when an object that is not ours has the name
 */
const createChild = async (context: Context, seen: Snapshot, step: CreateStep): Promise<Written> => {
  const target = childTargetOf(seen, step);
  const cache = cacheOf(context, step.kind);
  const asked = cache.ask(target.namespace, target.name);
  const sent = stamp({ definition: context.definition, resource: seen.resource }, step.declared);
  try {
    const answer = await created(context, target, sent.object);
    takeAnswer(context, seen, { kind: step.kind, sent, answer, object: cache.reduced(answer), asked });
    return shownAsOurs(context, seen, { step, answer });
  } catch (error) {
    if (!(error instanceof ApiError && mayBeTaken(error, target))) throw error;
    const live = await lookUpChild(context, target);
    if (live && isOurs(context, seen, { kind: step.kind, object: live }))
      return foundAgain(context, seen, { step, live });
    throw live ? nameTaken(error) : error;
  }
};

const patched = async (
  { api, fieldManager }: Context,
  { kind, ...target }: ChildTarget,
  patch: readonly object[],
): Promise<ApiObject> => api.patch(kind, target, patch, { fieldManager, type: 'json' });

/** Changes a child by one request, or by two if an apply removed an empty map or list. @returns the last response */
const changed = async (context: Context, target: ChildTarget, step: ApplyStep): Promise<Answer> => {
  const { object, uid, resourceVersion, patch } = step;
  const cache = cacheOf(context, step.kind);
  const kept = (answer: ApiObject): Answer => ({ answer, object: cache.reduced(answer) });
  if (patch) return kept(await patched(context, target, patch));
  const first = kept(await applied(context, target, demanding(object, { uid, resourceVersion })));
  if (!isEmptied(step, first)) return first;
  return kept(await applied(context, target, demanding(object, { uid })));
};

/**
 * Whether an empty map or list of the intent is missing in the response. When an apply removes all members of a map that should
 * be empty, the server drops the map (structured-merge-diff, `prune`); a second apply restores it.
 */
const isEmptied = (step: ApplyStep, { answer, object }: Answer): boolean => {
  const owned = ownedFieldsOf(object);
  const owner = step.object.metadata?.ownerReferences?.[0]?.uid ?? '';
  return owned !== undefined && !covers(owned.set.tree, step.object, { owner, live: answer, isWhole: true });
};

/** Whether an error can mean that the object is gone, was replaced or has changed. */
const mayBeAnother = ({ httpStatus }: ApiError): boolean =>
  httpStatus === 404 || httpStatus === 409 || httpStatus === 422;

/**
 * Changes a child, identified by its uid. If the child was deleted, or another object has the name, the write changes nothing.
 * The step then counts as done, and the next snapshot shows the new state.
 *
 * @returns `outdated` when the step requires the observed resource version, and the child has another one
 */
const changeChild = async (context: Context, seen: Snapshot, step: ApplyStep): Promise<Written> => {
  const target = childTargetOf(seen, step);
  const asked = cacheOf(context, step.kind).ask(target.namespace, target.name);
  try {
    const { answer, object } = await changed(context, target, step);
    takeAnswer(context, seen, { kind: step.kind, sent: step, answer, object, asked });
    return ownedOr(context, seen, { step, answer });
  } catch (error) {
    if (!(error instanceof ApiError && mayBeAnother(error))) throw error;
    const live = await lookUpChild(context, target);
    if (live?.metadata.uid !== step.uid) return 'done';
    const fields = immutableFieldsOf(error);
    if (fields.length > 0)
      rememberImmutable(context, seen, { uid: step.uid, immutable: { intent: step.intent, fields } });
    if (step.resourceVersion !== undefined && step.resourceVersion !== live.metadata.resourceVersion) return 'outdated';
    if (fields.length === 0 && step.patch && error.httpStatus === 422) return removeOnly(context, target, step.patch);
    throw error;
  }
};

/**
 * Sends only the removals of a patch that the API server refused, for example because another writer inserted containers before
 * ours. An apply would not make these removals; the next pass applies the other changes.
 */
const removeOnly = async (
  context: Context,
  target: ChildTarget,
  patch: readonly PatchOperation[],
): Promise<Written> => {
  const [same, ...operations] = patch;
  const removals = operations.filter(({ op }) => op === 'remove');
  cacheOf(context, target.kind).overlay(await patched(context, target, same ? [same, ...removals] : removals));
  return 'done';
};

/** A step with a request to the API server. */
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

/** Deletes a child. The step also counts as done when the child is already gone, or when another object has the name. */
const remove = async (context: Context, seen: Snapshot, step: DeleteStep): Promise<Written> => {
  const { kind, ...target } = childTargetOf(seen, step);
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
 * Sends the requests of one step. Each response goes into the cache at once.
 *
 * @returns `outdated` when the next pass has to decide again, usually because the child was not in the observed state
 * @throws {ApiError} when the API server refuses the request
 * @throws {ConnectionError} when there was no response
 */
export const writeChild = async (context: Context, seen: Snapshot, step: WriteStep): Promise<Written> => {
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
