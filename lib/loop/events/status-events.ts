import type { Condition } from '#lib/desired/result/conditions.ts';
import type { DesiredEvent } from '#lib/desired/result/desired.ts';
import type { EventSubject, LoopEvent } from './event.ts';

/** A written status, and the status before it. */
export interface StatusChange {
  readonly before: readonly Condition[];
  readonly after: readonly Condition[];
  /** The events of the kind's function. */
  readonly events: readonly DesiredEvent[];
  /** Whether writes to children were refused. The events of these writes already contain the reason of the stall. */
  readonly refused: boolean;
}

const isTrue = (conditions: readonly Condition[], type: string): Condition | undefined =>
  conditions.find((condition) => condition.type === type && condition.status === 'True');

/** The events for changes of conditions: the resource became ready, or stalled, or stalled for another reason than before. */
const transitions = ({ before, after, refused }: StatusChange): readonly DesiredEvent[] => {
  const [ready, stalled] = [isTrue(after, 'Ready'), isTrue(after, 'Stalled')];
  const becameReady = ready && !isTrue(before, 'Ready');
  const gotStuck = stalled && !refused && isTrue(before, 'Stalled')?.reason !== stalled.reason;
  return [
    ...(becameReady ? [{ type: 'Normal' as const, reason: ready.reason, message: ready.message }] : []),
    ...(gotStuck ? [{ type: 'Warning' as const, reason: stalled.reason, message: stalled.message }] : []),
  ];
};

/**
 * The events for a written status: the events of the function, and an event when the resource became ready. There is also an
 * event when the resource stalled, or stalled for another reason, and no write to a child was refused. An event of the function
 * with the same reason replaces the event about Ready or Stalled.
 */
export const statusEvents = (change: StatusChange, regarding: EventSubject): readonly LoopEvent[] => {
  const { events } = change;
  const own = new Set(events.map(({ reason }) => reason));
  const ours = transitions(change).filter(({ reason }) => !own.has(reason));
  return [...events, ...ours].map(({ type, reason, message }) => ({ regarding, type, reason, message }));
};
