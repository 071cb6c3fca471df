import { describe, expect, it } from 'vitest';
import { rolling } from '#test/unit/support/rollout-bench.ts';

describe('a rollout that starts again', () => {
  it('a canary that starts again asks its hooks under new keys, and the history has only one of its attempts', () => {
    const webhooks = [{ name: 'check', type: 'Step' as const, url: 'https://hooks.example.com/check' }];
    const web = rolling({
      steps: [
        { percent: 10, sleep: 1 },
        { percent: 60, sleep: 600, webhooks },
      ],
    });
    const keys = new Set<string>();
    for (let attempt = 0; attempt < 3; attempt += 1) {
      web.later(1).wait(30);
      for (const { key } of web.last?.effects ?? []) keys.add(key);
      if (attempt < 2) web.remove('2');
    }
    expect(web.sizes).toEqual({ 1: 4, 2: 6 });
    expect(keys.size).toBe(3);
    expect(web.status?.history?.map(({ outcome }) => outcome)).toEqual(['Promoted', 'Superseded']);
  });
});
