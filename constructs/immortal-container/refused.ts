import type { Refusal, RefusalReason } from '#lib/desired/observation.ts';
import { stalled } from '#lib/desired/result/state.ts';
import type { LifeDecision } from './decision.ts';

const reasons: Readonly<Record<RefusalReason, string>> = {
  QuotaExceeded: 'QuotaExceeded',
  AdmissionDenied: 'AdmissionDenied',
  Invalid: 'InvalidTemplate',
  NameConflict: 'NameConflict',
  FieldConflict: 'NameConflict',
  Forbidden: 'Forbidden',
  NamespaceTerminating: 'NamespaceTerminating',
  WebhookFailed: 'WebhookFailed',
  Unavailable: 'Unavailable',
};

/**
 * The message for each refusal, which is the same for every attempt. The message of the API server is not used, because it
 * contains names and counts that change.
 */
const words: Readonly<Record<RefusalReason, string>> = {
  QuotaExceeded: 'a ResourceQuota is used up: raise it, or delete what it counts',
  AdmissionDenied: 'an admission policy or webhook is against the pod: the event says which',
  Invalid: 'the API server finds the pod invalid: the event names the fields; change the spec',
  NameConflict: 'a pod of another owner has the name',
  FieldConflict: 'a pod of another owner has the name',
  Forbidden: 'the operator may not create pods here: apply the bundle again',
  NamespaceTerminating: 'the namespace is being deleted',
  WebhookFailed: 'an admission webhook fails or does not answer: the event names it',
  Unavailable: 'the API server is busy or cannot be reached',
};

/**
 * Adds a refused create to a decision in phase Starting; other decisions stay unchanged. The refusal decides the reason of the
 * condition PodCreated. An invalid pod makes the resource stalled.
 */
export const withRefusedCreate = (decision: LifeDecision, refused: readonly Refusal[]): LifeDecision => {
  const refusal = refused.find(({ verb }) => verb === 'create');
  if (refusal === undefined || decision.phase !== 'Starting') return decision;
  const { reason } = refusal;
  const podMissing = { reason: reasons[reason], message: words[reason] };
  return reason === 'Invalid'
    ? { ...decision, podMissing, state: stalled('InvalidTemplate', words.Invalid) }
    : { ...decision, podMissing };
};
