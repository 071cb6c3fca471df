import type { Refusal, RefusalReason } from '#lib/desired/observation.ts';
import { stalled } from '#lib/desired/result/state.ts';
import type { Course } from './course.ts';

/** The reason of the condition PodCreated for each refusal. */
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
 * The message for each refusal. The message is the same for every attempt. The message of the API server is not, because it
 * contains names and counts.
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

/** The course after a refused create: the response of the API server to the last attempt decides the phase. */
export const refusedCourse = (course: Course, refused: readonly Refusal[]): Course => {
  const refusal = refused.find(({ verb }) => verb === 'create');
  if (refusal === undefined || course.phase !== 'Starting') return course;
  const { reason } = refusal;
  const podMissing = { reason: reasons[reason], message: words[reason] };
  return reason === 'Invalid'
    ? { ...course, podMissing, state: stalled('InvalidTemplate', words.Invalid) }
    : { ...course, podMissing };
};
