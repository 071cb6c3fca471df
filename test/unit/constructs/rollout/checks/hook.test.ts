import { describe, expect, it } from 'vitest';
import { CheckBench, hook, keysOf, metric, second, vector } from './check-bench.ts';

const ready = { stepReadyAt: second(0), sleepUntil: second(60) };

const benchOf = (...hooks: readonly ReturnType<typeof hook>[]): CheckBench => new CheckBench({ webhooks: hooks });

describe('a hook', () => {
  it('a hook is a POST of what is rolled out, under a key of revision, step and name', () => {
    const bench = new CheckBench({
      steps: [{ percent: 10 }, { percent: 30, webhooks: [hook('Pre', { retries: 3 })] }],
    });
    const [effect] = bench.ask('Pre', { stepIndex: 1, percent: 30 }).effects;
    expect(effect).toMatchObject({
      key: 'bbb/1/hook',
      request: { method: 'POST', url: 'https://hooks.example.com/x' },
      timeoutSeconds: 10,
      retries: 3,
    });
    const body: unknown = JSON.parse((effect?.effect === 'http' && effect.request.body) || '{}');
    expect(body).toEqual({
      namespace: 'shop',
      name: 'web',
      hook: 'hook',
      type: 'Pre',
      step: 1,
      percent: 30,
      revision: 'bbb',
      stableVersion: '1.7.7',
      canaryVersion: '1.7.8',
    });
  });

  it.each([200, 201, 202, 204, 299])('a hook passes when it answers %d', (status) => {
    const bench = benchOf(hook('Pre'));
    expect(bench.ask('Pre').verdict).toBe('wait');
    bench.answer('bbb/0/hook', status);
    expect(bench.ask('Pre').verdict).toBe('pass');
    expect(bench.analysis).toMatchObject([{ name: 'hook', hook: 'Pre', phase: 'Passed' }]);
  });

  it.each([302, 400, 403, 404])('a hook of type Pre or Step aborts when it answers %d', (status) => {
    for (const type of ['Pre', 'Step'] as const) {
      const bench = benchOf(hook(type));
      bench.ask(type, ready);
      bench.answer('bbb/0/hook', status);
      expect(bench.ask(type, ready)).toMatchObject({
        verdict: 'abort',
        reason: 'WebhookFailed',
        events: [{ type: 'Warning', reason: 'WebhookFailed', message: `hook hook: answered ${status}` }],
      });
    }
  });

  it('a hook that still answers 5xx after its retries says no', () => {
    const bench = benchOf(hook('Pre'));
    bench.ask('Pre');
    bench.fail('bbb/0/hook', 'Answered503');
    expect(bench.ask('Pre')).toMatchObject({ verdict: 'abort', message: 'hook hook: answered 503' });
  });

  it.each(['TimedOut', 'Unreachable', 'HostNotAllowed', 'SecretUnusable'])(
    'a hook that gives no answer (%s) pauses for a human',
    (reason) => {
      const bench = benchOf(hook('Pre'));
      bench.ask('Pre');
      bench.fail('bbb/0/hook', reason);
      expect(bench.ask('Pre')).toMatchObject({ verdict: 'pause', message: `hook hook: no answer: ${reason}` });
    },
  );

  it('a hook that has passed is never called again, restarts included', () => {
    const bench = benchOf(hook('Pre'));
    bench.ask('Pre');
    bench.answer('bbb/0/hook', 200);
    bench.ask('Pre');
    bench.restart();
    bench.now = 3600;
    expect(bench.ask('Pre')).toMatchObject({ verdict: 'pass', effects: [], events: [] });
  });

  it('a hook whose answer was lost with the process is called again under the same key', () => {
    const bench = benchOf(hook('Pre'));
    const before = keysOf(bench.ask('Pre'));
    bench.restart();
    expect(keysOf(bench.ask('Pre'))).toEqual(before);
  });

  it('another revision calls its hooks itself', () => {
    const bench = benchOf(hook('Pre'));
    bench.ask('Pre');
    bench.answer('bbb/0/hook', 200);
    bench.ask('Pre');
    const canary = { hash: 'ccc', version: '1.7.9', name: 'web-1.7.9' };
    expect(keysOf(bench.ask('Pre', { canary }))).toEqual(['ccc/0/hook']);
    expect(bench.analysis).toEqual([]);
  });
});

describe('a revision that is rolled out again', () => {
  it('what was recorded before the rollout began is forgotten, and keys are other ones', () => {
    const bench = benchOf(hook('Pre'));
    bench.ask('Pre', { startedAt: second(0) });
    bench.answer('bbb/0/hook', 403);
    expect(bench.ask('Pre', { startedAt: second(0) }).verdict).toBe('abort');
    bench.now = 100;
    bench.again();
    const again = { startedAt: second(100), isRepeat: true };
    const [key = ''] = keysOf(bench.ask('Pre', again));
    expect(key).toMatch(/^bbb\/0\/hook\/[a-z0-9]+$/);
    bench.answer(key, 200);
    expect(bench.ask('Pre', again)).toMatchObject({ verdict: 'pass', effects: [] });
  });

  it('metrics are sampled anew', () => {
    const metrics = [metric({ intervalSeconds: 10 })];
    const bench = new CheckBench({ steps: [{ percent: 10, metrics }] });
    const first = { startedAt: second(0), ...ready };
    const keys = keysOf(bench.ask('Step', first));
    bench.answer(keys[0] ?? '', 200, vector('9'));
    expect(bench.ask('Step', first).verdict).toBe('abort');
    bench.now = 100;
    bench.again();
    const again = { startedAt: second(90), stepReadyAt: second(100), sleepUntil: second(100), isRepeat: true };
    const [key = ''] = keysOf(bench.ask('Step', again));
    expect(keys).not.toContain(key);
    bench.answer(key, 200, vector('1'));
    expect(bench.ask('Step', again)).toMatchObject({ verdict: 'pass', analysis: [{ count: 1, failures: 0 }] });
  });
});

describe('confirmations', () => {
  it.each(['ConfirmRollout', 'ConfirmStep', 'ConfirmPromotion'] as const)(
    '%s is asked every 30 s, each time under a key of its own, until a 2xx comes',
    (type) => {
      const bench = benchOf(hook(type));
      expect(keysOf(bench.ask(type))).toEqual(['bbb/0/hook']);
      bench.answer('bbb/0/hook', 403);
      expect(bench.ask(type)).toMatchObject({
        verdict: 'wait',
        reason: 'WaitingForConfirmation',
        effects: [],
        events: [],
      });
      expect(bench.awaited).toBe(30);
      bench.now = 30;
      expect(keysOf(bench.ask(type))).toEqual(['bbb/0/hook/2']);
      bench.fail('bbb/0/hook/2', 'Unreachable');
      expect(bench.ask(type).verdict).toBe('wait');
      bench.now = 60;
      expect(keysOf(bench.ask(type))).toEqual(['bbb/0/hook/3']);
      bench.answer('bbb/0/hook/3', 200);
      expect(bench.ask(type)).toMatchObject({ verdict: 'pass', effects: [] });
      expect(bench.awaited).toBeUndefined();
    },
  );

  it('a confirmation of one step comes before the Pre hook of that step', () => {
    const webhooks = [hook('Pre', { name: 'pre' }), hook('ConfirmRollout', { name: 'gate' })];
    const bench = new CheckBench({ steps: [{ percent: 10 }, { percent: 30, webhooks }] });
    expect(keysOf(bench.ask('Pre', { stepIndex: 1 }))).toEqual(['bbb/1/gate']);
    bench.answer('bbb/1/gate', 200);
    expect(keysOf(bench.ask('Pre', { stepIndex: 1 }))).toEqual(['bbb/1/pre']);
  });
});

describe('a hook whose clock was set back, or is another one', () => {
  it('a hook that passed is not called again, although by the clock the rollout has not begun yet', () => {
    const bench = benchOf(hook('Pre'));
    const asked = { startedAt: second(3600) };
    expect(keysOf(bench.ask('Pre', asked))).toEqual(['bbb/0/hook']);
    bench.answer('bbb/0/hook', 200);
    expect(bench.ask('Pre', asked).verdict).toBe('pass');
    bench.restart();
    expect(bench.ask('Pre', asked)).toMatchObject({ verdict: 'pass', effects: [] });
  });

  it('a confirmation is asked again at once and then every 30 s, and not when the other clock would', () => {
    const bench = benchOf(hook('ConfirmRollout'));
    bench.now = 3600;
    bench.ask('ConfirmRollout');
    bench.answer('bbb/0/hook', 403);
    bench.ask('ConfirmRollout');
    bench.now = 0;
    expect(keysOf(bench.ask('ConfirmRollout'))).toEqual(['bbb/0/hook/2']);
    bench.answer('bbb/0/hook/2', 403);
    expect(bench.ask('ConfirmRollout').effects).toEqual([]);
    expect(bench.awaited).toBe(30);
  });
});

describe('hooks of type Rollback', () => {
  it('Rollback is asked every 30 s and holds nothing back; a 2xx aborts, without being called a failure', () => {
    const bench = benchOf(hook('Rollback'));
    expect(bench.ask('Rollback')).toMatchObject({ verdict: 'pass' });
    bench.answer('bbb/0/hook', 404);
    expect(bench.ask('Rollback')).toMatchObject({ verdict: 'pass', effects: [], events: [] });
    bench.now = 30;
    expect(keysOf(bench.ask('Rollback'))).toEqual(['bbb/0/hook/2']);
    bench.answer('bbb/0/hook/2', 200);
    expect(bench.ask('Rollback')).toMatchObject({ verdict: 'abort', reason: 'RollbackRequested', events: [] });
    bench.restart();
    expect(bench.ask('Rollback')).toMatchObject({ verdict: 'abort', effects: [] });
  });
});

describe('hooks of the whole rollout', () => {
  it.each([
    { type: 'Pre', point: 'Pre', steps: [0] },
    { type: 'Step', point: 'Step', steps: [0, 1, 2] },
    { type: 'ConfirmStep', point: 'ConfirmStep', steps: [0, 1, 2] },
    { type: 'Rollback', point: 'Rollback', steps: [0, 1, 2] },
  ] as const)('a hook of type $type is called at steps $steps', ({ type, point, steps }) => {
    const called = [0, 1, 2].filter(
      (stepIndex) => benchOf(hook(type)).ask(point, { ...ready, stepIndex }).effects.length > 0,
    );
    expect(called).toEqual(steps);
  });

  it('a hook of type Step is not called before the pods are ready', () => {
    expect(benchOf(hook('Step')).ask('Step', {})).toMatchObject({ verdict: 'pass', effects: [] });
  });

  it('a hook of a step is called at that step alone', () => {
    const bench = new CheckBench({ steps: [{ percent: 10 }, { percent: 30, webhooks: [hook('Step')] }] });
    expect([0, 1, 2].map((stepIndex) => bench.ask('Step', { ...ready, stepIndex }).effects.length)).toEqual([0, 1, 0]);
  });
});
