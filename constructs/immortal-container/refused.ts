import type { Refusal, RefusalReason } from '#lib/desired/observation.ts';
import { stalled } from '#lib/desired/result/state.ts';
import type { Course } from './course.ts';

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
 * Adds a refused create to a course in phase Starting; other courses stay unchanged. The refusal decides the reason of the
 * condition PodCreated. An invalid pod makes the resource stalled.
 */
export const refusedCourse = (course: Course, refused: readonly Refusal[]): Course => {
  const refusal = refused.find(({ verb }) => verb === 'create');
  if (refusal === undefined || course.phase !== 'Starting') return course;
  const { reason } = refusal;
  const podMissing = { reason: reasons[reason], message: words[reason] };
  return reason === 'Invalid'
    ? { ...course, podMissing, state: stalled('InvalidTemplate', words.Invalid) }
    : { ...course, podMissing };
};
