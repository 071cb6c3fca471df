import { describe, expect, it } from 'vitest';
import { deployed, type RolloutBench, rolling } from '#test/unit/support/rollout-bench.ts';

const outcomeOf = ({ status }: RolloutBench): string =>
  `${status?.lastCommand?.outcome} ${status?.lastCommand?.reason}`;

const commanded = (web: RolloutBench, verb: string, more = {}): RolloutBench => {
  web.command(verb, more);
  return web.settle();
};

const waiting = (): RolloutBench =>
  rolling({
    steps: [
      { percent: 20, pause: true },
      { percent: 50, sleep: 600 },
    ],
  });

describe('commands', () => {
  it('promote ends the wait of a step, and only of this one', () => {
    const web = commanded(waiting(), 'promote');
    expect(outcomeOf(web)).toBe('Executed StepPromoted');
    expect(web.events).toContainEqual({ type: 'Normal', reason: 'CommandExecuted', message: 'promote: StepPromoted' });
    expect(web.sizes).toEqual({ 1: 5, 2: 5 });
  });

  it('promote ends the wait for a person, and not the one for spec.paused', () => {
    const web = waiting();
    web.edit({ paused: true });
    web.settle();
    expect(outcomeOf(commanded(web, 'promote'))).toBe('Executed StepPromoted');
    expect(web.status?.pauseConditions?.map(({ reason }) => reason)).toEqual(['Paused']);
    expect(web.sizes).toEqual({ 1: 8, 2: 2 });
    web.edit({ paused: false });
    expect(web.settle().sizes).toEqual({ 1: 5, 2: 5 });
  });

  it('promote is refused at the last step when pods are missing', () => {
    const web = rolling({ steps: [{ percent: 100, pause: true }] });
    web.healthy.set('2', 9);
    web.settle();
    expect(outcomeOf(commanded(web, 'promote'))).toBe('Refused PodsNotAvailable');
    expect(web.status?.history).toHaveLength(1);
  });

  it('promote is refused when nothing waits for a person, and is not kept for later', () => {
    const web = commanded(
      rolling({
        steps: [
          { percent: 20, sleep: 60 },
          { percent: 50, pause: true },
        ],
      }),
      'promote',
    );
    expect(outcomeOf(web)).toBe('Refused NotPaused');
    expect(web.events).toContainEqual({ type: 'Warning', reason: 'CommandRefused', message: 'promote: NotPaused' });
    expect(web.later(60).status?.phase).toBe('Paused');
  });

  it('promote-full goes to 100 percent at once, without the sleeps that are left', () => {
    const web = commanded(
      rolling({
        steps: [
          { percent: 10, sleep: 600 },
          { percent: 100, sleep: 600 },
        ],
      }),
      'promote-full',
    );
    expect(outcomeOf(web)).toBe('Executed FullPromotion');
    expect(web.sizes).toEqual({ 2: 10 });
    expect([web.most, web.fewest]).toEqual([13, 10]);
  });

  it('abort goes back to stable, also after promote-full', () => {
    const web = rolling();
    web.healthy.set('2', 1);
    commanded(web, 'promote-full');
    expect(web.status?.phase).toBe('Promoting');
    commanded(web, 'abort');
    expect(outcomeOf(web)).toBe('Executed RolloutAborted');
    expect(web.sizes).toEqual({ 1: 10, 2: 0 });
    expect(web.fewest).toBe(10);
  });

  it('abort does nothing, and says so, when nothing is rolled out', () => {
    const web = commanded(deployed(), 'abort');
    expect(outcomeOf(web)).toBe('NoOp NothingToAbort');
    expect(web.sizes).toEqual({ 1: 10 });
  });

  it('abort works while the rollout is paused', () => {
    const web = rolling();
    web.edit({ paused: true });
    expect(commanded(web.settle(), 'abort').sizes).toEqual({ 1: 10, 2: 0 });
  });

  it('abort of a rollout that waits for a person is reported as abort, and not as resumption', () => {
    const web = commanded(waiting(), 'abort');
    expect(web.reasons).toContain('RolloutAborted');
    expect(web.reasons).not.toContain('RolloutResumed');
  });

  it('promote-full asks no hook any more, neither for the step nor for the promotion', () => {
    const url = 'https://hooks.example.com/ask';
    const types = ['Step', 'ConfirmStep', 'ConfirmPromotion'] as const;
    const webhooks = types.map((type) => ({ name: type, type, url }));
    const web = rolling({ webhooks, steps: [{ percent: 10, sleep: 600 }] });
    expect(commanded(web, 'promote-full').sizes).toEqual({ 2: 10 });
    expect(web.status?.phase).toBe('Healthy');
  });

  it('retry starts a version that was given up again at the first step', () => {
    const web = commanded(rolling().wait(60), 'abort');
    expect(web.status?.phase).toBe('Degraded');
    commanded(web, 'retry');
    expect(outcomeOf(web)).toBe('Executed RolloutRestarted');
    expect(web.sizes).toEqual({ 1: 9, 2: 1 });
    expect(web.status?.abortedAt).toBeUndefined();
  });

  it('retry starts a version that waits at its deadline again at the first step, and the history has the attempt', () => {
    const web = rolling({
      progressDeadlineSeconds: 60,
      progressDeadlineAction: 'Pause',
      steps: [{ percent: 20 }, { percent: 50 }],
    });
    expect(web.sizes).toEqual({ 2: 10 });
    web.healthy.set('3', 2);
    web.rollTo('3');
    web.settle().later(61);
    expect(web.status).toMatchObject({ phase: 'Paused', currentStepIndex: 1 });
    commanded(web, 'retry');
    expect(outcomeOf(web)).toBe('Executed RolloutRestarted');
    expect(web.status?.pauseConditions).toBeUndefined();
    expect(web.status?.history?.map(({ outcome }) => outcome)).toEqual(['Promoted', 'Promoted', 'Superseded']);
  });

  it('abort and skip do nothing while a version goes back by steps', () => {
    const web = rolling({ rollbackInSteps: true }).wait(90);
    web.rollTo('1');
    const { sizes } = web.settle();
    expect(outcomeOf(commanded(web, 'abort'))).toBe('NoOp NothingToAbort');
    expect(outcomeOf(commanded(web, 'skip'))).toBe('Refused NothingToSkip');
    expect(web.sizes).toEqual(sizes);
  });

  it.each(['promote', 'promote-full', 'skip', 'retry'])('%s is refused when nothing is rolled out', (verb) => {
    const web = commanded(deployed(), verb);
    expect(web.status?.lastCommand).toMatchObject({ verb, outcome: 'Refused' });
    expect(web.status?.phase).toBe('Healthy');
  });

  it('retry is refused when nothing was given up', () => {
    expect(outcomeOf(commanded(rolling(), 'retry'))).toBe('Refused NotAborted');
  });

  it('skip leaves a step before its sleep is over', () => {
    const web = commanded(rolling(), 'skip');
    expect(outcomeOf(web)).toBe('Executed StepSkipped');
    expect(web.sizes).toEqual({ 1: 7, 2: 3 });
  });

  it('skip is refused at the last step', () => {
    const web = rolling({ steps: [{ percent: 100, sleep: 600 }] });
    expect(outcomeOf(commanded(web, 'skip'))).toBe('Refused LastStep');
  });

  it('a command is carried out once for its id', () => {
    const web = commanded(rolling(), 'skip', { id: 'one' });
    web.settle().later(10);
    expect(web.sizes).toEqual({ 1: 7, 2: 3 });
    expect(commanded(web, 'skip', { id: 'two' }).sizes).toEqual({ 1: 4, 2: 6 });
  });

  it('a command for another revision than the one that status names is refused', () => {
    const web = commanded(rolling(), 'abort', { revision: 'another' });
    expect(outcomeOf(web)).toBe('Refused StaleRevision');
    expect(web.status?.phase).toBe('Progressing');
  });

  it.each([
    ['is no JSON', '{', 'Malformed'],
    ['has no id', '{"verb":"abort","revision":"x"}', 'Malformed'],
    ['has an unknown verb', '{"id":"1","verb":"constructor","revision":"x"}', 'UnknownVerb'],
  ])('a command that %s is refused once', (_, annotation, reason) => {
    const web = rolling();
    web.annotations = { 'deploy.example.com/command': annotation };
    expect(outcomeOf(web.settle())).toBe(`Refused ${reason}`);
    const { at } = web.status?.lastCommand ?? {};
    expect(web.later(5).status?.lastCommand?.at).toBe(at);
  });

  it('a command is stored with its author', () => {
    expect(commanded(rolling(), 'abort').status?.lastCommand).toMatchObject({
      id: 'abort',
      verb: 'abort',
      requester: 'kubectl-annotate',
    });
  });
});
