import type { ContainerState, ContainerStatus, Pod as KubePod } from 'kubernetes-types/core/v1.js';
import { describe, expect, it } from 'vitest';
import { passClock } from '#lib/desired/clock.ts';
import type { Condition } from '#lib/desired/result/conditions.ts';
import { runLimited } from '#lib/desired/runaway/run-limited.ts';
import {
  containerFailureConditions,
  containerFailureEvents,
  containerFailureIn,
  containerFailureOf,
} from '#lib/workload/container-failure.ts';

const NOW = '2026-11-21T09:30:00Z';

const waiting = (reason: string, message?: string): ContainerState => ({
  waiting: { reason, ...(message !== undefined && { message }) },
});

const ended = (exitCode: number, more: object = {}): ContainerState => ({
  terminated: {
    exitCode,
    reason: 'Error',
    startedAt: '2026-11-21T09:29:50Z',
    finishedAt: '2026-11-21T09:29:51Z',
    ...more,
  },
});

const container = (state: ContainerState, more: Partial<ContainerStatus> = {}): ContainerStatus => ({
  name: 'main',
  image: 'web:1',
  imageID: '',
  ready: false,
  restartCount: 0,
  state,
  ...more,
});

interface Given {
  readonly containers?: ContainerStatus[];
  readonly init?: ContainerStatus[];
  readonly ready?: boolean;
  readonly phase?: string;
  readonly terminating?: boolean;
}

const podWith = ({
  containers = [],
  init = [],
  ready = false,
  phase = 'Running',
  terminating = false,
}: Given): KubePod => ({
  metadata: { name: 'web-1', ...(terminating && { deletionTimestamp: NOW }) },
  status: {
    phase,
    conditions: [{ type: 'Ready', status: ready ? 'True' : 'False' }],
    containerStatuses: containers,
    initContainerStatuses: init,
  },
});

const clockAt = (now: string) => passClock(Date.parse(now) * 1000).clock;

const failureOf = (given: Given, conditions: readonly Condition[] = [], now = NOW) =>
  containerFailureOf(podWith(given), { conditions, clock: clockAt(now) });

/** The conditions that a kind stores after each status of one container, beginning with none. */
const storedAfter = (statuses: readonly ContainerStatus[]): readonly string[] => {
  let stored: Condition[] = [];
  return statuses.map((status) => {
    const conditions = containerFailureConditions(failureOf({ containers: [status], ready: status.ready }, stored));
    stored = conditions.map((condition) => ({ ...condition, lastTransitionTime: NOW }));
    return conditions.map(({ reason, message }) => `${reason}: ${message}`).join();
  });
};

const running = (startedAt: string, more: Partial<ContainerStatus> = {}): ContainerStatus =>
  container({ running: { startedAt } }, more);

describe('containerFailureOf()', () => {
  it.each([
    [
      waiting(
        'CreateContainerConfigError',
        'container has runAsNonRoot and image will run as root (pod: "web-1_default(7d0c)", container: main)',
      ),
      'CreateContainerConfigError',
      'container main: container has runAsNonRoot and image will run as root',
    ],
    [
      waiting(
        'CreateContainerError',
        'failed to reserve container name "a": name is reserved for "0123456789abcdef01"',
      ),
      'CreateContainerError',
      'container main: failed to reserve container name "a": name is reserved for "…"',
    ],
    [
      waiting('RunContainerError', 'exec: "nosuch": executable file not found in $PATH'),
      'RunContainerError',
      'container main: exec: "nosuch": executable file not found in $PATH',
    ],
    [
      waiting('InvalidImageName', 'couldn\'t parse image name "Web:1"'),
      'InvalidImageName',
      'container main: couldn\'t parse image name "Web:1"',
    ],
    [
      waiting('ErrImagePull', 'rpc error'),
      'ImagePullFailed',
      'container main: the image web:1 cannot be pulled: see the events of the pod',
    ],
    [
      waiting('CreateContainerConfigError'),
      'CreateContainerConfigError',
      'container main: its pod has no message about it',
    ],
  ] as const)('containerFailureOf() gives the reason and the message of the kubelet: %j', (state, reason, message) => {
    expect(failureOf({ containers: [container(state)] })).toEqual({ reason, pod: 'web-1', message });
  });

  it('containerFailureOf() gives one message for a pull that fails and the back-off after it', () => {
    const stored = storedAfter([
      container(waiting('ErrImagePull', 'failed to pull: not found')),
      container(waiting('ImagePullBackOff', 'Back-off pulling image "web:1"')),
    ]);
    expect(new Set(stored).size).toBe(1);
  });

  it('containerFailureOf() gives one message for a crash loop, through back-offs, starts and ends', () => {
    const lastState = ended(7);
    const stored = storedAfter([
      container(waiting('CrashLoopBackOff', 'back-off 10s restarting failed container'), {
        lastState,
        restartCount: 1,
      }),
      running('2026-11-21T09:29:59Z', { lastState, restartCount: 2 }),
      container(ended(7), { lastState, restartCount: 2 }),
      container(waiting('CrashLoopBackOff', 'back-off 20s restarting failed container'), {
        lastState,
        restartCount: 2,
      }),
      container(waiting('ContainerCreating'), { lastState, restartCount: 2 }),
    ]);
    expect(new Set(stored)).toEqual(
      new Set([
        'CrashLoopBackOff: pod web-1, container main: it exits repeatedly, the last time with exit code 7 (Error)',
      ]),
    );
  });

  it('containerFailureOf() gives one message for a command that cannot be run, through the crash loop after it', () => {
    const message = 'exec: "nosuch": executable file not found in $PATH';
    const lastState = ended(128, { reason: 'StartError', message });
    const stored = storedAfter([
      container(waiting('RunContainerError', message)),
      container(lastState),
      container(waiting('CrashLoopBackOff', 'back-off 10s'), { lastState, restartCount: 1 }),
      container(waiting('RunContainerError', message), { lastState, restartCount: 2 }),
    ]);
    expect(new Set(stored)).toEqual(new Set([`RunContainerError: pod web-1, container main: ${message}`]));
  });

  it('containerFailureOf() gives what the kubelet waits for now, not a command that could not be run before', () => {
    const state = waiting('CreateContainerConfigError', 'secret "a" not found');
    const status = container(state, { lastState: ended(128, { reason: 'StartError' }), restartCount: 1 });
    expect(failureOf({ containers: [status] })?.reason).toBe('CreateContainerConfigError');
  });

  it('containerFailureIn() names a crash loop only when no other pod has another failure', () => {
    const options = { clock: clockAt(NOW) };
    const looping = podWith({ containers: [container(waiting('CrashLoopBackOff'))] });
    const broken = podWith({ containers: [container(waiting('CreateContainerError'))] });
    expect(containerFailureIn([looping, broken], options)?.reason).toBe('CreateContainerError');
    expect(containerFailureIn([looping], options)?.reason).toBe('CrashLoopBackOff');
    expect(containerFailureIn([], options)).toBeUndefined();
  });

  it('containerFailureOf() takes a first crash for no loop, and a container that was restarted long ago neither', () => {
    expect(failureOf({ containers: [container(ended(7))] })).toBeUndefined();
    expect(failureOf({ containers: [running(NOW, { restartCount: 3, lastState: ended(137) })] })).toBeUndefined();
    const completed = ended(0, { reason: 'Completed' });
    expect(failureOf({ containers: [container(completed, { restartCount: 2 })] })).toBeUndefined();
  });

  it('containerFailureOf() goes on naming a container that exits with 0 again and again, between its back-offs', () => {
    const was = [{ type: 'ContainerFailure', reason: 'CrashLoopBackOff', status: 'True', message: '' }] as const;
    const conditions = was.map((each) => ({ ...each, lastTransitionTime: NOW }));
    const status = container(ended(0, { reason: 'Completed' }), { restartCount: 3 });
    expect(failureOf({ containers: [status] }, conditions)?.reason).toBe('CrashLoopBackOff');
    expect(failureOf({ containers: [status] })).toBeUndefined();
  });

  it('containerFailureOf() ends a crash loop when the container has run for ten minutes', () => {
    const was = [{ type: 'ContainerFailure', reason: 'CrashLoopBackOff', status: 'True', message: '' }] as const;
    const conditions = was.map((condition) => ({ ...condition, lastTransitionTime: NOW }));
    const status = running('2026-11-21T09:20:01Z', { restartCount: 3, lastState: ended(7) });
    expect(failureOf({ containers: [status] }, conditions)?.reason).toBe('CrashLoopBackOff');
    expect(failureOf({ containers: [status] }, conditions, '2026-11-21T09:30:01Z')).toBeUndefined();
  });

  it('containerFailureOf() gives nothing for a pod that is ready, has ended, or is being deleted', () => {
    const containers = [container(waiting('CreateContainerConfigError', 'secret "a" not found'))];
    expect(failureOf({ containers, ready: true })).toBeUndefined();
    expect(failureOf({ containers, phase: 'Failed' })).toBeUndefined();
    expect(failureOf({ containers, terminating: true })).toBeUndefined();
    expect(failureOf({ containers: [{ ...containers[0]!, ready: true }] })).toBeUndefined();
    expect(failureOf({ containers: [container(waiting('ContainerCreating'))] })).toBeUndefined();
  });

  it('containerFailureOf() does not take long when the messages of many containers have many spaces', () => {
    const status = container(waiting('RunContainerError', `exec: "${' '.repeat(5000)}`));
    const containers = Array.from({ length: 500 }, () => status);
    const messages = (): readonly unknown[] => containers.map((each) => failureOf({ containers: [each] })?.message);
    expect(new Set(runLimited(messages, 2000))).toEqual(new Set(['container main: exec: "']));
  });

  it('containerFailureOf() names an init container before the others, which wait for it', () => {
    const init = [container(waiting('CreateContainerConfigError', 'secret "a" not found'), { name: 'setup' })];
    const containers = [container(waiting('PodInitializing'))];
    expect(failureOf({ init, containers })?.message).toBe('container setup: secret "a" not found');
  });

  it('containerFailureOf() bounds the message, and leaves out values and passwords', () => {
    const message = `cannot use DB_PASSWORD=hunter2 of https://user:hunter2@example.com/x\n${'long '.repeat(1000)}`;
    const failure = failureOf({ containers: [container(waiting('CreateContainerError', message))] });
    expect(failure?.message).toMatch(
      /^container main: cannot use DB_PASSWORD=… of https:\/\/example\.com\/x long long/,
    );
    expect(failure?.message.length).toBeLessThan(300);
  });

  it('containerFailureOf() leaves out what a container wrote before it ended', () => {
    const status = container(waiting('CrashLoopBackOff'), { lastState: ended(1, { message: 'token abc' }) });
    expect(failureOf({ containers: [status] })?.message).not.toContain('abc');
  });

  it('containerFailureOf() reads ends without times, which the API server writes as null', () => {
    const lastState = ended(7, { startedAt: null, finishedAt: null });
    const status = container(ended(7, { startedAt: null, finishedAt: null }), { restartCount: 2, lastState });
    expect(failureOf({ containers: [status] })?.reason).toBe('CrashLoopBackOff');
  });
});

const stored = (reason: string): Condition[] => [
  { type: 'ContainerFailure', status: 'True', reason, message: 'of another pod', lastTransitionTime: NOW },
];

describe('containerFailureEvents()', () => {
  const failure = { reason: 'CrashLoopBackOff', pod: 'web-1', message: 'container main: it exits repeatedly' } as const;

  it('containerFailureEvents() warns when a failure begins or changes its reason, without the name of a pod', () => {
    const warning = { type: 'Warning', reason: 'CrashLoopBackOff', message: 'container main: it exits repeatedly' };
    expect(containerFailureEvents(failure, {})).toEqual([warning]);
    expect(containerFailureEvents(failure, { conditions: stored('ImagePullFailed') })).toEqual([warning]);
    expect(containerFailureEvents(failure, { conditions: stored('CrashLoopBackOff') })).toEqual([]);
    expect(containerFailureEvents(undefined, {})).toEqual([]);
  });
});
