import type { Refusal, RefusalReason } from '#lib/desired/observation.ts';
import { ApiError } from '#lib/errors.ts';
import { groupOf, type KindRef } from '#lib/kind/handles/reference.ts';
import type { EventSubject, LoopEvent } from './event.ts';

/** An attempted write to a child. */
export interface ChildWrite {
  readonly verb: Refusal['verb'];
  readonly kind: KindRef;
  readonly name: string;
  /** The reason of the write, such as `Missing` or `ScaledDown`. */
  readonly reason: string;
}

/** A write to a child that the API server refused, that had no response, or that conflicts with another writer. */
export interface FailedChildWrite {
  readonly write: ChildWrite;
  readonly refusal: Refusal;
  readonly error: Error;
}

/** The writes of a pass to children. */
export interface ChildWrites {
  readonly done: readonly ChildWrite[];
  readonly failed: readonly FailedChildWrite[];
}

/** The maximum number of children that a message names. The message counts the other children. */
const NAMED = 3;
/** The maximum length of an error message of the API server in an event, in characters. */
const SENTENCE_LENGTH = 300;

interface Wording {
  /** The end of the event's reason, as in `SuccessfulCreate` and `FailedCreate`, which the events of ReplicaSets use. */
  readonly action: string;
  readonly past: string;
  readonly infinitive: string;
}

const wordings: Readonly<Record<Refusal['verb'], Wording>> = {
  create: { action: 'Create', past: 'Created', infinitive: 'create' },
  apply: { action: 'Update', past: 'Updated', infinitive: 'update' },
  adopt: { action: 'Adopt', past: 'Adopted', infinitive: 'adopt' },
  release: { action: 'Release', past: 'Released', infinitive: 'release' },
  remove: { action: 'Delete', past: 'Deleted', infinitive: 'delete' },
};

/** The kind and the names of the children, such as `pod web-a` or `pods web-a, web-b, web-c and 2 more`. */
const namesOf = (writes: readonly ChildWrite[]): string => {
  const names = writes.map(({ name }) => name).toSorted();
  const { kind, plural } = (writes[0] as ChildWrite).kind;
  const more = names.length > NAMED ? ` and ${names.length - NAMED} more` : '';
  return `${names.length === 1 ? kind.toLowerCase() : plural} ${names.slice(0, NAMED).join(', ')}${more}`;
};

/** The reason of a removal, for the message. Only removals have a reason that the function of the kind can choose. */
const becauseOf = ({ verb, reason }: ChildWrite): string => (verb === 'remove' ? ` (${reason})` : '');

const isSame = ({ verb, kind, reason }: ChildWrite): string =>
  [verb, groupOf(kind.apiVersion), kind.kind, verb === 'remove' ? reason : ''].join(' ');

/** The texts that replace error messages of the API server that are not suitable for an event. */
const words: Readonly<Record<RefusalReason, string>> = {
  QuotaExceeded: 'a quota is used up',
  AdmissionDenied: 'admission denied it',
  Invalid: 'the API server finds it invalid',
  NameConflict: 'another object has this name',
  FieldConflict: 'another field manager owns fields of it',
  Forbidden: 'the operator has no right to',
  NamespaceTerminating: 'the namespace is being deleted',
  WebhookFailed: 'an admission webhook fails or does not answer',
  Unavailable: 'the API server is busy or cannot be reached',
};

/**
 * Whether a failure concerns one object only. Other failures are reported without the names of children, so that their events are
 * equal and form one series.
 */
const isPersonal = ({ refusal: { reason } }: FailedChildWrite): boolean =>
  reason === 'Invalid' || reason === 'NameConflict' || reason === 'FieldConflict';

const fieldsOf = ({ causes }: ApiError): string => {
  const fields = [...new Set(causes.flatMap(({ field }) => field ?? []))].toSorted();
  return fields.length === 0 ? '' : `: see ${fields.slice(0, NAMED).join(', ')}`;
};

/**
 * The cause of a failure, in a text that is the same at every attempt, so that the events form one series. The text omits the
 * numbers of a quota, because they change with every pod. It omits the values of invalid objects, because they may be secret.
 */
const sentenceOf = ({ refusal: { reason, webhook = '' }, error }: FailedChildWrite): string => {
  if (!(error instanceof ApiError)) return words[reason];
  if (reason === 'Invalid') return `${words.Invalid}${fieldsOf(error)}`;
  if (reason === 'QuotaExceeded')
    return /(?:exceeded|failed) quota: [^,:;\s]+/.exec(error.serverMessage)?.[0] ?? words.QuotaExceeded;
  if (reason === 'FieldConflict') return error.serverMessage.slice(0, SENTENCE_LENGTH);
  if (reason === 'WebhookFailed') return `the admission webhook "${webhook}" fails or does not answer`;
  if (reason === 'AdmissionDenied' || reason === 'Forbidden')
    return error.serverMessage.replace(/^.*? is forbidden: /, '').slice(0, SENTENCE_LENGTH);
  return words[reason];
};

const doneEvent = (writes: readonly ChildWrite[], regarding: EventSubject): LoopEvent => {
  const [first] = writes as readonly [ChildWrite];
  const { action, past } = wordings[first.verb];
  const message = `${past} ${namesOf(writes)}${becauseOf(first)}`;
  const summary = `${past} more ${first.kind.plural}${becauseOf(first)}`;
  return { regarding, type: 'Normal', reason: `Successful${action}`, message, summary, action, isRoutine: true };
};

const failedEvent = (failures: readonly FailedChildWrite[], regarding: EventSubject): LoopEvent => {
  const [first] = failures as readonly [FailedChildWrite];
  const { action, infinitive } = wordings[first.write.verb];
  const subject = isPersonal(first) ? namesOf(failures.map(({ write }) => write)) : first.write.kind.plural;
  const message = `Cannot ${infinitive} ${subject}: ${sentenceOf(first)}`;
  return { regarding, type: 'Warning', reason: `Failed${action}`, message, action };
};

/** The key of a failure. All failures of a pass with the same key share one event. */
const isSameFailure = (failure: FailedChildWrite): string =>
  [isSame(failure.write), failure.refusal.reason, sentenceOf(failure)].join(' ');

/**
 * The events for the writes of a pass to children: one event for each verb and kind. Removals with different reasons, and
 * failures with different causes, have separate events. An event names at most three of the children.
 *
 * @param regarding - the resource of the children
 */
export const childEvents = ({ done, failed }: ChildWrites, regarding: EventSubject): readonly LoopEvent[] => [
  ...[...Map.groupBy(done, isSame).values()].map((writes) => doneEvent(writes, regarding)),
  ...[...Map.groupBy(failed, isSameFailure).values()].map((failures) => failedEvent(failures, regarding)),
];
