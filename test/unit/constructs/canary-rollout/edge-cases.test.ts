import { describe, expect, it } from 'vitest';
import { RolloutBench, templateOf } from '#test/unit/support/rollout-bench.ts';

const deployed = (spec = {}): RolloutBench => new RolloutBench(spec).settle();

const rolling = (spec = {}): RolloutBench => {
  const web = deployed(spec);
  web.rollTo('2');
  return web.settle();
};

const atSixty = (spec = {}): RolloutBench => rolling(spec).wait(90);

describe('another version in the midst of a rollout', () => {
  it('a third version starts at the first step, drains the second first, and stable stays the first', () => {
    const web = atSixty();
    web.rollTo('3');
    expect(web.settle().sizes).toEqual({ 1: 9, 3: 1 });
    expect([web.most, web.fewest]).toEqual([13, 10]);
    expect(web.status?.history?.at(-1)).toMatchObject({ outcome: 'Superseded' });
    expect(web.status?.currentStepIndex).toBe(0);
  });

  it('a first version that is replaced before it was available leaves nothing to go back to', () => {
    const web = new RolloutBench();
    web.healthy.set('1', 0);
    web.settle().rollTo('2');
    expect(web.settle().sizes).toEqual({ 2: 10 });
    expect(web.status?.history?.map(({ outcome }) => outcome)).toEqual(['Superseded', 'Promoted']);
  });
});

describe('going back', () => {
  it('going back to stable is fast: no sleep, and never too few pods', () => {
    const web = atSixty();
    web.rollTo('1');
    expect(web.settle().sizes).toEqual({ 1: 10 });
    expect(web.status).toMatchObject({ phase: 'Healthy' });
    expect([web.most, web.fewest]).toEqual([13, 10]);
    expect(web.reasons).toContain('SkipSteps');
    expect(web.status?.history?.at(-1)).toMatchObject({ outcome: 'RolledBack' });
  });

  it('going back waits for what was written before: gate G', () => {
    const web = atSixty();
    const old = web.deploymentOf('1').metadata?.name ?? '';
    web.ignored.add(old);
    web.rollTo('1');
    web.settle();
    expect(web.sizes).toEqual({ 1: 7, 2: 6 });
    web.ignored.clear();
    expect(web.settle().sizes).toEqual({ 1: 10 });
    expect(web.fewest).toBe(10);
  });

  it('going back takes the steps, with their sleeps, when rollbackInSteps says so', () => {
    const web = atSixty({ rollbackInSteps: true });
    web.rollTo('1');
    expect(web.settle().sizes).toEqual({ 1: 7, 2: 3 });
    expect(web.status?.phase).toBe('RollingBack');
    expect(web.wait(29).sizes).toEqual({ 1: 7, 2: 3 });
    expect(web.wait(1).sizes).toEqual({ 1: 9, 2: 1 });
    expect(web.wait(60).sizes).toEqual({ 1: 10 });
    expect(web.status?.phase).toBe('Healthy');
  });

  it('going back after a rollout is a rollout like any other', () => {
    const web = rolling().wait(121);
    web.rollTo('1');
    expect(web.settle().sizes).toEqual({ 1: 1, 2: 9 });
  });

  it('going back after a rollout skips the steps when the version is within the rollback window', () => {
    const web = rolling({ rollbackWindow: { revisions: 1 } }).wait(121);
    web.rollTo('1');
    expect(web.settle().sizes).toEqual({ 1: 10 });
    expect(web.reasons.filter((reason) => reason === 'SkipSteps')).toHaveLength(1);
    web.rollTo('3');
    web.settle().wait(121);
    web.rollTo('2');
    expect(web.settle().sizes).toEqual({ 2: 1, 3: 9 });
  });

  it('stable is brought back from its snapshot, although spec has another template by then', () => {
    const web = atSixty();
    web.remove('1');
    expect(web.settle().sizes).toEqual({ 1: 4, 2: 6 });
    expect(web.deploymentOf('1').spec?.template.spec?.containers[0]?.image).toBe('web:1');
    expect(web.status).toMatchObject({ percent: 60, currentStepIndex: 2 });
  });
});

describe('replicas that change in the midst of a rollout', () => {
  it('another number of replicas keeps the step and its sleep', () => {
    const web = atSixty();
    const { sleepUntil } = web.status ?? {};
    web.edit({ replicas: 20 });
    expect(web.settle().sizes).toEqual({ 1: 8, 2: 12 });
    expect(web.status).toMatchObject({ sleepUntil, currentStepIndex: 2 });
    web.edit({ replicas: 5 });
    expect(web.settle().sizes).toEqual({ 1: 2, 2: 3 });
    web.edit({ replicas: 1 });
    expect(web.settle().sizes).toEqual({ 1: 1, 2: 1 });
    expect(web.status?.sleepUntil).toBe(sleepUntil);
  });
});

describe('steps that are edited', () => {
  const steps = (...percents: number[]) => percents.map((percent) => ({ percent, sleep: 30 }));

  it('edited steps go on with the first that does not lower the share', () => {
    const web = atSixty();
    web.edit({ steps: steps(20, 50, 80) });
    expect(web.settle().sizes).toEqual({ 1: 2, 2: 8 });
    expect(web.status).toMatchObject({ currentStepIndex: 2, percent: 80 });
  });

  it('edited steps with the share that is reached keep its sleep, with its new length', () => {
    const web = atSixty().wait(10);
    web.edit({ steps: [{ percent: 60, sleep: 45 }] });
    expect(web.settle().status).toMatchObject({ currentStepIndex: 0, percent: 60 });
    expect(web.status?.sleepUntil).toBe('2026-01-01T00:02:15.000000Z');
  });

  it('edited steps that all lie below go on to 100 percent', () => {
    const web = atSixty();
    web.edit({ steps: steps(10, 20) });
    expect(web.settle().sizes).toEqual({ 2: 10 });
  });
});

describe('children that somebody else changes', () => {
  it('a child that was scaled by hand gets its size back, and that is told', () => {
    const web = atSixty();
    web.scaleByHand('1', 9);
    web.controllers();
    expect(web.settle().sizes).toEqual({ 1: 4, 2: 6 });
    const told = web.events.filter(({ reason }) => reason === 'DriftCorrected');
    expect(told.map(({ message }) => message)).toEqual([
      `${web.deploymentOf('1').metadata?.name} was scaled to 9 by somebody else; it had been given 4`,
    ]);
    expect(web.status?.driftedDeployments).toBeUndefined();
  });

  it('a child that was scaled to nothing by hand grows again before anything else shrinks', () => {
    const web = deployed();
    web.scaleByHand('1', 0);
    expect(web.settle().sizes).toEqual({ 1: 10 });
    expect(web.status?.phase).toBe('Healthy');
  });

  it('a canary that was deleted starts again at the first step', () => {
    const web = atSixty();
    web.remove('2');
    expect(web.settle().sizes).toEqual({ 1: 9, 2: 1 });
    expect(web.status).toMatchObject({ currentStepIndex: 0, percent: 10 });
  });

  it('a stable Deployment that was deleted is recreated and never replaced by the canary', () => {
    const web = rolling();
    web.healthy.set('1', 0);
    web.remove('1');
    expect(web.settle().sizes).toEqual({ 1: 9, 2: 1 });
    expect(web.status?.stableHash).not.toBe(web.status?.canaryHash);
  });

  it('a lost status does not let a new version take over without steps', () => {
    const web = deployed();
    web.status = undefined;
    web.rollTo('2');
    expect(web.settle().sizes).toEqual({ 1: 9, 2: 1 });
  });
});

describe('versions that do not work', () => {
  const broken = (spec = {}): RolloutBench => {
    const web = deployed({ progressDeadlineSeconds: 60, ...spec });
    web.healthy.set('2', 0);
    web.rollTo('2');
    return web.settle();
  };

  it('a version that is never ready is given up at the deadline, and stable takes all', () => {
    const web = broken();
    expect(web.later(59).sizes).toEqual({ 1: 10, 2: 1 });
    expect(web.later(2).sizes).toEqual({ 1: 10, 2: 0 });
    expect(web.status).toMatchObject({ phase: 'Degraded', abortReason: 'ProgressDeadlineExceeded' });
    expect(web.last?.state).toMatchObject({ state: 'stalled', reason: 'RolloutAborted' });
    expect(web.condition('Progressing')).toBe('False RolloutAborted');
    expect(web.reasons).toContain('RolloutAborted');
    expect(web.status?.history?.at(-1)).toMatchObject({ outcome: 'Aborted' });
    expect(web.fewest).toBe(10);
  });

  it('a version that was given up never grows again by itself', () => {
    const web = broken().later(61);
    web.healthy.clear();
    expect(web.later(10_000).sizes).toEqual({ 1: 10, 2: 0 });
    web.edit({ replicas: 12 });
    expect(web.settle().sizes).toEqual({ 1: 12, 2: 0 });
  });

  it('a version that was given up leaves nothing behind when spec goes back', () => {
    const web = broken().later(61);
    web.rollTo('1');
    expect(web.settle().sizes).toEqual({ 1: 10 });
    expect(web.status).toMatchObject({ phase: 'Healthy' });
    expect(web.status?.abortedAt).toBeUndefined();
    expect(web.status?.history?.map(({ outcome }) => outcome)).toEqual(['Promoted', 'Aborted']);
  });

  it('a deadline pauses when progressDeadlineAction is Pause, and a promotion gives it more time', () => {
    const web = broken({ progressDeadlineAction: 'Pause' }).later(61);
    expect(web.status).toMatchObject({ phase: 'Paused', pauseConditions: [{ reason: 'ProgressDeadlineExceeded' }] });
    web.command('promote');
    expect(web.settle().status?.phase).toBe('Progressing');
    expect(web.later(61).status?.phase).toBe('Paused');
  });

  it('a deadline is only told when progressDeadlineAction is Report', () => {
    const web = broken({ progressDeadlineAction: 'Report' }).later(61);
    expect(web.sizes).toEqual({ 1: 10, 2: 1 });
    expect(web.last?.state).toMatchObject({ state: 'stalled', reason: 'ProgressDeadlineExceeded' });
    web.healthy.clear();
    expect(web.settle().status?.sleepUntil).toBeDefined();
  });

  it('progress is a new high of available pods: pods that come and go do not put the deadline off', () => {
    const web = deployed({ progressDeadlineSeconds: 60, steps: [{ percent: 50, sleep: 5 }] });
    web.healthy.set('2', 2);
    web.rollTo('2');
    web.settle().later(30);
    web.healthy.set('2', 3);
    web.settle();
    for (const available of [1, 3, 2, 3]) {
      web.later(14);
      web.healthy.set('2', available);
      web.settle();
      expect(web.status?.phase).toBe('Progressing');
    }
    expect(web.later(5).status?.abortReason).toBe('ProgressDeadlineExceeded');
  });

  it('a broken stable version does not hold its successor up', () => {
    const web = deployed();
    web.healthy.set('1', 0);
    web.settle().rollTo('2');
    web.settle().wait(121);
    expect(web.sizes).toEqual({ 2: 10 });
    expect(web.status?.phase).toBe('Healthy');
  });

  it('the old version goes only when the new one is available whole', () => {
    const web = atSixty();
    web.healthy.set('2', 9);
    web.wait(30);
    expect(web.sizes).toEqual({ 1: 1, 2: 10 });
    expect(web.status?.phase).toBe('Promoting');
    web.healthy.clear();
    expect(web.settle().sizes).toEqual({ 2: 10 });
  });

  it('a promotion that breaks goes back at the deadline', () => {
    const web = atSixty({ progressDeadlineSeconds: 60 });
    web.healthy.set('2', 6);
    web.wait(30).later(61);
    expect(web.sizes).toEqual({ 1: 10, 2: 0 });
    expect(web.fewest).toBe(10);
  });
});

describe('sleeps', () => {
  it('a sleep neither restarts nor doubles when the operator was away', () => {
    const web = rolling();
    expect(web.later(3000).sizes).toEqual({ 1: 7, 2: 3 });
    expect(web.later(30).sizes).toEqual({ 1: 4, 2: 6 });
  });

  it('a sleep goes on while lost pods are replaced for 30 seconds, and then stands still until they are', () => {
    const web = rolling();
    web.healthy.set('2', 0);
    web.settle().later(20);
    expect(web.status?.pauseConditions).toBeUndefined();
    web.later(10);
    expect(web.status?.pauseConditions).toMatchObject([{ reason: 'AvailabilityLost' }]);
    expect(web.status).toMatchObject({ sleepRemainingSeconds: 30 });
    web.later(100);
    web.healthy.clear();
    expect(web.settle().status?.sleepUntil).toBe('2026-01-01T00:02:40.000000Z');
    expect(web.later(30).sizes).toEqual({ 1: 7, 2: 3 });
  });

  it('a sleep ends no earlier than its pods are back', () => {
    const web = rolling().later(50);
    web.healthy.set('2', 0);
    expect(web.settle().later(15).sizes).toEqual({ 1: 9, 2: 1 });
    web.healthy.clear();
    expect(web.settle().sizes).toEqual({ 1: 7, 2: 3 });
  });

  it('pods that stay away in a sleep end the rollout at the deadline', () => {
    const web = rolling({ progressDeadlineSeconds: 100 });
    web.healthy.set('2', 0);
    web.settle().later(31);
    expect(web.later(70).status?.phase).toBe('Degraded');
  });

  it('a sleep is doubled at most when the clock is set back', () => {
    const web = rolling();
    web.jump(-100_000);
    web.settle();
    expect(web.later(59).sizes).toEqual({ 1: 9, 2: 1 });
    expect(web.later(1).sizes).toEqual({ 1: 7, 2: 3 });
  });

  it('a pause freezes a sleep, and resuming gives what was left', () => {
    const web = rolling().later(20);
    web.edit({ paused: true });
    web.settle();
    expect(web.status).toMatchObject({ phase: 'Paused', sleepRemainingSeconds: 40 });
    expect(web.status?.sleepUntil).toBeUndefined();
    expect(web.later(1000).sizes).toEqual({ 1: 9, 2: 1 });
    web.edit({ paused: false });
    expect(web.settle().status?.sleepUntil).toBe('2026-01-01T00:17:40.000000Z');
    expect(web.later(40).sizes).toEqual({ 1: 7, 2: 3 });
    expect(web.reasons).toContain('RolloutResumed');
  });

  it('a pause takes up no new version, but replaces pods that are lost', () => {
    const web = deployed();
    web.edit({ paused: true, template: templateOf('2') });
    expect(web.settle().sizes).toEqual({ 1: 10 });
    web.remove('1');
    expect(web.settle().sizes).toEqual({ 1: 10 });
    web.edit({ paused: false });
    expect(web.settle().sizes).toEqual({ 1: 9, 2: 1 });
  });
});

describe('what is left of old versions', () => {
  it('an old Deployment stays without pods for retainOldSeconds', () => {
    const web = rolling({ retainOldSeconds: 300, steps: [] });
    expect(web.sizes).toEqual({ 1: 0, 2: 10 });
    expect(web.status?.phase).toBe('Healthy');
    expect(web.later(299).sizes).toEqual({ 1: 0, 2: 10 });
    expect(web.later(1).sizes).toEqual({ 2: 10 });
  });

  it('snapshots of old versions are kept within revisionHistoryLimit', () => {
    const web = deployed({ steps: [], revisionHistoryLimit: 2 });
    for (const version of ['2', '3', '4', '5']) {
      web.rollTo(version);
      web.settle();
    }
    const snapshots = [...web.objects.values()].filter(({ kind }) => kind === 'ControllerRevision');
    expect(snapshots).toHaveLength(3);
  });

  it('a history has ten entries at most', () => {
    const web = deployed({ steps: [], replicas: 1 });
    for (let version = 2; version < 15; version += 1) {
      web.rollTo(String(version));
      web.settle();
    }
    expect(web.status?.history).toHaveLength(10);
  });
});

describe('names and refusals', () => {
  it('a Deployment of somebody else under the same name is a conflict, and nothing is touched', () => {
    const web = deployed();
    web.rollTo('2');
    web.pass();
    const name = `web-${web.status?.canaryHash}`;
    const refusal = { verb: 'create', kind: 'Deployment', name, reason: 'NameConflict' } as const;
    web.refused = [{ ...refusal, attempts: 1, at: web.now }];
    expect(web.settle().sizes).toEqual({ 1: 10 });
    expect(web.status?.phase).toBe('Conflict');
    expect(web.last?.state).toMatchObject({ state: 'stalled', reason: 'NameConflict' });
    web.refused = [];
    expect(web.settle().sizes).toEqual({ 1: 9, 2: 1 });
  });

  it('a stable version that is lost with its snapshot is reported', () => {
    const web = rolling();
    const { stableHash } = web.status ?? {};
    web.remove('1');
    web.objects.delete(`ControllerRevision/web-${stableHash}`);
    web.settle();
    expect(web.last?.state).toMatchObject({ state: 'stalled', reason: 'RevisionLost' });
    expect(web.condition('InvalidSpec')).toBe('True RevisionLost');
    web.rollTo('1');
    expect(web.settle().sizes).toEqual({ 1: 10 });
  });

  it('pods that a quota forbids are reported without the words of the server', () => {
    const web = deployed();
    const object = web.deploymentOf('1');
    const failure = { type: 'ReplicaFailure', status: 'True', reason: 'FailedCreate', message: 'pods "x" is forbidden: exceeded quota: q' };
    web.ignored.add(object.metadata?.name ?? '');
    object.status = { ...object.status, conditions: [failure] };
    web.settle();
    expect(web.condition('ReplicaFailure')).toBe('True QuotaExceeded');
    expect(JSON.stringify(web.last?.conditions)).not.toContain('pods "x"');
  });
});
