import { groupOf } from '#lib/kind/handles/reference.ts';
import type { ApiResource } from '#lib/kube/interface/api.ts';
import type { EventSubject, LoopEvent } from './event.ts';

/** The resource of events. `kubectl describe` reads the older API in the core group, which shows the same objects. */
export const eventResource: ApiResource = {
  apiVersion: 'events.k8s.io/v1',
  kind: 'Event',
  plural: 'events',
  scope: 'Namespaced',
};

/** The number of occurrences of one event, and the time of the latest occurrence (RFC 3339, microseconds). */
export interface EventSeries {
  readonly count: number;
  readonly lastObservedTime: string;
}

/** The limits of the API server for the texts of an event: kubernetes pkg/apis/core/validation/events.go. */
const NOTE_BYTES = 1024;
const WORD_LENGTH = 128;
/** The maximum length of the name of an object (an RFC 1123 subdomain). */
const NAME_LENGTH = 253;

/** Cuts a text to a number of bytes of UTF-8, at the border between two characters. */
const cutToBytes = (text: string, limit: number): string => {
  const bytes = new TextEncoder().encode(text);
  if (bytes.length <= limit) return text;
  // An ellipsis takes three bytes. With `stream`, the decoder omits a character that was cut.
  return `${new TextDecoder().decode(bytes.subarray(0, limit - 3), { stream: true })}…`;
};

const cutWord = (text: string, fallback: string): string => (text === '' ? fallback : text.slice(0, WORD_LENGTH));

/** The name of the reporting controller: a qualified name, such as `cdk8s-reconcile/podset`. */
export const reportingControllerOf = ({ kind }: Pick<EventSubject, 'kind'>): string =>
  `cdk8s-reconcile/${kind.toLowerCase().slice(0, 63)}`;

/** The namespace of an event. Events about cluster-scoped objects are in `default`, as with client-go. */
export const eventNamespaceOf = ({ namespace = 'default' }: EventSubject): string => namespace;

/**
 * A name for an event: the name of its subject, and its time in hexadecimal nanoseconds. The API server lists objects in the
 * order of their names, so the events of a subject are in the order of their times.
 *
 * @param micros - microseconds since the epoch, different for every event
 */
export const eventName = ({ name }: EventSubject, micros: number): string => {
  const suffix = `.${(BigInt(micros) * 1000n).toString(16)}`;
  return `${name.slice(0, NAME_LENGTH - suffix.length).replace(/[-.]+$/, '')}${suffix}`;
};

/** The parts of an event object that the {@link LoopEvent} does not have. */
export interface EventDetails {
  readonly name: string;
  /** The time of the first occurrence (RFC 3339, microseconds). */
  readonly at: string;
  /** The name of the pod of the operator. */
  readonly instance: string;
  readonly series?: EventSeries;
}

/** The event in the format of the API server; long texts are cut. */
export const eventObject = (event: LoopEvent, { name, at, instance, series }: EventDetails): object => {
  const { regarding, type, reason, message, action } = event;
  return {
    apiVersion: eventResource.apiVersion,
    kind: eventResource.kind,
    metadata: { name, namespace: eventNamespaceOf(regarding) },
    eventTime: at,
    type,
    reason: cutWord(reason, 'Unknown'),
    note: cutToBytes(message, NOTE_BYTES),
    action: cutWord(action ?? '', 'Reconcile'),
    regarding,
    reportingController: reportingControllerOf(regarding),
    reportingInstance: cutWord(instance, 'unknown'),
    ...(series && { series }),
  };
};

/** A key for an event. Two events with the same key are occurrences of one event. */
export const eventIdentity = ({ regarding, type, reason, message, action = '' }: LoopEvent): string =>
  JSON.stringify([groupOf(regarding.apiVersion), regarding.kind, regarding.uid, type, reason, action, message]);
