import type { EventSink } from '#lib/loop/events/event.ts';
import type { ManagerOptions } from '#lib/loop/manager.ts';
import type { Observer } from './observer.ts';

/** A logger that also hears why children are written. */
const overhear = (log: ManagerOptions['log'], observer: Observer): ManagerOptions['log'] => ({
  ...log,
  debug: (fields: object, message: string) => {
    const { kind, name, reason } = fields as { kind?: string; name?: string; reason?: string };
    if (message === 'child written' && kind !== undefined && name !== undefined && reason !== undefined) {
      observer.because(kind, name, reason);
    }
    log.debug(fields, message);
  },
  child: (bindings) => overhear(log.child(bindings), observer),
});

const subjectText = ({
  kind,
  namespace,
  name,
}: {
  readonly kind: string;
  readonly namespace?: string;
  readonly name: string;
}): string => `${kind} ${namespace === undefined ? '' : `${namespace}/`}${name}`;

/** The options of a loop whose events and reasons somebody listens to. */
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
  return { ...options, events, log: overhear(options.log, observer) };
};
