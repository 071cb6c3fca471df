import { describe, expect, it } from 'vitest';
import { atSixty, deployed, type RolloutBench, rolling } from '#test/unit/support/rollout-bench.ts';

const broken = (spec = {}): RolloutBench => {
  const web = deployed({ progressDeadlineSeconds: 60, ...spec });
  web.healthy.set('2', 0);
  web.rollTo('2');
  return web.settle();
};

describe('versions that do not work', () => {
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

  it('a version that was given up is not begun again when a user deletes its Deployment', () => {
    const web = broken().later(61);
    web.remove('2');
    expect(web.settle().status).toMatchObject({ phase: 'Degraded', abortReason: 'ProgressDeadlineExceeded' });
    expect(web.sizes[1]).toBe(10);
    expect(web.sizes[2] ?? 0).toBe(0);
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

  it('a deadline is only reported when progressDeadlineAction is Report', () => {
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

  it('a deadline is put off by its own length at most when the clock is set back', () => {
    const web = broken();
    web.jump(-100_000);
    web.settle();
    expect(web.later(59).status?.abortReason).toBeUndefined();
    expect(web.later(1).status?.abortReason).toBe('ProgressDeadlineExceeded');
  });

  it('a version that was given up for its deadline can be tried again, and has its whole deadline then', () => {
    const web = broken().later(61);
    web.command('retry');
    expect(web.settle().sizes).toEqual({ 1: 10, 2: 1 });
    expect(web.later(59).status?.abortReason).toBeUndefined();
    expect(web.later(1).status?.abortReason).toBe('ProgressDeadlineExceeded');
  });

  it('another number of replicas has its whole deadline', () => {
    const web = deployed({ steps: [{ percent: 50 }], progressDeadlineSeconds: 100 });
    web.healthy.set('2', 0);
    web.rollTo('2');
    web.settle().later(90);
    web.edit({ replicas: 20 });
    expect(web.settle().later(90).status?.abortReason).toBeUndefined();
    expect(web.later(20).status?.abortReason).toBe('ProgressDeadlineExceeded');
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

describe('names and refusals', () => {
  it('a foreign Deployment under the same name is a conflict, and nothing is touched', () => {
    const web = deployed();
    web.rollTo('2');
    web.passUntil(({ stableHash, canaryHash }) => stableHash !== canaryHash);
    const name = `web-${web.status?.canaryHash}`;
    const refusal = { verb: 'create', kind: 'Deployment', name, reason: 'NameConflict' } as const;
    web.refused = [{ ...refusal, attempts: 1, at: web.now }];
    expect(web.settle().sizes).toEqual({ 1: 10 });
    expect(web.status?.phase).toBe('Conflict');
    expect(web.last?.state).toMatchObject({ state: 'stalled', reason: 'NameConflict' });
    web.refused = [];
    expect(web.settle().sizes).toEqual({ 1: 9, 2: 1 });
  });

  it('a version whose snapshot was deleted is still scaled and taken away, by the template that runs', () => {
    const web = rolling();
    web.objects.delete(`ControllerRevision/web-${web.status?.stableHash}`);
    expect(web.wait(60).sizes).toEqual({ 1: 7, 2: 3 });
    expect(web.deploymentOf('1').spec?.template.spec?.containers[0]?.image).toBe('web:1');
    expect(web.wait(60).sizes).toEqual({ 2: 10 });
  });

  it('no Deployment is created before the snapshot of its template', () => {
    const web = deployed();
    web.rollTo('2');
    web.passUntil(({ stableHash, canaryHash }) => stableHash !== canaryHash);
    const name = `web-${web.status?.canaryHash}`;
    web.refused = [
      { verb: 'create', kind: 'ControllerRevision', name, reason: 'Unavailable', attempts: 1, at: web.now },
    ];
    expect(web.settle().sizes).toEqual({ 1: 10 });
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
    const failure = {
      type: 'ReplicaFailure',
      status: 'True',
      reason: 'FailedCreate',
      message: 'pods "x" is forbidden: exceeded quota: q',
    };
    web.ignored.add(object.metadata?.name ?? '');
    object.status = { ...object.status, conditions: [failure] };
    web.settle();
    expect(web.condition('ReplicaFailure')).toBe('True QuotaExceeded');
    expect(JSON.stringify(web.last?.conditions)).not.toContain('pods "x"');
  });
});
