import type { AnyResource } from '#lib/desired/definition.ts';
import type { KindRef } from '#lib/kind/handles/reference.ts';

/** The object that an event is about; it need not exist any more. */
export interface EventSubject {
  readonly apiVersion: string;
  readonly kind: string;
  /** Absent for cluster-scoped objects. */
  readonly namespace?: string;
  readonly name: string;
  readonly uid: string;
}

/** An event for users, which `kubectl describe` shows under Events. */
export interface LoopEvent {
  readonly regarding: EventSubject;
  readonly type: 'Normal' | 'Warning';
  /** A word in CamelCase, at most 128 characters; longer ones are cut. */
  readonly reason: string;
  /** A sentence of 1,024 bytes at most; longer ones are cut. No secrets: every reader of events sees it. */
  readonly message: string;
  /**
   * The message without names, for an event that may occur many times with other names. It replaces the message when there were
   * several of the sort lately, so that they count as one. @default the message every time
   */
  readonly summary?: string;
  /** The action, a word in CamelCase. @default Reconcile */
  readonly action?: string;
  /** Reported for every child that was written: it leaves room for the kind's own events. @default false */
  readonly isRoutine?: boolean;
}

/** Takes an event, which is sent some time later. Never blocks, never throws; a pass does not depend on it. */
export type EventSink = (event: LoopEvent) => void;

/** Drops all events. */
export const noEvents: EventSink = () => undefined;

/** A resource as events name it. */
export const subjectOf = ({ apiVersion, kind, scope }: KindRef, { metadata }: AnyResource): EventSubject => {
  const { namespace, name, uid } = metadata;
  return { apiVersion, kind, ...(scope === 'Namespaced' && { namespace }), name, uid };
};
