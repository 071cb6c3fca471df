import { describe, expect, it } from 'vitest';
import { NotLeadingError } from '#lib/errors.ts';
import type { KubeApi } from '#lib/kube/interface/api.ts';
import { fencedApi } from '#lib/loop/election/fenced-api.ts';
import { createLeadership } from '#lib/loop/election/leadership.ts';
import { ManualTimers, settle } from '#test/unit/support/manual-timers.ts';

const WRITE_TIMEOUT_MS = 10_000;

const world = () => {
  const timers = new ManualTimers();
  let validity = { elapsedMs: 0, wallMs: 0 };
  const leadership = createLeadership({ timers, writeTimeoutMs: WRITE_TIMEOUT_MS, validity: () => validity });
  const prolong = (): void => {
    validity = { elapsedMs: timers.elapsed() + 15_000, wallMs: timers.now() + 15_000 };
  };
  return { timers, leadership, prolong };
};

/** An API that counts started requests. */
const countingApi = () => {
  const started: string[] = [];
  const method = (name: string) => async () => void started.push(name);
  const names = ['list', 'watch', 'get', 'create', 'apply', 'patch', 'patchStatus', 'delete'];
  const api = Object.fromEntries(names.map((name) => [name, method(name)])) as unknown as KubeApi;
  return { api, started };
};

const callAll = async (api: KubeApi): Promise<unknown[]> => {
  const calls = Object.values(api) as unknown as readonly ((...parts: object[]) => Promise<unknown>)[];
  return Promise.allSettled(calls.map(async (call) => call({}, {}, {}, {})));
};

describe('createLeadership()', () => {
  it('mayWrite() is true while a write that times out ends before the lease does', () => {
    const { timers, leadership, prolong } = world();
    expect(leadership.mayWrite()).toBe(false);
    prolong();
    timers.elapse(5000);
    expect(leadership.mayWrite()).toBe(true);
    timers.elapse(1);
    expect(leadership.mayWrite()).toBe(false);
  });

  it('mayWrite() is false when the wall clock says that the lease is over: the machine may have slept', () => {
    const { timers, leadership, prolong } = world();
    prolong();
    timers.stepWallClock(60_000);
    expect(leadership.mayWrite()).toBe(false);
    prolong();
    expect(leadership.mayWrite()).toBe(true);
    timers.stepWallClock(-3_600_000);
    expect(leadership.mayWrite()).toBe(true);
  });
});

describe('fencedApi()', () => {
  it('fencedApi() lets reads pass, and writes wait for a lease that is late', async () => {
    const { timers, leadership, prolong } = world();
    const { api, started } = countingApi();
    void callAll(fencedApi(api, leadership));
    await settle();
    expect(started).toEqual(['list', 'watch', 'get']);
    prolong();
    await timers.advance(100);
    expect(started.slice(3)).toEqual(['create', 'apply', 'patch', 'patchStatus', 'delete']);
  });

  it('fencedApi() rejects every write, and starts none, once the leadership has ended', async () => {
    const { leadership, prolong } = world();
    const { api, started } = countingApi();
    prolong();
    leadership.end('gone');
    const results = await callAll(fencedApi(api, leadership));
    expect(started).toEqual(['list', 'watch', 'get']);
    const reasons = results.flatMap((result) => (result as { reason?: unknown }).reason ?? []);
    expect(reasons).toHaveLength(5);
    for (const reason of reasons) expect(reason).toBeInstanceOf(NotLeadingError);
  });
});
