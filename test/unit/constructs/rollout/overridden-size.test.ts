import { describe, expect, it } from 'vitest';
import { deployed } from '#test/unit/support/rollout-bench.ts';

describe('a rollout beside a policy that makes every Deployment at least two large', () => {
  it('goes through its steps, and the old version goes', () => {
    const web = deployed({ replicas: 3 });
    web.floor = 2;
    web.rollTo('2');
    web.settle().wait(300);
    expect(web.status?.phase).toBe('Healthy');
    expect(web.sizes).toEqual({ 2: 3 });
    expect(web.fewest).toBeGreaterThanOrEqual(2);
  });

  it('rolls back when it is aborted, and the stable version has all its pods', () => {
    const web = deployed({ replicas: 3 });
    web.floor = 2;
    web.rollTo('2');
    web.settle();
    web.command('abort');
    web.settle().wait(60);
    expect(web.status?.phase).toBe('Degraded');
    expect(web.sizes['1']).toBe(3);
  });

  it('goes back to the old version when spec asks for it, and the new one goes', () => {
    const web = deployed({ replicas: 3 });
    web.floor = 2;
    web.rollTo('2');
    web.settle();
    web.rollTo('1');
    web.settle().wait(60);
    expect(web.status?.phase).toBe('Healthy');
    expect(web.sizes).toEqual({ 1: 3 });
  });

  it('takes no size that a policy sets for a change by another writer', () => {
    const web = deployed({ replicas: 3 });
    web.floor = 2;
    web.rollTo('2');
    web.settle().wait(300);
    expect(web.reasons).not.toContain('DriftCorrected');
  });
});
