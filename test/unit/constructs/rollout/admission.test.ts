import { describe, expect, it } from 'vitest';
import { deployed, RolloutBench, rolling } from '#test/unit/support/rollout-bench.ts';

const sentenceAbout = (name: string): string =>
  `Deployment.apps "${name}" is invalid: spec.template.spec.containers[0].image`;

/** A rollout whose second version the API server does not accept. */
const refusing = (web = deployed()): RolloutBench => {
  web.unacceptable.set('2', sentenceAbout);
  web.rollTo('2');
  return web.settle();
};

const snapshots = ({ objects }: RolloutBench): number =>
  [...objects.values()].filter(({ kind }) => kind === 'ControllerRevision').length;

describe('a template that the API server refuses', () => {
  it('a refused template moves nothing, although pods may be unavailable, and is reported', () => {
    const web = refusing(deployed({ maxUnavailable: 5 }));
    const [effect] = web.last?.effects ?? [];
    const hash = effect?.key.split('/')[1];
    expect(web.sizes).toEqual({ 1: 10 });
    expect(web.last?.state).toEqual({
      state: 'stalled',
      reason: 'InvalidTemplate',
      message: `version ${hash} is not rolled out, the API server refuses it: spec.template.spec.containers[0].image`,
    });
    expect(web.status).toMatchObject({ phase: 'InvalidSpec', percent: 100 });
    expect(web.status?.canaryHash).toBe(web.status?.stableHash);
    expect([web.condition('TemplateValid'), web.condition('InvalidSpec')]).toEqual([
      'False InvalidTemplate',
      'True InvalidTemplate',
    ]);
    expect(web.reasons).not.toContain('RolloutAborted');
    expect(web.reasons.filter((reason) => reason === 'RolloutStarted')).toHaveLength(1);
  });

  it('a refused template is forgotten when spec goes back, or to another version', () => {
    const web = refusing();
    web.rollTo('1');
    expect(web.settle().last?.state).toMatchObject({ state: 'ready' });
    web.rollTo('2');
    web.settle().rollTo('3');
    expect(web.settle().sizes).toEqual({ 1: 9, 3: 1 });
    expect(web.condition('TemplateValid')).toBe('? ');
  });

  it('a refused template is asked about again when spec is edited', () => {
    const web = refusing();
    web.unacceptable.clear();
    web.edit({ minReadySeconds: 1 });
    expect(web.settle().sizes).toEqual({ 1: 9, 2: 1 });
  });

  it('a refused template in the midst of a rollout lets the one before stay where it is', () => {
    const web = rolling();
    web.unacceptable.set('3', () => 'no');
    web.rollTo('3');
    web.settle().wait(300);
    expect(web.sizes).toEqual({ 1: 9, 2: 1 });
    expect(web.status).toMatchObject({ phase: 'InvalidSpec', percent: 10 });
    expect(web.status?.history).toHaveLength(1);
  });

  it('a version under way is still given up at its deadline while the next template is refused', () => {
    const web = deployed({ progressDeadlineSeconds: 60 });
    web.healthy.set('2', 0);
    web.rollTo('2');
    web.settle();
    web.unacceptable.set('3', () => 'no');
    web.rollTo('3');
    web.settle().later(61);
    expect(web.sizes).toEqual({ 1: 10, 2: 0 });
    expect(web.reasons).toContain('RolloutAborted');
  });

  it('neither a refused template nor one that waits for spec.paused leaves a snapshot behind', () => {
    const paused = deployed();
    paused.edit({ paused: true });
    paused.rollTo('2');
    expect([deployed(), refusing(), paused.settle()].map(snapshots)).toEqual([1, 1, 1]);
  });

  it('pods are still scaled, and commands followed, while a template is refused', () => {
    const web = rolling();
    web.unacceptable.set('3', () => 'no');
    web.rollTo('3');
    web.edit({ replicas: 20 });
    expect(web.settle().sizes).toEqual({ 1: 18, 2: 2 });
    web.command('abort');
    expect(web.settle().sizes).toEqual({ 1: 20, 2: 0 });
  });
});

describe('a first version that the API server refuses', () => {
  it('a first version that is invalid says so, and not that pods are missing', () => {
    const web = new RolloutBench();
    web.pass();
    const name = `web-${web.status?.canaryHash}`;
    const refusal = { verb: 'create', kind: 'Deployment', name, reason: 'Invalid' } as const;
    web.refused = [{ ...refusal, attempts: 1, at: web.now }];
    expect(web.settle().last?.state).toMatchObject({ state: 'stalled', reason: 'InvalidTemplate' });
    web.refused = [];
    expect(web.settle().last?.state).toMatchObject({ state: 'ready' });
  });
});

describe('a template that the API server is asked about', () => {
  it('nothing is moved and nothing is ready before the answer', () => {
    const web = deployed({ maxUnavailable: 5 });
    web.rollTo('2');
    web.isMute = true;
    web.settle();
    expect(web.sizes).toEqual({ 1: 10 });
    expect(web.last?.state).toMatchObject({ state: 'progressing', reason: 'StepWaiting' });
    expect([web.status?.phase, web.condition('TemplateValid')]).toEqual(['Progressing', 'Unknown Asking']);
    web.isMute = false;
    expect(web.settle().sizes).toEqual({ 1: 9, 2: 1 });
  });

  it('the object asked about is the Deployment without pods', () => {
    const web = deployed();
    web.isMute = true;
    web.rollTo('2');
    web.settle();
    const [effect] = web.last?.effects ?? [];
    expect(effect).toMatchObject({ effect: 'dryRun', object: { kind: 'Deployment', spec: { replicas: 0 } } });
  });

  it.each([
    ['the first version', () => new RolloutBench().settle()],
    ['the version that runs', () => deployed().wait(5)],
    [
      'a way back to stable',
      () => {
        const web = rolling();
        web.rollTo('1');
        return web.settle();
      },
    ],
  ])('%s is not asked about', (_, play) => {
    expect((play().last?.effects ?? []).filter(({ effect }) => effect === 'dryRun')).toEqual([]);
  });

  it('a version that waits for spec.paused is not asked about', () => {
    const web = deployed({ paused: true });
    web.rollTo('2');
    expect(web.settle().last?.effects).toEqual([]);
  });
});
