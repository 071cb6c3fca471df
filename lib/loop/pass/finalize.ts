import type { AnyKindDefinition } from '#lib/desired/definition.ts';
import type { Refusal } from '#lib/desired/observation.ts';
import { type State, stalled } from '#lib/desired/result/state.ts';
import { ApiError, isReconcileError, NotLeadingError, type ReconcileError } from '#lib/errors.ts';
import type { ApiObject } from '#lib/kube/interface/api.ts';
import type { CachedObject } from '#lib/loop/cache/projection/projection.ts';
import type { Context } from '#lib/loop/context/context.ts';
import { keyOf } from '#lib/loop/context/key.ts';
import { refusalReasonOf } from '#lib/loop/pass/execute/refusal.ts';
import type { Child, Plan, Step } from '#lib/plan/step.ts';
import type { Decision } from './decision.ts';
import { FOREGROUND, finalizerOf, isFinalizing, lacksFinalizer } from './finalizer.ts';
import { hasChanged, isOutdated } from './outdated.ts';
import type { Snapshot } from './snapshot.ts';

/**
 * The result of a write of the finalizers: `changed` if the resource is no longer as in the snapshot; otherwise the state that
 * explains the failure.
 */
type FinalizerWrite = 'changed' | State;

const explain = (
  context: Context,
  { key }: Snapshot,
  failure: { readonly what: string; readonly error: unknown },
): State => {
  const { what, error } = failure;
  context.log.error({ key, error }, `cannot ${what}`);
  const reason = refusalReasonOf(error);
  return stalled(reason, `cannot ${what}: ${reason}; trying again`);
};

/** Whether an error can mean that the resource has changed or is gone. */
const mayBeOutdated = (error: ReconcileError): boolean =>
  error instanceof ApiError && [404, 409, 422].includes(error.httpStatus);

/** A patch of the finalizers, and whether the resource must have our finalizer after the patch. */
interface FinalizerPatch {
  readonly what: string;
  readonly keeps: boolean;
  readonly patch: () => Promise<ApiObject>;
}

/**
 * The state when the API server accepted the patch, but the response does not show the change of our finalizer. An immediate
 * retry would repeat the patch without end.
 */
const undone = ({ log }: Context, { key }: Snapshot, what: string): State => {
  log.error({ key }, `cannot ${what}: an admission webhook or policy undoes it`);
  return stalled('AdmissionDenied', `cannot ${what}: an admission webhook or policy undoes it; trying again`);
};

const patched = async (
  context: Context,
  seen: Snapshot,
  { what, keeps, patch }: FinalizerPatch,
): Promise<FinalizerWrite> => {
  try {
    const answer = await patch();
    const { name, namespace, uid, deletionTimestamp, finalizers = [] } = answer.metadata as CachedObject['metadata'];
    const isGone = deletionTimestamp !== undefined && finalizers.length === 0;
    if (isGone) context.resources.overlayGone(keyOf(namespace, name), uid);
    else context.resources.overlay(answer);
    return finalizers.includes(finalizerOf(context.definition)) === keeps ? 'changed' : undone(context, seen, what);
  } catch (error) {
    if (!isReconcileError(error) || error instanceof NotLeadingError) throw error;
    const changed = mayBeOutdated(error) ? await isOutdated(context, seen) : hasChanged(context, seen);
    return changed ? 'changed' : explain(context, seen, { what, error });
  }
};

/**
 * Adds the finalizer to a resource if {@link lacksFinalizer} is true. This happens before any write that must be undone when the
 * resource is deleted. The patch is bound to the resource version of the snapshot, so that it cannot remove the finalizer of
 * another client.
 *
 * @returns `unchanged` if no write is needed
 */
export const ensureFinalizer = async (context: Context, seen: Snapshot): Promise<FinalizerWrite | 'unchanged'> => {
  const { definition, api, kind, fieldManager } = context;
  const { resource, resourceVersion, finalizers } = seen;
  const finalizer = finalizerOf(definition);
  if (!lacksFinalizer(definition, seen)) return 'unchanged';
  const { name, namespace } = resource.metadata;
  const body = { metadata: { resourceVersion, finalizers: [...finalizers, finalizer] } };
  const patch = async () => api.patch(kind, { name, namespace }, body, { type: 'merge', fieldManager });
  return patched(context, seen, { what: `add the finalizer ${finalizer}`, keeps: true, patch });
};

/** Removes the finalizer of the kind. If no other finalizer is left, the API server deletes the resource. */
export const dropFinalizer = async (context: Context, seen: Snapshot): Promise<FinalizerWrite> => {
  const { definition, api, kind, fieldManager } = context;
  const finalizer = finalizerOf(definition);
  const { name, namespace, uid } = seen.resource.metadata;
  const path = `/metadata/finalizers/${seen.finalizers.indexOf(finalizer)}`;
  const body = [
    { op: 'test', path: '/metadata/uid', value: uid },
    { op: 'test', path, value: finalizer },
    { op: 'remove', path },
  ];
  const patch = async () => api.patch(kind, { name, namespace }, body, { type: 'json', fieldManager });
  return patched(context, seen, { what: `remove the finalizer ${finalizer}`, keeps: false, patch });
};

/**
 * Whether a child does not delay the end of its resource. A client in another namespace can create an object with the marks of a
 * child and a finalizer of its own, so the loop does not wait until such a child is gone.
 */
const isLeaving = ({ kind, object }: Child): boolean =>
  kind.elsewhere !== undefined && object.metadata?.deletionTimestamp !== undefined;

const writes = ({ steps }: Plan): boolean => steps.some(({ step }) => step !== 'skip');

/**
 * Whether the loop may remove the finalizer from a resource that is being deleted. The pass must not have failed. No child is
 * observed, except children elsewhere that are being deleted. No write is planned, no effect is requested, and `finalize` returned
 * a complete result. If the kind has no `finalize`, the removal waits only until the API server has accepted the deletions of the
 * children elsewhere.
 */
export const isFinalized = (
  { finalize }: Pick<AnyKindDefinition, 'finalize'>,
  seen: Snapshot,
  { desired, plan, failed }: Decision,
): boolean => {
  if (!isFinalizing(seen) || failed || writes(plan)) return false;
  if (finalize === undefined) return true;
  return seen.children.every(isLeaving) && desired.partial === undefined && (desired.effects ?? []).length === 0;
};

const grows = ({ step }: Step): boolean => step === 'create' || step === 'apply' || step === 'adopt';

/** The steps of a plan; during a foreground deletion of the resource, without the steps that create, apply or adopt a child. */
export const allowedSteps = (seen: Snapshot, { steps }: Plan): readonly Step[] =>
  isFinalizing(seen) && seen.finalizers.includes(FOREGROUND) ? steps.filter((step) => !grows(step)) : steps;

/**
 * The state of a resource that is being deleted, when the API server refused a write because the namespace is terminating.
 * Usually `finalize` returned a new child. The API server refuses every create there, so a user has to remove the finalizer.
 *
 * @returns `undefined` in every other case
 */
export const unfinishableState = (
  { definition }: Pick<Context, 'definition'>,
  seen: Snapshot,
  refused: readonly Refusal[],
): State | undefined => {
  const refusal = isFinalizing(seen) && refused.find(({ reason }) => reason === 'NamespaceTerminating');
  if (!refusal) return undefined;
  const { verb, kind, name, reason } = refusal;
  const what = `finalize() cannot ${verb} ${kind} "${name}": the namespace is being deleted and accepts no new objects`;
  const wayOut = `do the work of finalize() by hand, then remove the finalizer "${finalizerOf(definition)}"`;
  return stalled(reason, `${what}; ${wayOut}`);
};
