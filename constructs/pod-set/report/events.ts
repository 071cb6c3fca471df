import type { Condition } from '#lib/desired/result/conditions.ts';
import type { DesiredCondition, DesiredEvent } from '#lib/desired/result/desired.ts';
import { ACCEPTED, TEMPLATE_VALID, UNANSWERED } from '#lib/workload/template-check.ts';
import { OVERLAPPING } from './conditions.ts';

/** The input of {@link podSetEvents}: values of the last and of the next status. */
export interface EventsInput {
  readonly before: {
    readonly currentRevision?: string;
    readonly updateRevision?: string;
    readonly conditions?: readonly Condition[];
  };
  readonly currentRevision: string;
  readonly updateRevision: string;
  /** Whether this pass may replace old pods. */
  readonly isRolling: boolean;
  /** The seconds for which the next pod waits after failures. */
  readonly delay?: number | undefined;
  readonly conditions: readonly DesiredCondition[];
}

/** Reasons of the condition TemplateValid with which an update proceeds. */
const underway: ReadonlySet<string> = new Set([ACCEPTED, UNANSWERED]);

const hadStarted = ({ before, updateRevision }: EventsInput): boolean =>
  before.updateRevision === updateRevision &&
  (before.conditions ?? []).some(({ type, reason }) => type === TEMPLATE_VALID && underway.has(reason));

const started = (from: string, to: string): DesiredEvent => ({
  type: 'Normal',
  reason: 'RollingUpdateStarted',
  message: `Updating pods from revision ${from} to ${to}`,
});

const updates = (input: EventsInput): DesiredEvent[] => {
  const { before, currentRevision, updateRevision, isRolling } = input;
  if (isRolling && !hadStarted(input)) return [started(currentRevision, updateRevision)];
  const from = before.currentRevision;
  if (from === undefined || currentRevision !== updateRevision) return [];
  // If an update begins and ends between two statuses, only the current revision differs.
  const hasMoved = from !== updateRevision;
  if (!hasMoved && from === before.updateRevision) return [];
  const message = `All pods are of revision ${updateRevision}`;
  const completed: DesiredEvent = { type: 'Normal', reason: 'RollingUpdateCompleted', message };
  const isUntold = hasMoved && !hadStarted(input);
  return isUntold ? [started(from, updateRevision), completed] : [completed];
};

const isBackoff = ({ reason }: DesiredCondition): boolean => reason === 'FailedPodBackoff';

/** The event of each change of the failure count. Events with the same delay have the same text, so that they form a series. */
const backoff = ({ before, conditions, delay = 0 }: EventsInput): DesiredEvent[] => {
  const now = conditions.find(isBackoff);
  if (!now || before.conditions?.find(isBackoff)?.message === now.message) return [];
  const message = `Pods fail. The next pod is created ${delay} s after the last failure; the delay doubles with each failure`;
  return [{ type: 'Warning', reason: 'FailedPodBackoff', message }];
};

const overlap = ({ before, conditions }: EventsInput): DesiredEvent[] => {
  const now = conditions.find(({ type }) => type === OVERLAPPING);
  if (!now || before.conditions?.find(({ type }) => type === OVERLAPPING)?.message === now.message) return [];
  return [{ type: 'Warning', reason: OVERLAPPING, message: now.message }];
};

/** Events about the whole set. The loop sends the events about the creation and deletion of single pods. */
export const podSetEvents = (input: EventsInput): readonly DesiredEvent[] => [
  ...updates(input),
  ...backoff(input),
  ...overlap(input),
];
