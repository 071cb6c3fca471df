import { Script } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { planChange } from '#lib/foresight/plan/plan-change.ts';
import { simulate } from '#lib/foresight/simulate/simulate.ts';
import type { PassFailure } from '#lib/loop/context/hooks.ts';
import { resourceOf, website } from './served/portal.ts';

const looping = {
  ...website,
  desired: () => {
    for (;;);
  },
};
const throwing = {
  ...website,
  desired: () => {
    throw new TypeError('boom');
  },
};
const change = { verb: 'apply', object: resourceOf('Website') } as const;

describe('a function that does not return', () => {
  it('planChange() ends it, and names the function and the resource', async () => {
    const planned = planChange({ kinds: [looping], live: [], changes: [change], now: 0 });
    await expect(planned).rejects.toThrow(
      /^Cannot look ahead: desired\(\) of Website for default\/example did not return within \d+ ms$/,
    );
  });

  it('simulate() ends it, and names the function and the resource', async () => {
    await expect(simulate({ kinds: [looping], manifests: [resourceOf('Website')] })).rejects.toThrow(
      /^desired\(\) of Website for default\/example did not return within \d+ ms /,
    );
  });

  it('simulate() gives the position of the function to the error', async () => {
    const script = new Script('\n(() => { for (;;); })', { filename: '/app/kinds/website.ts' });
    const located = { ...website, desired: script.runInThisContext() as typeof website.desired };
    const simulated = simulate({ kinds: [located], manifests: [resourceOf('Website')] });
    const cause = { stack: expect.stringContaining('(/app/kinds/website.ts:2:1)') as string };
    await expect(simulated).rejects.toMatchObject({ cause });
  });
});

describe('a function that throws', () => {
  it('planChange() reports it, and plans what becomes of the status', async () => {
    const failures: PassFailure[] = [];
    const onFailure = (failure: PassFailure): void => void failures.push(failure);
    const { writes } = await planChange({ kinds: [throwing], live: [], changes: [change], now: 0, onFailure });
    expect(writes.map(({ action, reason }) => `${action} ${reason}`)).toEqual(['status DesiredFailed']);
    expect(failures[0]).toMatchObject({
      what: 'desired() of Website',
      key: 'default/example',
      error: { message: 'boom' },
    });
  });
});
