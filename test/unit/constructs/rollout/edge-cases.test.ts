import { describe, expect, it } from 'vitest';
import { atSixty, deployed, RolloutBench, rolling } from '#test/unit/support/rollout-bench.ts';

const steps = (...percents: number[]) => percents.map((percent) => ({ percent, sleep: 30 }));

describe('another version in the midst of a rollout', () => {
  it('a third version starts at the first step, drains the second first, and stable stays the first', () => {
    const web = atSixty();
    web.rollTo('3');
    expect(web.settle().sizes).toEqual({ 1: 9, 3: 1 });
    expect([web.most, web.fewest]).toEqual([13, 10]);
    expect(web.status?.history?.at(-1)).toMatchObject({ outcome: 'Superseded' });
    expect(web.status?.currentStepIndex).toBe(0);
  });

  it('a third version does not sleep before the second one is gone', () => {
    const web = atSixty();
    web.ignored.add(web.deploymentOf('2').metadata?.name ?? '');
    web.rollTo('3');
    web.settle();
    expect(web.status?.stepReadyAt).toBeUndefined();
    web.ignored.clear();
    expect(web.settle().sizes).toEqual({ 1: 9, 3: 1 });
    expect(web.status?.stepReadyAt).toBeDefined();
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
    expect(web.status).toMatchObject({ phase: 'Healthy', percent: 100 });
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
    expect(web.status).toMatchObject({ phase: 'Healthy', percent: 100 });
  });

  it('going back by steps sleeps no shorter when it is paused in a sleep that is longer than the one it came from', () => {
    const web = atSixty({ rollbackInSteps: true });
    web.rollTo('1');
    expect(web.settle().wait(30).sizes).toEqual({ 1: 9, 2: 1 });
    web.edit({ paused: true });
    expect(web.settle().status).toMatchObject({ sleepRemainingSeconds: 60 });
    web.edit({ paused: false });
    expect(web.settle().later(59).sizes).toEqual({ 1: 9, 2: 1 });
    expect(web.later(1).sizes).toEqual({ 1: 10 });
  });

  it('going back by steps sleeps twice as long at most when the clock is set back', () => {
    const web = atSixty({ rollbackInSteps: true });
    web.rollTo('1');
    web.settle().jump(-100_000);
    web.settle();
    expect(web.later(29).sizes).toEqual({ 1: 7, 2: 3 });
    expect(web.later(1).sizes).toEqual({ 1: 9, 2: 1 });
  });

  it('going back by steps gives way to a third version, which begins at the first step', () => {
    const web = atSixty({ rollbackInSteps: true });
    web.rollTo('1');
    web.settle().rollTo('3');
    expect(web.settle().sizes).toEqual({ 1: 9, 3: 1 });
    expect(web.status?.rollbackFrom).toBeUndefined();
    expect([web.most, web.fewest]).toEqual([13, 10]);
  });

  it('going back by steps begins at once, and not at the first step, when nothing of the version runs yet', () => {
    const web = deployed({
      rollbackInSteps: true,
      steps: [
        { percent: 0, pause: true },
        { percent: 50, sleep: 5 },
      ],
    });
    web.rollTo('2');
    web.settle().rollTo('1');
    expect(web.settle().sizes).toEqual({ 1: 10 });
    expect(web.status).toMatchObject({ phase: 'Healthy' });
    expect(web.status?.rollbackFrom).toBeUndefined();
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

  it('fewer replicas leave stable a pod at any share below 100 percent', () => {
    const web = rolling({ steps: [{ percent: 95, pause: true }] });
    for (const replicas of [4, 2]) {
      web.edit({ replicas });
      expect(web.settle().sizes).toEqual({ 1: 1, 2: replicas - 1 });
    }
  });
});

describe('steps that are edited', () => {
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

  it('edited steps wait for a person where the step with the share that is reached now says so', () => {
    const web = atSixty();
    web.edit({ steps: [{ percent: 60, pause: true }] });
    expect(web.settle().status).toMatchObject({ phase: 'Paused', pauseConditions: [{ reason: 'StepPause' }] });
    expect(web.later(1000).sizes).toEqual({ 1: 4, 2: 6 });
  });

  it('edited steps end the wait for a person where no step with the share that is reached has one any more', () => {
    const web = rolling({ steps: [{ percent: 20, pause: true }] });
    web.edit({ steps: steps(40) });
    expect(web.settle().sizes).toEqual({ 1: 6, 2: 4 });
    expect(web.status?.pauseConditions).toBeUndefined();
  });

  it('edited steps that all lie below go on to 100 percent', () => {
    const web = atSixty();
    web.edit({ steps: steps(10, 20) });
    expect(web.settle().sizes).toEqual({ 2: 10 });
  });
});

describe('children that another writer changes', () => {
  it('a child that was scaled by hand gets its size back, with an event', () => {
    const web = atSixty();
    web.scaleByHand('1', 9);
    web.controllers();
    expect(web.settle().sizes).toEqual({ 1: 4, 2: 6 });
    const corrections = web.events.filter(({ reason }) => reason === 'DriftCorrected');
    expect(corrections.map(({ message }) => message)).toEqual([
      `${web.deploymentOf('1').metadata?.name} was scaled to 9 by another client; this resource set 4`,
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

  it('a Deployment that is being deleted is left alone, and its name not asked for before it is free', () => {
    const web = atSixty();
    const object = web.deploymentOf('1');
    object.metadata = { ...object.metadata, deletionTimestamp: web.now };
    web.pass();
    const intents = web.last?.children.filter((intent) => intent.object.metadata?.name === object.metadata?.name);
    const ofDeployment = intents?.filter((intent) => intent.object.kind === 'Deployment');
    expect(ofDeployment?.map(({ verb }) => verb)).toEqual(['keep']);
  });

  it('the old Deployment goes only when its pods have gone', () => {
    const web = deployed({ replicas: 2, maxSurge: 2, steps: [] });
    web.ignored.add(web.deploymentOf('1').metadata?.name ?? '');
    web.rollTo('2');
    expect(web.settle().sizes).toEqual({ 1: 0, 2: 2 });
    expect(web.status?.phase).not.toBe('Healthy');
    web.ignored.clear();
    expect(web.settle().sizes).toEqual({ 2: 2 });
  });

  it('every change of size names the Deployment that it was decided on, so that one that was changed meanwhile is not overwritten', () => {
    const web = deployed();
    web.rollTo('2');
    let changes = 0;
    for (let passes = 0; passes < 20; passes += 1) {
      const before = new Map(web.deployments.map(({ metadata, spec }) => [metadata?.name, spec?.replicas]));
      web.pass();
      for (const intent of web.last?.children ?? []) {
        const { metadata, spec } = intent.object as { metadata?: { name?: string }; spec?: { replicas?: number } };
        const size = before.get(metadata?.name);
        if (intent.object.kind !== 'Deployment' || size === undefined || size === spec?.replicas) continue;
        if (intent.verb !== 'apply') continue;
        changes += 1;
        expect(intent.ifUnchanged?.metadata?.name).toBe(metadata?.name);
      }
    }
    expect(changes).toBeGreaterThan(0);
  });

  it('a lost status takes the largest of the other versions for the stable one', () => {
    const web = rolling().wait(60);
    const { stableHash } = web.status ?? {};
    expect(web.sizes).toEqual({ 1: 7, 2: 3 });
    web.status = undefined;
    web.rollTo('3');
    expect(web.settle().status?.stableHash).toBe(stableHash);
    expect(web.sizes).toEqual({ 1: 9, 3: 1 });
  });

  it('a lost status does not let a new version take over without steps', () => {
    const web = deployed();
    web.status = undefined;
    web.rollTo('2');
    expect(web.settle().sizes).toEqual({ 1: 9, 2: 1 });
  });
});
