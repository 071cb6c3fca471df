import type { EventSink } from '#lib/loop/events/event.ts';
import type { ManagerOptions } from '#lib/loop/manager/manager.ts';
import type { Observer } from './observer.ts';

const subjectText = ({
  kind,
  namespace,
  name,
}: {
  readonly kind: string;
  readonly namespace?: string;
  readonly name: string;
}): string => `${kind} ${namespace === undefined ? '' : `${namespace}/`}${name}`;

/** Returns options of a loop with which an observer receives the reasons of writes to children. */
export const withReasons = (options: ManagerOptions, observer: Pick<Observer, 'because'>): ManagerOptions => ({
  ...options,
  onChildWritten: ({ reason: why, ...child }) => observer.because({ ...child, why }),
});

/** Returns options of a loop with which an observer receives the events and the reasons of writes. */
export const listening = (options: ManagerOptions, observer: Observer): ManagerOptions => {
  const events: EventSink = ({ regarding, type, reason, message, isRoutine = false }) => {
    const isBad = type === 'Warning';
    observer.tell({
      sort: 'event',
      object: subjectText(regarding),
      what: message,
      why: reason,
      ...(isBad && { isBad }),
      ...(isRoutine && { isMinor: true }),
    });
  };
  return { ...withReasons(options, observer), events };
};
