import { describe, expect, it, vi } from 'vitest';
import { noOutcomes } from '#lib/desired/observe/create-observation.ts';
import { ConfigMap } from '#lib/kind/handles/reference.ts';
import { viewOf } from '#lib/loop/cache/projection/view.ts';
import { keyOf } from '#lib/loop/context/key.ts';
import { inspectMemory } from '#lib/loop/context/memory.ts';
import { noControllerMetrics } from '#lib/loop/context/metrics.ts';
import type { Decision } from '#lib/loop/pass/decision.ts';
import type { Execution } from '#lib/loop/pass/execute/execute.ts';
import { noteRound, pauseOf } from '#lib/loop/pass/settling/children.ts';
import type { Snapshot } from '#lib/loop/pass/snapshot.ts';
import { LoopBench } from '#test/unit/support/loop-bench.ts';
import { parent } from '#test/unit/support/plan-inputs.ts';
import { wardrobe } from '#test/unit/support/wardrobe-kind.ts';

const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a', namespace: 'default' } };

/** A bench with one ConfigMap, the snapshot of a resource with this child, and the decision to apply the child. */
const applyingAgain = (metadata: object = {}) => {
  const bench = new LoopBench(wardrobe);
  const { context, api } = bench;
  api.put(ConfigMap, object);
  bench.catchUp();
  const child = context.children.get(ConfigMap)?.get(keyOf('default', 'a'));
  if (!child) throw new Error('the cache has no child');
  const { uid } = child.metadata;
  const resource = { ...parent(), metadata: { ...parent().metadata, ...metadata } };
  const rest = { orphans: [], refused: [], outcomes: noOutcomes, clock: { awaited: () => undefined, nowMicros: 0 } };
  const children = [{ kind: ConfigMap, object: viewOf(ConfigMap, child) }];
  const seen = { key: keyOf('default', 'web'), uid: 'uid-web', resource, children, ...rest } as unknown as Snapshot;
  const step = { step: 'apply', kind: ConfigMap, name: 'a', uid, object, intent: 'i', reason: 'Unverified' };
  const decision = { plan: { steps: [step] }, given: { answers: [], outcomes: [] } } as unknown as Decision;
  return { context, seen, decision, step };
};

type Applying = ReturnType<typeof applyingAgain>;

const wrote = { failed: false, cut: false, outdated: false, current: true };

/** Whether the writes of the last of six passes are withheld, and the state that is reported then. */
const afterSix = ({ context, seen, decision, step }: Applying, more: Partial<Execution> = {}) => {
  const execution = { done: [step], ...wrote, ...more } as unknown as Execution;
  for (let pass = 0; pass < 6; pass += 1) {
    pauseOf(context, seen, decision);
    noteRound(context, seen, decision, execution);
  }
  return pauseOf(context, seen, decision);
};

/** The decision of a function that returns what exists. */
const settled = (decision: Decision): Decision => ({ ...decision, plan: { steps: [], pins: new Map() } });

describe('pauseOf()', () => {
  it('pauseOf() names a write that is repeated without a change, and shows the delay in the memory', () => {
    const applying = applyingAgain();
    const pause = afterSix(applying);
    expect(pause).toMatchObject({ withholds: true, state: { state: 'stalled', reason: 'NeverSettles' } });
    expect(pause.state?.message).toMatch(/^desired\(\) returns .* \(the same once more\); compute children /);
    expect(inspectMemory(applying.context)).toMatchObject({
      'default/web': {
        unrest: { level: 5, rounds: 1, notBefore: expect.stringMatching(/^\d{4}-\d\d-\d\dT/) as string },
        wrote: ['v1 ConfigMap a'],
      },
    });
  });

  it('pauseOf() delays the writes by at most a second at first, and counts the failure once', () => {
    const applying = applyingAgain();
    const failedForGood = vi.fn<() => void>();
    Object.assign(applying.context, { metrics: { ...noControllerMetrics, failedForGood } });
    const { afterMs } = afterSix(applying);
    expect(afterMs).toBeGreaterThan(0);
    expect(afterMs).toBeLessThanOrEqual(1000);
    expect(failedForGood).toHaveBeenCalledTimes(1);
  });

  it('pauseOf() does not delay a decision without a call of the function, although the last one was delayed', () => {
    const applying = applyingAgain();
    const { context, seen, decision } = applying;
    expect(afterSix(applying).withholds).toBe(true);
    const { given: _given, ...uncalled } = decision;
    expect(pauseOf(context, seen, uncalled)).toEqual({ withholds: false, afterMs: Infinity });
  });

  it('pauseOf() forgets the delay when the function has settled', () => {
    const applying = applyingAgain();
    const { context, seen, decision } = applying;
    expect(afterSix(applying).withholds).toBe(true);
    pauseOf(context, seen, settled(decision));
    expect(inspectMemory(context)).toEqual({});
    expect(pauseOf(context, seen, decision)).toEqual({ withholds: false, afterMs: Infinity });
  });

  it('pauseOf() keeps the state of a delay after a failed write, although the next pass writes nothing', () => {
    const applying = applyingAgain();
    const { context, seen, decision, step } = applying;
    afterSix(applying);
    noteRound(context, seen, decision, { done: [step], ...wrote, failed: true } as unknown as Execution);
    pauseOf(context, seen, settled(decision));
    expect(pauseOf(context, seen, decision)).toMatchObject({ withholds: false, state: { reason: 'NeverSettles' } });
  });

  it('pauseOf() names finalize() for a resource that is being deleted', () => {
    const pause = afterSix(applyingAgain({ deletionTimestamp: '2026-11-21T09:00:00Z' }));
    expect(pause.state?.message).toMatch(/^finalize\(\) returns /);
  });

  it.each([{ failed: true }, { cut: true }, { outdated: true }, { current: false }])(
    'pauseOf() does not count a pass whose execution has %o',
    (more) => {
      expect(afterSix(applyingAgain(), more)).toEqual({ withholds: false, afterMs: Infinity });
    },
  );

  it.each([{ failed: true }, { given: undefined }])('pauseOf() does not delay a decision with %o', (more) => {
    const { decision, ...rest } = applyingAgain();
    expect(afterSix({ ...rest, decision: { ...decision, ...more } as Decision })).toEqual({
      withholds: false,
      afterMs: Infinity,
    });
  });

  it('noteRound() keeps the record of a pass when the next pass writes nothing', () => {
    const { context, seen, decision, step } = applyingAgain();
    const execution = { done: [step], ...wrote } as unknown as Execution;
    noteRound(context, seen, decision, execution);
    noteRound(context, seen, decision, { ...execution, done: [] });
    expect(inspectMemory(context)).toMatchObject({ 'default/web': { wrote: ['v1 ConfigMap a'] } });
  });
});
