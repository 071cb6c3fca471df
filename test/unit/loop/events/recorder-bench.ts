import type { EventOutcome } from '#lib/loop/context/metrics.ts';
import type { LoopEvent } from '#lib/loop/events/event.ts';
import { type RecorderOptions, startRecorder } from '#lib/loop/events/recorder.ts';
import { createLogger, type Logger } from '#lib/telemetry/log.ts';
import { EventServer } from '#test/unit/support/event-server.ts';
import { ManualTimers, settle } from '#test/unit/support/manual-timers.ts';

export const about = (message: string, uid = 'u1'): LoopEvent => ({
  regarding: { apiVersion: 'demo.example.com/v1', kind: 'Shelf', namespace: 'default', name: 'novels', uid },
  type: 'Normal',
  reason: 'SuccessfulCreate',
  message,
  action: 'Create',
});

/** An event about the creation of a pod: such events differ only in the pod's name. */
export const creationOf = (name: string): LoopEvent => ({
  ...about(`Created pod ${name}`),
  summary: 'Created more pods',
});

export const incident = (message: string, uid: string, namespace = 'default'): LoopEvent => ({
  ...about(message),
  regarding: { ...about('').regarding, namespace, uid },
  type: 'Warning',
  reason: 'FailedCreate',
});

export const setUp = (options: Partial<RecorderOptions> = {}) => {
  const server = new EventServer();
  const timers = new ManualTimers();
  const outcomes: EventOutcome[] = [];
  const warnings: string[] = [];
  const log: Logger = {
    ...createLogger('silent'),
    warn: (_fields, message) => void warnings.push(message),
    debug: () => {},
  };
  const metrics = { event: (outcome: EventOutcome) => void outcomes.push(outcome) };
  const given = { api: server.api, timers, random: () => 0, log, metrics, instance: 'operator-0' };
  const recorder = startRecorder({ ...given, ...options });
  const tell = async (...events: readonly LoopEvent[]): Promise<void> => {
    events.forEach(recorder.sink);
    await settle();
  };
  return { server, timers, outcomes, warnings, recorder, tell };
};

export const MINUTE_MS = 60_000;
