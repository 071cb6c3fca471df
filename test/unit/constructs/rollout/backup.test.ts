import { describe, expect, it } from 'vitest';
import { INTENT_MARK, RESTORED } from '#lib/desired/marks/marks.ts';
import { atSixty, deployed, RolloutBench, rolling, templateOf } from '#test/unit/support/rollout-bench.ts';

/**
 * Deletes a version and its snapshot. @returns a function that restores both, marked as the loop marks adopted objects
 */
const takenFrom = (web: RolloutBench, version: string) => {
  const object = web.deploymentOf(version);
  const name = object.metadata?.name ?? '';
  const snapshot = web.objects.get(`ControllerRevision/${name}`);
  web.remove(version);
  web.objects.delete(`ControllerRevision/${name}`);
  return () => {
    const { metadata = {} } = object;
    metadata.annotations = { ...metadata.annotations, [INTENT_MARK]: RESTORED };
    web.objects.set(`Deployment/${name}`, object);
    if (snapshot) web.objects.set(`ControllerRevision/${name}`, snapshot);
  };
};

const forgetStatus = (web: RolloutBench): void => {
  web.status = undefined;
};

describe('a rollout whose versions are lost', () => {
  it('a rollout without any version runs what spec asks for, and warns', () => {
    const web = rolling();
    const stable = web.status?.stableHash;
    web.objects.clear();
    web.settle();
    expect(web.sizes).toEqual({ 2: 10 });
    expect(web.status?.phase).toBe('Healthy');
    const warnings = web.events.filter(({ reason }) => reason === 'RevisionLost');
    expect(warnings).toHaveLength(1);
    expect(warnings[0]).toMatchObject({
      type: 'Warning',
      message: expect.stringContaining(`stable version ${stable}`),
    });
  });

  it('a rollout that was given up and lost all its versions runs what spec asks for', () => {
    const web = rolling();
    web.command('abort');
    web.settle();
    web.objects.clear();
    expect(web.settle().sizes).toEqual({ 2: 10 });
    expect(web.status?.abortedAt).toBeUndefined();
  });

  it('a rollout at rest whose children are gone brings its version back, and warns of nothing', () => {
    const web = deployed();
    web.objects.clear();
    expect(web.settle().sizes).toEqual({ 1: 10 });
    expect(web.reasons).not.toContain('RevisionLost');
  });

  it('a rollout whose status is of another cluster runs what spec asks for', () => {
    const web = rolling();
    const other = new RolloutBench({ template: templateOf('3') });
    other.status = structuredClone(web.status);
    expect(other.settle().sizes).toEqual({ 3: 10 });
    expect(other.status?.stableHash).toBe(other.status?.canaryHash);
  });

  it('a version that was not seen through gets no more pods because the stable one is lost', () => {
    const web = atSixty();
    takenFrom(web, '1');
    web.settle();
    expect(web.sizes).toEqual({ 2: 6 });
    expect(web.last?.state).toMatchObject({ state: 'stalled', reason: 'RevisionLost' });
  });
});

describe('a rollout that a backup brings back', () => {
  it('a stable version that comes back late is stable again, and the new one comes step by step', () => {
    const web = rolling();
    const bringBack = takenFrom(web, '1');
    takenFrom(web, '2');
    forgetStatus(web);
    web.settle();
    expect(web.sizes).toEqual({ 2: 10 });
    const stable = web.status?.stableHash;
    bringBack();
    web.settle();
    expect(web.sizes).toEqual({ 1: 9, 2: 1 });
    expect(web.status).toMatchObject({ percent: 10, currentStepIndex: 0, canaryHash: stable });
    expect(web.status?.stableHash).not.toBe(stable);
    expect(web.wait(121).sizes).toEqual({ 2: 10 });
  });

  it('a stable version that comes back while the new one is taken for the first is stable again', () => {
    const web = rolling();
    const bringBack = takenFrom(web, '1');
    takenFrom(web, '2');
    forgetStatus(web);
    web.passUntil(({ canaryHash }) => canaryHash !== undefined);
    bringBack();
    expect(web.settle().sizes).toEqual({ 1: 9, 2: 1 });
  });

  it('a stable version comes back by its steps also where spec trusts versions that ran before', () => {
    const web = rolling({ rollbackWindow: { revisions: 3 } });
    const bringBack = takenFrom(web, '1');
    takenFrom(web, '2');
    forgetStatus(web);
    web.settle();
    bringBack();
    expect(web.settle().sizes).toEqual({ 1: 9, 2: 1 });
    expect(web.reasons).not.toContain('SkipSteps');
  });

  it('a version without pods that comes back was not the stable one', () => {
    const web = deployed({ retainOldSeconds: 600 });
    web.rollTo('2');
    web.settle().wait(121);
    expect(web.sizes).toEqual({ 1: 0, 2: 10 });
    forgetStatus(web);
    expect(web.settle().sizes).toEqual({ 1: 0, 2: 10 });
    expect(web.status).toMatchObject({ phase: 'Healthy', percent: 100 });
    expect(web.reasons.filter((reason) => reason === 'StepCompleted')).toHaveLength(4);
  });

  it('an old version that the status knows does not become stable again because a backup brings it back', () => {
    const web = rolling();
    const listed = web.status?.deployments ?? [];
    const bringBack = takenFrom(web, '1');
    bringBack();
    const old = structuredClone(web.deploymentOf('1'));
    web.wait(121);
    web.objects.set(`Deployment/${old.metadata?.name}`, old);
    if (web.status) web.status = { ...web.status, deployments: listed };
    expect(web.settle().sizes).toEqual({ 2: 10 });
    expect(web.status?.history?.map(({ outcome }) => outcome)).toEqual(['Promoted', 'Promoted']);
  });

  it('a stable version that comes back after its status, too late for it, is stable again', () => {
    const web = rolling();
    const bringBack = takenFrom(web, '1');
    takenFrom(web, '2');
    web.settle();
    expect(web.sizes).toEqual({ 2: 10 });
    bringBack();
    expect(web.settle().sizes).toEqual({ 1: 9, 2: 1 });
  });

  it('a version of another backup does not undo a rollout that was seen through', () => {
    const other = new RolloutBench({ template: templateOf('0') }).settle();
    const web = rolling().wait(121);
    expect(web.status?.phase).toBe('Healthy');
    const { metadata, ...rest } = structuredClone(other.deploymentOf('0'));
    const annotations = { ...metadata?.annotations, [INTENT_MARK]: RESTORED };
    web.objects.set(`Deployment/${metadata?.name}`, { ...rest, metadata: { ...metadata, annotations } });
    expect(web.settle().sizes['2']).toBe(10);
    expect(web.sizes['0'] ?? 0).toBe(0);
    expect(web.status).toMatchObject({ phase: 'Healthy', percent: 100 });
  });

  it('another version that was not restored does not become the stable one', () => {
    const web = rolling();
    const bringBack = takenFrom(web, '1');
    takenFrom(web, '2');
    forgetStatus(web);
    web.settle();
    bringBack();
    const { metadata } = web.deploymentOf('1');
    delete metadata?.annotations?.[INTENT_MARK];
    expect(web.settle().sizes).toEqual({ 2: 10 });
  });
});
