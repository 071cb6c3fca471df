import { groupOf } from '#lib/kind/handles/reference.ts';
import type { ApiResource } from '#lib/kube/interface/api.ts';
import type { EventSubject, LoopEvent } from './event.ts';

/** Events as `kubectl describe` reads them; the older form in the core group shows the same objects. */
export const eventResource: ApiResource = {
  apiVersion: 'events.k8s.io/v1',
  kind: 'Event',
  plural: 'events',
  scope: 'Namespaced',
};

/** How often the same thing happened, and when for the last time (RFC 3339, microseconds). */
export interface EventSeries {
  readonly count: number;
  readonly lastObservedTime: string;
}

/** Limits of the API server; kubernetes pkg/apis/core/validation/events.go. */
const NOTE_BYTES = 1024;
const WORD_LENGTH = 128;
/** RFC 1123 subdomains, as names of objects are. */
const NAME_LENGTH = 253;

/** Cuts text to a number of bytes of UTF-8, never within a character. */
const cutToBytes = (text: string, limit: number): string => {
  const bytes = new TextEncoder().encode(text);
  if (bytes.length <= limit) return text;
  // An ellipsis takes three bytes; a character that was cut in two decodes to nothing with `stream`.
  return `${new TextDecoder().decode(bytes.subarray(0, limit - 3), { stream: true })}…`;
};

const cutWord = (text: string, fallback: string): string => (text === '' ? fallback : text.slice(0, WORD_LENGTH));

/** The reporting controller: a qualified name, as in `cdk8s-reconcile/podset`. */
export const reportingControllerOf = ({ kind }: Pick<EventSubject, 'kind'>): string =>
  `cdk8s-reconcile/${kind.toLowerCase().slice(0, 63)}`;

/** Events about cluster-scoped objects are in the namespace that client-go uses. */
export const eventNamespaceOf = ({ namespace = 'default' }: EventSubject): string => namespace;

/**
 * A name for an event: the name of its subject, and its time in hexadecimal nanoseconds. `kubectl describe` sorts events by
 * name, so they appear in the order in which they happened.
 *
 * @param micros - since the epoch, another one for every event
 */
export const eventName = ({ name }: EventSubject, micros: number): string => {
  const suffix = `.${(BigInt(micros) * 1000n).toString(16)}`;
  return `${name.slice(0, NAME_LENGTH - suffix.length).replace(/[-.]+$/, '')}${suffix}`;
};

/** The parts of an event besides its content. */
export interface EventDetails {
  readonly name: string;
  /** RFC 3339, microseconds. */
  readonly at: string;
  /** The process: its pod's name. */
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

/** Same words about the same object: the same event again. */
export const eventIdentity = ({ regarding, type, reason, message, action = '' }: LoopEvent): string =>
  JSON.stringify([groupOf(regarding.apiVersion), regarding.kind, regarding.uid, type, reason, action, message]);
