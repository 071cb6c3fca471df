import { describe, expect, it } from 'vitest';
import type { AnalysisRecord } from '#constructs/rollout/engine/checks.ts';
import { atSixty, deployed, type RolloutBench, rolling } from '#test/unit/support/rollout-bench.ts';

const messageOf = (web: RolloutBench, type: string): string | undefined =>
  web.last?.conditions?.find((condition) => condition.type === type)?.message;

describe('the condition Available', () => {
  it.each([
    { maxUnavailable: 0, available: 10, says: 'True MinimumReplicasAvailable' },
    { maxUnavailable: 0, available: 9, says: 'False MinimumReplicasUnavailable' },
    { maxUnavailable: 2, available: 8, says: 'True MinimumReplicasAvailable' },
    { maxUnavailable: 2, available: 7, says: 'False MinimumReplicasUnavailable' },
  ])(
    'is $says with $available of ten pods when $maxUnavailable may be missing',
    ({ maxUnavailable, available, says }) => {
      const web = deployed({ maxUnavailable });
      web.healthy.set('1', available);
      web.settle();
      expect(web.condition('Available')).toBe(says);
    },
  );
});

describe('the condition Paused', () => {
  it('is False while nothing waits, and Progressing says where the rollout is', () => {
    const web = rolling();
    expect(web.condition('Paused')).toBe('False NotPaused');
    expect(web.condition('Progressing')).toBe('True StepSleeping');
  });

  it('names every reason, sorted, and Progressing is Unknown meanwhile', () => {
    const web = rolling({ steps: [{ percent: 20, pause: true }] });
    web.edit({ paused: true });
    web.settle();
    expect(web.condition('Paused')).toBe('True StepPause');
    expect(messageOf(web, 'Paused')).toBe('Paused, StepPause');
    expect(web.condition('Progressing')).toBe('Unknown RolloutPaused');
  });

  it('is True while lost pods make a sleep stand still, which is no pause for a person: the rollout progresses', () => {
    const web = rolling();
    web.healthy.set('2', 0);
    web.settle().later(31);
    expect(web.condition('Paused')).toBe('True AvailabilityLost');
    expect(web.status?.phase).toBe('Progressing');
    expect(web.condition('Progressing')).toBe('True StepSleeping');
  });

  it('has the reason that a person ends, also while pods are lost', () => {
    const web = rolling({ steps: [{ percent: 20, pause: true }, { percent: 100 }] });
    web.healthy.set('2', 0);
    web.settle().later(31);
    expect(web.condition('Paused')).toBe('True StepPause');
    expect(messageOf(web, 'Paused')).toBe('AvailabilityLost, StepPause');
  });

  it('has the reason ProgressDeadlineExceeded when lost pods exceed a deadline that pauses', () => {
    const web = rolling({ progressDeadlineSeconds: 100, progressDeadlineAction: 'Pause' });
    web.healthy.set('2', 0);
    web.settle().later(31);
    web.later(200);
    expect(web.condition('Paused')).toBe('True ProgressDeadlineExceeded');
  });

  it('has the reason Paused while spec.paused is set and pods are lost', () => {
    const web = rolling();
    web.healthy.set('2', 0);
    web.settle().later(31);
    web.edit({ paused: true });
    expect(web.settle().condition('Paused')).toBe('True Paused');
  });
});

describe('the condition Progressing', () => {
  it('is False RolloutAborted as soon as a version is given up, also while pods still go back', () => {
    const web = atSixty();
    web.ignored.add(web.deploymentOf('1').metadata?.name ?? '');
    web.command('abort');
    web.settle();
    expect(web.status?.phase).toBe('RollingBack');
    expect(web.condition('Progressing')).toBe('False RolloutAborted');
    web.ignored.clear();
    expect(web.settle().status?.phase).toBe('Degraded');
    expect(web.condition('Progressing')).toBe('False RolloutAborted');
  });

  it('is False ProgressDeadlineExceeded when a deadline is only reported', () => {
    const web = deployed({ progressDeadlineSeconds: 60, progressDeadlineAction: 'Report' });
    web.healthy.set('2', 0);
    web.rollTo('2');
    web.settle().later(61);
    expect(web.condition('Progressing')).toBe('False ProgressDeadlineExceeded');
  });
});

describe('the condition ReplicaFailure', () => {
  it('is False while nothing fails', () => {
    expect(deployed().condition('ReplicaFailure')).toBe('False NoFailure');
  });

  it('says which object the API server refused, and why', () => {
    const web = deployed();
    web.refused = [
      { verb: 'apply', kind: 'Deployment', name: 'web-x', reason: 'AdmissionDenied', attempts: 1, at: web.now },
    ];
    web.settle();
    expect(web.condition('ReplicaFailure')).toBe('True AdmissionDenied');
    expect(messageOf(web, 'ReplicaFailure')).toBe('cannot apply Deployment web-x');
  });

  it('says whose pods cannot be created, without what the server said, when no quota is the cause', () => {
    const web = deployed();
    const object = web.deploymentOf('1');
    const [type, reason] = ['ReplicaFailure', 'FailedCreate'];
    object.status = { ...object.status, conditions: [{ type, status: 'True', reason, message: 'denied: pod x7' }] };
    web.ignored.add(object.metadata?.name ?? '');
    web.settle();
    expect(web.condition('ReplicaFailure')).toBe('True FailedCreate');
    expect(messageOf(web, 'ReplicaFailure')).toBe(
      `pods of ${object.metadata?.name} cannot be created: its events give the reason`,
    );
  });
});

const record = (web: RolloutBench, more: Partial<AnalysisRecord>): AnalysisRecord => ({
  key: `key-${more.phase}-${more.step ?? 0}`,
  name: 'errors',
  hook: 'Metric',
  step: 0,
  revision: web.status?.canaryHash ?? '',
  phase: 'Passed',
  at: web.now,
  ...more,
});

const conditionWith = (...records: readonly Partial<AnalysisRecord>[]): string => {
  const web = rolling();
  if (web.status) web.status = { ...web.status, analysis: records.map((more) => record(web, more)) };
  web.pass();
  return web.condition('AnalysisSucceeded');
};

describe('the condition AnalysisSucceeded', () => {
  it.each([
    { phases: ['Passed', 'Passed'], says: 'True AnalysisPassed' },
    { phases: ['Passed', 'Pending'], says: 'Unknown AnalysisRunning' },
    { phases: ['Passed', 'Failed'], says: 'False AnalysisFailed' },
    { phases: ['Pending', 'Error'], says: 'False AnalysisFailed' },
    { phases: ['Passed', 'Inconclusive'], says: 'Unknown AnalysisInconclusive' },
    { phases: ['Inconclusive', 'Failed'], says: 'False AnalysisFailed' },
  ] as const)('is $says when the checks of the step are $phases', ({ phases, says }) => {
    expect(conditionWith(...phases.map((phase) => ({ phase })))).toBe(says);
  });

  it('is absent where the step under way has no checks: those of another step, or of another version, do not count', () => {
    expect(conditionWith({ phase: 'Failed', step: 1 })).toBe('? ');
    expect(conditionWith({ phase: 'Failed', revision: 'another' })).toBe('? ');
  });
});
