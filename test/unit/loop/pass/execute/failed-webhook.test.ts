import { describe, expect, it } from 'vitest';
import { ApiError } from '#lib/errors.ts';
import { LoopBench } from '#test/unit/support/loop-bench.ts';

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
