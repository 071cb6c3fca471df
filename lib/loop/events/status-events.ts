import type { Condition } from '#lib/desired/result/conditions.ts';
import type { DesiredEvent } from '#lib/desired/result/desired.ts';
import type { EventSubject, LoopEvent } from './event.ts';

/** A written status, and the one that it replaced. */
export interface StatusChange {
  readonly before: readonly Condition[];
  readonly after: readonly Condition[];
  /** The events of the kind's function. */
  readonly events: readonly DesiredEvent[];
  /** True when writes to children were refused: their own events contain the reason of the stall. */
  readonly refused: boolean;
}

const isTrue = (conditions: readonly Condition[], type: string): Condition | undefined =>
  conditions.find((condition) => condition.type === type && condition.status === 'True');

/** The transitions that readers wait for: it became ready, or it got stuck, or stuck for another reason. */
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
 * The events for a written status: those of the function, and one when the resource became ready or stalled, unless an event of
 * the function has the same reason.
 */
export const statusEvents = (change: StatusChange, regarding: EventSubject): readonly LoopEvent[] => {
  const { events } = change;
  const own = new Set(events.map(({ reason }) => reason));
  const ours = transitions(change).filter(({ reason }) => !own.has(reason));
  return [...events, ...ours].map(({ type, reason, message }) => ({ regarding, type, reason, message }));
};
