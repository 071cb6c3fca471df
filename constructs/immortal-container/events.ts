import { secondsBetween } from '#lib/desired/clock.ts';
import type { DesiredEvent } from '#lib/desired/result/desired.ts';
import type { State } from '#lib/desired/result/state.ts';
import type { Exit, ImmortalContainerStatus, Observed } from './types.ts';

/** The next status and state, from which events are made. */
export interface LifeEventsInput {
  readonly status: ImmortalContainerStatus;
  readonly state: State;
}

/** Reasons of an exit whose event is not a warning. */
const normalReasons: ReadonlySet<string> = new Set(['Completed', 'Deleted', 'Replaced', 'Suspended']);

const normal = (reason: string, message: string): DesiredEvent => ({ type: 'Normal', reason, message });
const warning = (reason: string, message: string): DesiredEvent => ({ type: 'Warning', reason, message });

const exited = ({ reason, exitCode, message }: Exit): DesiredEvent => {
  const code = exitCode === undefined ? '' : `, exit code ${exitCode}`;
  const text = `The pod ended: ${reason}${code}${message === undefined ? '' : ` (${message})`}`;
  return normalReasons.has(reason) ? normal('PodExited', text) : warning('PodExited', text);
};

/** The event of a start. The message has no start number, so that equal events form a series. */
const started = ({ startTimes, currentPod = '' }: ImmortalContainerStatus, image: string): DesiredEvent =>
  startTimes > 1
    ? normal('PodReplaced', `Pod ${currentPod} with image ${image} takes the place of the last one`)
    : normal('PodCreated', `The first pod is ${currentPod} with image ${image}`);

const backingOff = ({ lastExit, nextStartTime }: ImmortalContainerStatus): DesiredEvent => {
  if (lastExit === undefined || nextStartTime === undefined)
    return warning('BackingOff', 'The next pod waits after failures');
  const seconds = Math.round(secondsBetween(lastExit.finishedAt, nextStartTime));
  return warning(
    'BackingOff',
    `The next pod is created ${seconds} s after the last pod ended; the delay doubles each time`,
  );
};

/** Maps the reason of a stalled state to the reason of its event. Other reasons stay the same. */
const troubles: Readonly<Record<string, string>> = {
  NameConflict: 'PodNameConflict',
  PodStuckTerminating: 'PodStuckTerminating',
  ForceDeleting: 'ForceDeleted',
};

const isNew = ({ status }: Observed, { state, reason }: State): boolean => {
  const stalled = status?.conditions?.find(({ type }) => type === 'Stalled');
  return state === 'stalled' && !(stalled?.status === 'True' && stalled.reason === reason);
};

const troubled = ({ reason, message }: State): DesiredEvent => warning(troubles[reason] ?? reason, message);

/** The events of a pass: an exit, a start, a delay, and a state that becomes stalled. */
export const lifeEventsOf = (resource: Observed, { status, state }: LifeEventsInput): readonly DesiredEvent[] => {
  const before = resource.status;
  const { lastExit, startTimes, phase } = status;
  return [
    ...(lastExit && lastExit.podUID !== before?.lastExit?.podUID ? [exited(lastExit)] : []),
    ...(startTimes > (before?.startTimes ?? 0) ? [started(status, resource.spec.image)] : []),
    ...(phase === 'BackingOff' && before?.phase !== 'BackingOff' ? [backingOff(status)] : []),
    ...(isNew(resource, state) ? [troubled(state)] : []),
  ];
};
