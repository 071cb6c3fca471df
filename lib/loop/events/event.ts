import type { AnyResource } from '#lib/desired/definition.ts';
import type { KindRef } from '#lib/kind/handles/reference.ts';

/** The object that an event is about. The object may be deleted already. */
export interface EventSubject {
  readonly apiVersion: string;
  readonly kind: string;
  /** The namespace of the object. Absent for cluster-scoped objects. */
  readonly namespace?: string;
  readonly name: string;
  readonly uid: string;
}

/** An event for users, which `kubectl describe` shows under Events. */
export interface LoopEvent {
  readonly regarding: EventSubject;
  readonly type: 'Normal' | 'Warning';
  /** The reason, a word in CamelCase. A reason of more than 128 characters is cut. */
  readonly reason: string;
  /** A sentence; a text of more than 1,024 bytes is cut. The message must not contain secrets: every reader of events sees it. */
  readonly message: string;
  /**
   * The message without names of children. It replaces the message after several events that differ only in the names.
   * The further events are then counted as one series.
   *
   * @default the message every time
   */
  readonly summary?: string;
  /** The action, a word in CamelCase. @default Reconcile */
  readonly action?: string;
  /**
   * Whether the event is one of many similar events, such as the events about written children. Routine events cannot use all
   * tokens of an object, so that tokens remain for the events of the kind.
   *
   * @default false
   */
  readonly isRoutine?: boolean;
}

/** Accepts an event, which is sent later. The call never blocks and never throws. */
export type EventSink = (event: LoopEvent) => void;

/** Drops all events. */
export const noEvents: EventSink = () => undefined;

/** The reference of an event to a resource. */
export const subjectOf = ({ apiVersion, kind, scope }: KindRef, { metadata }: AnyResource): EventSubject => {
  const { namespace, name, uid } = metadata;
  return { apiVersion, kind, ...(scope === 'Namespaced' && { namespace }), name, uid };
};
