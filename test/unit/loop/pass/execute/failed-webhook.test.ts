import { describe, expect, it } from 'vitest';
import { ApiError } from '#lib/errors.ts';
import { failedWebhookOf } from '#lib/loop/pass/execute/refusal.ts';
import { LoopBench } from '#test/unit/support/loop-bench.ts';
import { connectionLost } from '#test/unit/support/server-answers.ts';

describe('a write that an admission webhook fails', () => {
  it('is reported with the name of the webhook, in status and event', async () => {
    const bench = new LoopBench();
    bench.api.refuse = ({ verb }) =>
      verb === 'create'
        ? new ApiError('create pods', {
            httpStatus: 500,
            reason: 'InternalError',
            message:
              'Internal error occurred: failed calling webhook "policy.example.com": failed to call webhook: EOF',
          })
        : undefined;
    bench.declare('shelf', { books: ['a'] });
    await bench.pass('shelf');
    bench.catchUp();
    await bench.pass('shelf');
    expect(bench.conditionOf('shelf', 'Ready')).toMatchObject({
      reason: 'WebhookFailed',
      message:
        'cannot create Pod: the admission webhook "policy.example.com" fails or does not respond: repair it, or remove its configuration; trying again',
    });
    expect(bench.events.map(({ message }) => message)).toContain(
      'Cannot create pods: the admission webhook "policy.example.com" fails or does not answer',
    );
  });
});

const answered = (httpStatus: number, message: string): ApiError =>
  new ApiError('create pods', { httpStatus, reason: '', message });

const CALLED = 'failed calling webhook "policy.example.com": EOF';

describe('failedWebhookOf()', () => {
  it.each([
    { error: answered(500, CALLED), name: 'policy.example.com', when: 'the status is 500' },
    { error: answered(504, CALLED), name: 'policy.example.com', when: 'the status is 504' },
    { error: answered(499, CALLED), name: undefined, when: 'the status is below 500' },
    { error: answered(500, 'no leader'), name: undefined, when: 'the message names no webhook' },
    { error: connectionLost(), name: undefined, when: 'no response came' },
    { error: undefined, name: undefined, when: 'undefined was thrown' },
  ])('failedWebhookOf() is $name when $when', ({ error, name }) => {
    expect(failedWebhookOf(error)).toBe(name);
  });
});
