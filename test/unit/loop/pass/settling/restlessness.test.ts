import { describe, expect, it } from 'vitest';
import { noOutcomes } from '#lib/desired/observe/create-observation.ts';
import type { Context } from '#lib/loop/context/context.ts';
import { keyOf } from '#lib/loop/context/key.ts';
import { inspectMemory } from '#lib/loop/context/memory.ts';
import type { Given } from '#lib/loop/pass/decision.ts';
import { forgetStatus, noteStatus, restlessnessOf } from '#lib/loop/pass/settling/status.ts';
import type { Snapshot } from '#lib/loop/pass/snapshot.ts';
import { createLogger } from '#lib/telemetry/log.ts';
import { parent } from '#test/unit/support/plan-inputs.ts';

const given = { answers: [], outcomes: [] } as unknown as Given;

/** The number of statuses that may follow only from the previous one without a delay. */
const STEPS = 128;

/** A resource whose status followed only from the previous one for a number of times. */
const after = (steps: number) => {
  const context = {
    memory: new Map(),
    now: () => 0,
    random: () => 0.5,
    log: createLogger('silent'),
  } as unknown as Context;
  const rest = { children: [], orphans: [], refused: [], outcomes: noOutcomes, clock: { awaited: () => undefined } };
  const resource = { ...parent(), status: { a: 0, b: 0, c: 0, d: 0 } };
  const seen = { key: keyOf('default', 'web'), uid: 'uid-web', resource, ...rest } as unknown as Snapshot;
  const next = { a: 1, b: 1, c: 1, d: 1, e: 1 };
  for (let step = 0; step < steps; step += 1) noteStatus(context, seen, { given, next, follows: true });
  return { context, seen, next };
};

describe('restlessnessOf()', () => {
  it('restlessnessOf() is undefined until more than 128 statuses followed only from the previous one', () => {
    const { context, seen, next } = after(STEPS);
    expect(restlessnessOf(context, seen, next)).toBeUndefined();
  });

  it('restlessnessOf() delays the next status, and names the first three changing fields', () => {
    const { context, seen, next } = after(STEPS + 1);
    expect(restlessnessOf(context, seen, next)).toEqual({
      state: {
        state: 'stalled',
        reason: 'NeverSettles',
        message:
          'desired() returns another status after each one that it reads (status.a, status.b, status.c); a status must not count, nor depend on itself without end',
      },
      notBefore: 750,
    });
    expect(inspectMemory(context)).toMatchObject({
      'default/web': { statusUnrest: { steps: STEPS + 1, notBefore: '1970-01-01T00:00:00.750000Z' } },
    });
  });

  it('restlessnessOf() is undefined when the function returns the stored status', () => {
    const { context, seen } = after(STEPS + 1);
    expect(restlessnessOf(context, seen, { a: 0, b: 0, c: 0, d: 0 })).toBeUndefined();
  });
});

describe('forgetStatus()', () => {
  it('forgetStatus() ends the delay of a function that has settled', () => {
    const { context, seen, next } = after(STEPS + 1);
    forgetStatus(context, seen);
    expect(restlessnessOf(context, seen, next)).toBeUndefined();
    expect(inspectMemory(context)).toEqual({});
  });
});
