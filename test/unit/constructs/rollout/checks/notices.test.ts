import { describe, expect, it } from 'vitest';
import type { RolloutChecks } from '#constructs/rollout/checks/facts.ts';
import type { CheckAnswer, Milestone } from '#constructs/rollout/engine/checks.ts';
import { CheckBench, hook, keysOf, metric, second, vector } from './check-bench.ts';

const slack = { type: 'Slack', secretName: 'slack' } as const;
const chat = { type: 'Webhook', url: 'https://chat.example.com/in' } as const;

const milestone = (sort: Milestone['sort'], message: string = sort): Milestone => ({ sort, message });

const contentOf = ({ effects }: CheckAnswer): unknown[] =>
  effects.map((effect): unknown => (effect.effect === 'http' ? JSON.parse(effect.request.body ?? '{}') : undefined));

/** The answer of the pass after some milestones. */
const answerAfter = (checks: Partial<RolloutChecks>, ...milestones: readonly Milestone[]): CheckAnswer => {
  const bench = new CheckBench(checks);
  bench.ask('Event', { milestones });
  return bench.ask('Event');
};

describe('notices', () => {
  it('a notice is stored with what it is about, and sent at the next pass', () => {
    const bench = new CheckBench({ notify: [chat] });
    const first = bench.ask('Event', { milestones: [milestone('started')] });
    expect(first).toMatchObject({ verdict: 'pass', effects: [] });
    expect(first.analysis).toMatchObject([{ hook: 'Notice', phase: 'Pending', value: 'started' }]);
    expect(bench.ask('Event').effects).toMatchObject([{ request: { method: 'POST', url: chat.url }, retries: 4 }]);
  });

  it.each(['started', 'step', 'paused', 'aborted', 'completed'] as const)('one message is sent for "%s"', (sort) => {
    const bench = new CheckBench({ notify: [chat] });
    bench.ask('Event', { milestones: [milestone(sort)] });
    const keys = keysOf(bench.ask('Event'));
    expect(keys).toHaveLength(1);
    bench.answer(keys[0] ?? '', 200);
    expect(bench.ask('Event')).toMatchObject({ effects: [], analysis: [], events: [] });
    bench.restart();
    expect(bench.ask('Event').effects).toEqual([]);
  });

  it('Slack gets a text, with what it would take for markup escaped, at a URL out of a Secret', () => {
    const answer = answerAfter({ notify: [slack] }, milestone('aborted', 'errors < 1 & > 0'));
    expect(answer.effects).toMatchObject([{ request: { url: { secretName: 'slack', key: 'url' } } }]);
    expect(contentOf(answer)).toEqual([{ text: 'shop/web 1.7.8 aborted: errors &lt; 1 &amp; &gt; 0' }]);
  });

  it('Webhook gets what hooks get, what happened, and the text', () => {
    expect(contentOf(answerAfter({ notify: [chat] }, milestone('step', '1/4 (10%)')))).toEqual([
      {
        type: 'Webhook',
        namespace: 'shop',
        name: 'web',
        step: 0,
        percent: 10,
        revision: 'bbb',
        stableVersion: '1.7.7',
        canaryVersion: '1.7.8',
        event: 'step',
        text: 'shop/web 1.7.8 step: 1/4 (10%)',
      },
    ]);
  });

  it('a notice of a step is sent for what happens at that step alone', () => {
    const bench = new CheckBench({ steps: [{ percent: 10 }, { percent: 30, notify: [chat] }] });
    bench.ask('Event', { stepIndex: 0, milestones: [milestone('step')] });
    expect(bench.analysis).toEqual([]);
    bench.ask('Event', { stepIndex: 1, percent: 30, milestones: [milestone('step')] });
    expect(contentOf(bench.ask('Event', { stepIndex: 2, percent: 100 }))).toMatchObject([{ step: 1, percent: 30 }]);
  });

  it('a second pause at a step is reported again, under another key', () => {
    const bench = new CheckBench({ notify: [chat] });
    const keys = [0, 100].map((at) => {
      bench.now = at;
      bench.ask('Event', { milestones: [milestone('paused')] });
      const [key = ''] = keysOf(bench.ask('Event'));
      bench.answer(key, 200);
      bench.ask('Event');
      return key;
    });
    expect(new Set(keys).size).toBe(2);
  });

  it('a message whose answer was lost with the process is sent again under the same key', () => {
    const bench = new CheckBench({ notify: [chat] });
    bench.ask('Event', { milestones: [milestone('started')] });
    const keys = keysOf(bench.ask('Event'));
    bench.restart();
    bench.now = 50;
    expect(keysOf(bench.ask('Event'))).toEqual(keys);
  });

  it('an unreachable receiver is given up with an event, and nothing is held back', () => {
    const bench = new CheckBench({ notify: [slack] });
    bench.ask('Event', { milestones: [milestone('started')] });
    bench.fail(keysOf(bench.ask('Event'))[0] ?? '', 'HostNotAllowed');
    expect(bench.ask('Event')).toMatchObject({
      verdict: 'pass',
      analysis: [],
      events: [
        {
          type: 'Warning',
          reason: 'NoticeFailed',
          message: 'rollout:0 did not receive started: no answer: HostNotAllowed',
        },
      ],
    });
  });

  it('what waits outlives a change of the revision, and results of the old revision do not', () => {
    const bench = new CheckBench({ notify: [chat], steps: [{ percent: 10, metrics: [metric()] }] });
    const ready = { stepReadyAt: second(0), sleepUntil: second(60) };
    bench.answer(keysOf(bench.ask('Step', ready))[0] ?? '', 200, vector('1'));
    bench.ask('Step', ready);
    bench.ask('Event', { milestones: [milestone('aborted')] });
    const canary = { hash: 'ccc', version: '1.7.9', name: 'web-1.7.9' };
    bench.ask('Pre', { canary });
    expect(bench.analysis).toMatchObject([{ hook: 'Notice' }]);
    expect(contentOf(bench.ask('Event', { canary }))).toMatchObject([
      { revision: 'bbb', canaryVersion: '1.7.8', text: expect.stringContaining('1.7.8') as string },
    ]);
  });

  it('no more than 32 messages wait, the oldest go, and eight are sent at once', () => {
    const bench = new CheckBench({ notify: [chat, slack] });
    for (const at of Array.from({ length: 20 }, (_, index) => index)) {
      bench.now = at;
      bench.ask('Event', { milestones: [milestone('paused', String(at))] });
    }
    const answer = bench.ask('Event');
    expect(answer.analysis).toHaveLength(32);
    expect(JSON.stringify(answer.analysis)).not.toContain(': 3"');
    expect(answer.effects).toHaveLength(8);
  });

  it('a target that the spec no longer names gets no notice', () => {
    const bench = new CheckBench({ notify: [chat] });
    bench.ask('Event', { milestones: [milestone('started')] });
    const without = new CheckBench({});
    without.analysis = bench.analysis;
    expect(without.ask('Event')).toMatchObject({ effects: [], analysis: [] });
  });
});

describe('hooks of type Event and Post', () => {
  it('Event hooks get every notice, Post hooks that of the end', () => {
    const webhooks = [hook('Event', { name: 'event' }), hook('Post', { name: 'post' })];
    const heard = (['started', 'step', 'paused', 'aborted', 'completed'] as const).map((sort) =>
      contentOf(answerAfter({ webhooks }, milestone(sort))).map((body) => (body as { hook: string }).hook),
    );
    expect(heard).toEqual([['event'], ['event'], ['event'], ['event', 'post'], ['event', 'post']]);
  });

  it('a Post hook is called under the key of hooks, an Event hook under one for each time', () => {
    const webhooks = [hook('Event', { name: 'event' }), hook('Post', { name: 'post' })];
    const [ofEvent, ofPost] = keysOf(answerAfter({ webhooks }, milestone('completed')));
    expect(ofPost).toBe('bbb/0/post');
    expect(ofEvent).toMatch(/^bbb\/0\/notice\/hook:event\/completed-[a-z0-9]+$/);
  });

  it('a Post hook of a step is called when the rollout ends there', () => {
    const steps = [{ percent: 10, webhooks: [hook('Post')] }];
    expect(contentOf(answerAfter({ steps }, milestone('step')))).toEqual([]);
    expect(contentOf(answerAfter({ steps }, milestone('aborted')))).toMatchObject([{ type: 'Post', event: 'aborted' }]);
  });

  it('a Post hook that fails is an event and holds nothing back', () => {
    const bench = new CheckBench({ webhooks: [hook('Post')] });
    bench.ask('Event', { milestones: [milestone('completed')] });
    bench.ask('Event');
    bench.answer('bbb/0/hook', 500);
    expect(bench.ask('Post').verdict).toBe('pass');
    expect(bench.ask('Event').events).toMatchObject([{ reason: 'WebhookFailed' }]);
  });
});
