import { describe, expect, it } from 'vitest';
import { deployed, RolloutBench, rolling } from '#test/unit/support/rollout-bench.ts';

describe('a first version', () => {
  it('a first version comes without steps when a rollout is created', () => {
    const web = deployed();
    expect(web.sizes).toEqual({ 1: 10 });
    expect(web.status).toMatchObject({ phase: 'Healthy', percent: 100, availableReplicas: 10, replicas: 10 });
    expect(web.status?.stableHash).toBe(web.status?.canaryHash);
    expect(web.status?.progress).toEqual({ percentage: '100% has been deployed' });
    expect(web.last?.state).toEqual({
      state: 'ready',
      reason: 'NewVersionAvailable',
      message: `10 of 10 pods of version ${web.status?.stableHash} are available`,
    });
  });

  it('a first version enters the history as promoted when it is available', () => {
    expect(deployed().status?.history).toMatchObject([{ outcome: 'Promoted', version: deployed().status?.stableHash }]);
  });

  it('a first version is named after its template, and selects by name and hash alone', () => {
    const { metadata, spec } = deployed().deploymentOf('1');
    const hash = metadata?.labels?.['deploy.example.com/revision'] ?? '';
    const selector = { 'deploy.example.com/canaryrollout': 'web', 'deploy.example.com/revision': hash };
    expect(metadata?.name).toBe(`web-${hash}`);
    expect(spec?.selector).toEqual({ matchLabels: selector });
    expect(spec?.template.metadata?.labels).toEqual({ app: 'web', ...selector });
  });

  it('a first version that never becomes available is reported at its deadline, and is not given up', () => {
    const web = new RolloutBench({ progressDeadlineSeconds: 60 });
    web.healthy.set('1', 4);
    web.settle().later(61);
    expect(web.last?.state).toMatchObject({ state: 'stalled', reason: 'ProgressDeadlineExceeded' });
    web.healthy.clear();
    expect(web.wait(1).status?.phase).toBe('Healthy');
  });
});

describe('the classic canary', () => {
  it('the classic canary goes 1/9, 3/7, 6/4, 10/0 and the old Deployment goes', () => {
    const web = rolling();
    expect(web.sizes).toEqual({ 1: 9, 2: 1 });
    expect(web.wait(60).sizes).toEqual({ 1: 7, 2: 3 });
    expect(web.wait(30).sizes).toEqual({ 1: 4, 2: 6 });
    expect(web.wait(30).sizes).toEqual({ 2: 10 });
    expect(web.status).toMatchObject({ phase: 'Healthy', availableReplicas: 10 });
    expect([web.most, web.fewest]).toEqual([13, 10]);
  });

  it('the classic canary says how far it is in the classic words', () => {
    const web = rolling();
    expect(web.status?.progress).toEqual({
      percentage: '10% has been deployed',
      step: 'no. 1',
      wait: '60s till next step',
    });
    web.wait(90);
    expect(web.status?.progress).toEqual({
      percentage: '60% has been deployed',
      step: 'no. 3',
      wait: '30s till next step',
    });
    web.wait(30);
    expect(web.status?.progress).toEqual({ percentage: '100% has been deployed', step: 'no. 4' });
  });

  it('the classic canary records its whole story, every step and its end once', () => {
    const web = deployed();
    const before = web.events.length;
    web.rollTo('2');
    web.settle().wait(121);
    const [old, now] = (web.status?.history ?? []).map(({ hash }) => hash) as [string, string];
    expect(web.events.slice(before).map(({ reason, message }) => `${reason} ${message}`)).toEqual([
      `RolloutStarted version ${now} is rolled out in place of ${old}`,
      `ScalingDeployment web-${old} from 10 to 9`,
      'StepCompleted 1/4 (10%), sleeps until 2026-01-01T00:01:00Z',
      `DeploymentCreated web-${now} with 1 pod`,
      `ScalingDeployment web-${old} from 9 to 7, web-${now} from 1 to 3`,
      'StepCompleted 2/4 (30%), sleeps until 2026-01-01T00:01:30Z',
      `ScalingDeployment web-${old} from 7 to 4, web-${now} from 3 to 6`,
      'StepCompleted 3/4 (60%), sleeps until 2026-01-01T00:02:00Z',
      `ScalingDeployment web-${old} from 4 to 0, web-${now} from 6 to 10`,
      'StepCompleted 4/4 (100%)',
      `RolloutCompleted version ${now} is stable`,
      `DeploymentDeleted web-${old}`,
    ]);
  });

  it('the classic canary is Progressing in a sleep, with the reason of where it is', () => {
    const web = rolling();
    expect(web.status?.phase).toBe('Progressing');
    expect(web.condition('Progressing')).toBe('True StepSleeping');
    expect(web.condition('Completed')).toBe('False Progressing');
    web.wait(121);
    expect(web.condition('Progressing')).toBe('True NewVersionAvailable');
    expect(web.condition('Completed')).toBe('True NewVersionAvailable');
    expect(web.condition('Healthy')).toBe('True NewVersionAvailable');
    expect(web.condition('Available')).toBe('True MinimumReplicasAvailable');
  });

  it('the classic canary stores absolute times of its sleep', () => {
    const { stepReadyAt, sleepUntil } = rolling().status ?? {};
    expect(stepReadyAt).toBe('2026-01-01T00:00:00.000000Z');
    expect(sleepUntil).toBe('2026-01-01T00:01:00.000000Z');
  });
});

describe('steps', () => {
  it('no step is shorter than its sleep, to the microsecond', () => {
    const web = rolling();
    web.jump(59.999999);
    expect(web.settle().sizes).toEqual({ 1: 9, 2: 1 });
    web.jump(0.000001);
    expect(web.settle().sizes).toEqual({ 1: 7, 2: 3 });
  });

  it('a step to 100 percent is added when the last one is below', () => {
    const web = rolling({ steps: [{ percent: 50, sleep: 5 }] });
    expect(web.sizes).toEqual({ 1: 5, 2: 5 });
    expect(web.wait(5).sizes).toEqual({ 2: 10 });
    expect(web.status?.progress?.step).toBe('no. 2');
  });

  it('no steps mean a rolling update when a new version comes', () => {
    const web = rolling({ steps: [] });
    expect(web.sizes).toEqual({ 2: 10 });
    expect([web.most, web.fewest, web.status?.phase]).toEqual([13, 10, 'Healthy']);
  });

  it('a step without a sleep needs available pods all the same', () => {
    const web = deployed({ steps: [{ percent: 20 }, { percent: 50 }] });
    web.healthy.set('2', 1);
    web.rollTo('2');
    expect(web.settle().sizes).toEqual({ 1: 9, 2: 2 });
    expect(web.status).toMatchObject({ percent: 20, currentStepIndex: 0 });
    web.healthy.clear();
    expect(web.settle().sizes).toEqual({ 2: 10 });
  });

  it('the sleep begins when the pods are available, and not before', () => {
    const web = deployed();
    web.healthy.set('2', 0);
    web.rollTo('2');
    web.settle().later(100);
    expect(web.status?.stepReadyAt).toBeUndefined();
    expect(web.condition('Progressing')).toBe('True StepScaling');
    web.healthy.clear();
    expect(web.settle().status?.sleepUntil).toBe('2026-01-01T00:02:40.000000Z');
  });

  it('a step is not reached before the pods that it takes away are gone', () => {
    const web = rolling();
    web.ignored.add(web.deploymentOf('1').metadata?.name ?? '');
    expect(web.later(60).sizes).toEqual({ 1: 7, 2: 3 });
    expect(web.status?.stepReadyAt).toBeUndefined();
    web.ignored.clear();
    expect(web.settle().status?.stepReadyAt).toBe('2026-01-01T00:01:00.000000Z');
  });

  it('a step that waits for a person waits until it is promoted', () => {
    const web = rolling({ steps: [{ percent: 20, pause: true }] });
    expect(web.later(1000).sizes).toEqual({ 1: 8, 2: 2 });
    expect(web.status).toMatchObject({ phase: 'Paused', pauseConditions: [{ reason: 'StepPause' }] });
    web.command('promote');
    expect(web.settle().sizes).toEqual({ 2: 10 });
    expect(web.status?.lastCommand).toMatchObject({ id: 'promote', outcome: 'Executed', reason: 'StepPromoted' });
  });

  it('steps go by without pods when no replicas are wanted, with their sleeps', () => {
    const web = rolling({ replicas: 0 });
    expect(web.reasons).toContain('ZeroReplicas');
    expect(web.wait(119).status?.phase).toBe('Progressing');
    expect(web.wait(1).status?.phase).toBe('Healthy');
    expect(web.sizes).toEqual({ 2: 0 });
  });

  it('one replica runs both versions while it may have one pod more', () => {
    const web = rolling({ replicas: 1 });
    expect(web.sizes).toEqual({ 1: 1, 2: 1 });
    expect(web.wait(121).sizes).toEqual({ 2: 1 });
    expect(web.fewest).toBe(1);
  });

  it('one replica changes over at 50 percent when it may have no pod more', () => {
    const steps = [
      { percent: 40, sleep: 5 },
      { percent: 60, sleep: 5 },
    ];
    const web = rolling({ replicas: 1, maxSurge: 0, maxUnavailable: 1, steps });
    expect(web.sizes).toEqual({ 1: 1, 2: 0 });
    expect(web.wait(5).sizes).toEqual({ 1: 0, 2: 1 });
    expect(web.wait(5).sizes).toEqual({ 2: 1 });
  });

  it('no pod more than wanted runs when only unavailability is allowed', () => {
    const web = rolling({ replicas: 4, maxSurge: 0, maxUnavailable: 1 }).wait(121);
    expect(web.sizes).toEqual({ 2: 4 });
    expect([web.most, web.fewest]).toEqual([4, 3]);
  });
});
