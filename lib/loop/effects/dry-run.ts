import type { AnyKindDefinition, AnyResource } from '#lib/desired/definition.ts';
import { FAILURE_MESSAGE_LENGTH } from '#lib/desired/result/conditions.ts';
import type { Effect } from '#lib/desired/result/desired.ts';
import { ApiError, isReconcileError } from '#lib/errors.ts';
import type { KubeApi } from '#lib/kube/interface/api.ts';
import { refusalReasonOf } from '#lib/loop/pass/execute/refusal.ts';
import { ownedKind } from '#lib/plan/input.ts';
import { stamp } from '#lib/plan/stamp.ts';
import { type EffectAttempt, failedAttempt } from './attempt.ts';

/** An effect that finds out whether the API server would accept an object. */
export type DryRunEffect = Extract<Effect, { readonly effect: 'dryRun' }>;

/** Options of {@link performDryRun}. */
export interface DryRunOptions {
  readonly definition: AnyKindDefinition;
  readonly api: KubeApi;
  readonly fieldManager: string;
}

const answered = (accepted: boolean, message: string): EffectAttempt => ({
  result: 'succeeded',
  value: { accepted, message: message.slice(0, FAILURE_MESSAGE_LENGTH) },
});

/** The reasons of refusals that are caused by the object itself. */
const aboutObject: ReadonlySet<string> = new Set(['Invalid', 'AdmissionDenied', 'ImmutableField']);

/**
 * The result of a refused dry run. A refusal by a quota, an outage or a terminating namespace does not depend on the object, so
 * the dry run is repeated.
 */
const judge = (error: unknown): EffectAttempt => {
  if (!isReconcileError(error)) throw error;
  const reason: string = refusalReasonOf(error);
  if (aboutObject.has(reason)) return answered(false, error instanceof ApiError ? error.serverMessage : error.message);
  // The server checks the name after validation and admission, so the object has passed both.
  if (reason === 'NameConflict') return answered(true, '');
  return reason === 'Forbidden' ? failedAttempt(reason) : { result: 'undecided', reason };
};

/**
 * Sends a dry run of the create or apply of an object as a child of a resource. The object has the metadata that {@link stamp}
 * adds, such as the owner reference. The API server stores nothing.
 */
export const performDryRun = async (
  { definition, api, fieldManager }: DryRunOptions,
  resource: AnyResource,
  { object }: DryRunEffect,
): Promise<EffectAttempt> => {
  const kind = ownedKind({ definition, resource }, object);
  if (!kind) return failedAttempt('KindNotOwned');
  const { object: stamped } = stamp({ definition, resource }, object);
  const { name = '', namespace } = stamped.metadata ?? {};
  const place = kind.scope === 'Namespaced' && namespace !== undefined ? { namespace } : {};
  const options = { fieldManager, dryRun: true };
  try {
    if (kind.createOnce) await api.create(kind, stamped, { ...options, ...place });
    else await api.apply(kind, { ...place, name }, stamped, { ...options, force: true });
    return answered(true, '');
  } catch (error) {
    return judge(error);
  }
};
