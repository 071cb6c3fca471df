import { describe, expect, it } from 'vitest';
import type { AnyKindDefinition } from '#lib/desired/definition.ts';
import { HUNG, markingPatch } from '#lib/desired/runaway/hung.ts';
import { runLimited } from '#lib/desired/runaway/run-limited.ts';
import { guardedKind } from '#lib/loop/guardian/runaway/guarded-kind.ts';
import { ManualTimers } from '#test/unit/support/manual-timers.ts';
import { shelf } from '#test/unit/support/shelf-kind.ts';
import { tenantWith } from '#test/unit/support/tenant-extension.ts';

type Seen = Parameters<AnyKindDefinition['desired']>[0];

const seenOf = (status?: object, more: object = {}): Seen => {
  const metadata = { name: 'a', namespace: 'default', uid: 'first', generation: 1, ...more };
  return { resource: { metadata, spec: {}, status } } as unknown as Seen;
};

const marked = { conditions: [{ type: 'Stalled', status: 'True', reason: HUNG }] };

const guarded = (desired: () => unknown, more: Partial<AnyKindDefinition> = {}) => {
  const announced: string[] = [];
  const timers = new ManualTimers();
  const definition = { ...shelf, ...more, desired } as unknown as AnyKindDefinition;
  const watch = {
    enter: (kind: number, key: string) => void announced.push(`${kind} ${key}`),
    leave: () => void announced.push('left'),
  };
  return { kind: guardedKind(definition, { watch, kind: 7, timers }), announced, timers };
};

/** Ends after 3 s, so that a test fails if no time limit interrupts the call. */
const endless = (): never => {
  const until = performance.now() + 3000;
  while (performance.now() < until);
  throw new Error('the call was not interrupted');
};

describe('guardedKind()', () => {
  it('guardedKind() announces a call and its end, also when the function throws', () => {
    const { kind, announced } = guarded(() => {
      throw new Error('no');
    });
    expect(() => kind.desired(seenOf())).toThrow('no');
    expect(announced).toEqual(['7 default/a', 'left']);
  });

  it('guardedKind() interrupts a call for a resource that is marked, does not announce it, and waits before the next attempt', () => {
    let calls = 0;
    const { kind, announced, timers } = guarded(() => {
      calls += 1;
      return endless();
    });
    expect(() => kind.desired(seenOf(marked))).toThrow(expect.objectContaining({ code: HUNG }));
    expect(() => kind.desired(seenOf(marked))).toThrow(expect.objectContaining({ code: HUNG }));
    expect({ calls, announced }).toEqual({ calls: 1, announced: [] });
    timers.elapse(60_000);
    expect(() => kind.desired(seenOf(marked))).toThrow(expect.objectContaining({ code: HUNG }));
    expect(calls).toBe(2);
  });

  it('guardedKind() interrupts each call of an extension, whose parent has no mark', () => {
    const { extension } = tenantWith();
    const { kind, announced } = guarded(endless, extension && { extension });
    expect(() => kind.desired(seenOf())).toThrow(expect.objectContaining({ code: HUNG }));
    expect(announced).toEqual([]);
  });

  it('guardedKind() tries again at once when the spec was edited, and gives what the function gives', () => {
    let answer: unknown;
    const { kind } = guarded(() => answer ?? endless());
    expect(() => kind.desired(seenOf(marked))).toThrow(expect.objectContaining({ code: HUNG }));
    answer = { state: 'well' };
    expect(kind.desired(seenOf(marked, { generation: 2 }))).toBe(answer);
  });

  const hung = expect.objectContaining({ code: HUNG });

  it('guardedKind() waits whatever the generation is when the call after an edit did not return either', () => {
    let calls = 0;
    const { kind, timers } = guarded(() => {
      calls += 1;
      return endless();
    });
    for (const generation of [1, 2, 3, 4]) expect(() => kind.desired(seenOf(marked, { generation }))).toThrow(hung);
    expect(calls).toBe(2);
    timers.elapse(60_000);
    expect(() => kind.desired(seenOf(marked, { generation: 4 }))).toThrow(hung);
    expect(calls).toBe(3);
  });

  it('guardedKind() calls with the time limit when a resource has the name of a deleted one whose call did not return', () => {
    const answers = [endless, () => 'new', endless];
    const { kind, announced } = guarded(() => answers.shift()?.());
    expect(() => kind.desired(seenOf(marked))).toThrow(hung);
    expect(kind.desired(seenOf(undefined, { uid: 'second' }))).toBe('new');
    expect(() => kind.desired(seenOf(undefined, { uid: 'third' }))).toThrow(hung);
    expect({ left: answers.length, announced }).toEqual({ left: 0, announced: [] });
  });

  it('guardedKind() keeps the time limit when a marked resource is well again, also for other resources of its namespace', () => {
    let answer: unknown = { state: 'well' };
    const { kind, announced, timers } = guarded(() => answer ?? endless());
    expect(kind.desired(seenOf(marked))).toBe(answer);
    timers.elapse(3_600_000);
    answer = undefined;
    expect(() => kind.desired(seenOf({}, { generation: 2 }))).toThrow(hung);
    expect(() => kind.desired(seenOf({}, { name: 'b', uid: 'other' }))).toThrow(hung);
    expect(announced).toEqual([]);
  });

  it('guardedKind() has no time limit for the resources of other namespaces', () => {
    const { kind, announced } = guarded(() => 'well');
    kind.desired(seenOf(marked));
    kind.desired(seenOf({}, { namespace: 'other' }));
    expect(announced).toEqual(['7 other/a', 'left']);
  });
});

describe('runLimited()', () => {
  it('runLimited() gives what the function gives, and throws what it throws', () => {
    const value = { a: 1 };
    expect(runLimited(() => value, 1000)).toBe(value);
    const error = new RangeError('mine');
    expect(() =>
      runLimited(() => {
        throw error;
      }, 1000),
    ).toThrow(error);
  });

  it('runLimited() leaves nothing behind', () => {
    const before = Reflect.ownKeys(globalThis).length;
    expect(() => runLimited(endless, 10)).toThrow(expect.objectContaining({ code: HUNG }));
    expect(Reflect.ownKeys(globalThis).length).toBe(before);
  });
});

describe('markingPatch()', () => {
  it('markingPatch() marks the resource as stalled, keeps conditions of its own and when they changed, and is bound to its version', () => {
    const own = {
      type: 'Healthy',
      status: 'True',
      reason: 'Fine',
      message: '',
      lastTransitionTime: '2026-01-01T00:00:00Z',
    };
    const ready = { ...own, type: 'Ready' };
    const object = {
      metadata: { resourceVersion: '42', generation: 3 },
      status: { count: 2, conditions: [ready, own] },
    };
    const patch = markingPatch({ object, nowMs: Date.parse('2026-11-21T09:30:00Z') });
    expect(patch).toMatchObject({ metadata: { resourceVersion: '42' }, status: { observedGeneration: 3 } });
    const { conditions } = patch['status'] as { conditions: readonly Record<string, unknown>[] };
    expect(conditions.map(({ type, status, lastTransitionTime }) => [type, status, lastTransitionTime])).toEqual([
      ['Ready', 'False', '2026-11-21T09:30:00Z'],
      ['Reconciling', 'False', '2026-11-21T09:30:00Z'],
      ['Stalled', 'True', '2026-11-21T09:30:00Z'],
      ['Healthy', 'True', '2026-01-01T00:00:00Z'],
    ]);
    expect(conditions[2]).toMatchObject({ reason: HUNG });
  });
});
