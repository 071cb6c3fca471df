import * as fc from 'fast-check';
import { assert, describe, expect, it } from 'vitest';
import { type Key, keyOf } from '#lib/loop/key.ts';
import { backoffMs } from '#lib/loop/queue/backoff.ts';
import { WorkQueue } from '#lib/loop/queue/queue.ts';
import { runs } from '#test/properties.ts';
import { ManualTimers } from '#test/unit/support/manual-timers.ts';

const INITIAL_MS = 100;
const MAX_MS = 1500;

/** The queue as one would write it without a care for speed: lists and numbers. */
interface Model {
  now: number;
  ready: Key[];
  taken: Key[];
  meanwhile: Key[];
  delays: { readonly key: Key; readonly at: number }[];
  failures: Map<Key, number>;
  closed: boolean;
}

interface Real {
  readonly queue: WorkQueue;
  readonly timers: ManualTimers;
}

type QueueCommand = fc.Command<Model, Real>;

const add = (model: Model, key: Key): void => {
  if (model.closed) return;
  const list = model.taken.includes(key) ? model.meanwhile : model.ready;
  if (!list.includes(key)) list.push(key);
};

const addAfter = (model: Model, key: Key, delayMs: number): void => {
  if (model.closed) return;
  const at = model.now + delayMs;
  if (model.delays.some((delay) => delay.key === key && delay.at <= at)) return;
  model.delays = [...model.delays.filter((delay) => delay.key !== key), { key, at }];
};

const elapse = (model: Model, ms: number): void => {
  model.now += ms;
  const due = model.delays.filter(({ at }) => at <= model.now).toSorted((a, b) => a.at - b.at);
  model.delays = model.delays.filter(({ at }) => at > model.now);
  for (const { key } of due) add(model, key);
};

const take = (model: Model): Key | undefined => {
  const key = model.ready.shift();
  if (key === undefined) return undefined;
  model.taken.push(key);
  model.delays = model.delays.filter((delay) => delay.key !== key);
  return key;
};

const done = (model: Model, key: Key): void => {
  model.taken = model.taken.filter((it) => it !== key);
  const again = model.meanwhile.includes(key);
  model.meanwhile = model.meanwhile.filter((it) => it !== key);
  if (again) add(model, key);
};

const close = (model: Model): void => {
  model.closed = true;
  model.ready = [];
  model.meanwhile = [];
  model.delays = [];
};

const addFailed = (model: Model, key: Key, atLeastMs: number): void => {
  const failures = (model.failures.get(key) ?? 0) + 1;
  model.failures.set(key, failures);
  const delayMs = backoffMs(failures, { initialMs: INITIAL_MS, maxMs: MAX_MS, random: () => 0 });
  addAfter(model, key, Math.max(atLeastMs, delayMs));
};

/** What can be seen of the queue: of either side. */
const seenOfModel = (model: Model) => ({
  depth: model.ready.length,
  active: model.taken.length,
  delays: model.delays.map(({ at }) => at - model.now).toSorted((a, b) => a - b),
});

const seenOfReal = ({ queue, timers }: Real) => ({ depth: queue.depth, active: queue.active, delays: timers.pending });

const command = (text: string, onModel: (model: Model) => unknown, onReal: (real: Real) => unknown): QueueCommand => ({
  check: () => true,
  run: (model, real) => {
    const answers = { real: onReal(real), model: onModel(model) };
    assert.deepEqual({ answer: answers.real, ...seenOfReal(real) }, { answer: answers.model, ...seenOfModel(model) });
  },
  toString: () => text,
});

const keys = fc.constantFrom(...['a', 'b', 'c', 'd'].map((name) => keyOf('default', name)));
const delays = fc.integer({ min: 0, max: 3000 });

const commands = [
  keys.map((key) =>
    command(
      `add ${key}`,
      (model) => add(model, key),
      ({ queue }) => queue.add(key),
    ),
  ),
  fc.tuple(keys, delays).map(([key, ms]) =>
    command(
      `addAfter ${key} ${ms}`,
      (model) => addAfter(model, key, ms),
      ({ queue }) => queue.addAfter(key, ms),
    ),
  ),
  fc.tuple(keys, fc.constantFrom(0, 700)).map(([key, ms]) =>
    command(
      `addFailed ${key} ${ms}`,
      (model) => addFailed(model, key, ms),
      ({ queue }) => queue.addFailed(key, ms),
    ),
  ),
  keys.map((key) =>
    command(
      `forget ${key}`,
      (model) => void model.failures.delete(key),
      ({ queue }) => queue.forget(key),
    ),
  ),
  fc.constant(command('take', take, ({ queue }) => queue.take())),
  keys.map((key) => ({
    ...command(
      `done ${key}`,
      (model) => done(model, key),
      ({ queue }) => queue.done(key),
    ),
    check: (model: Readonly<Model>) => model.taken.includes(key),
  })),
  delays.map((ms) =>
    command(
      `elapse ${ms}`,
      (model) => elapse(model, ms),
      ({ timers }) => timers.elapse(ms),
    ),
  ),
  fc.constant({
    ...command('close', close, ({ queue }) => queue.close()),
    // Late, so that most runs are about an open queue.
    check: (model: Readonly<Model>) => model.now > 6000,
  }),
];

describe('WorkQueue', () => {
  it('WorkQueue behaves as lists and numbers do, whatever is asked of it', () => {
    const property = fc.property(fc.commands(commands, { maxCommands: 60, size: 'max' }), (run) => {
      const timers = new ManualTimers(0);
      const options = { initialBackoffMs: INITIAL_MS, maxBackoffMs: MAX_MS, random: () => 0, onReady: () => undefined };
      const real = { timers, queue: new WorkQueue({ timers, ...options }) };
      const model = { now: 0, ready: [], taken: [], meanwhile: [], delays: [], failures: new Map(), closed: false };
      fc.modelRun(() => ({ model, real }), run);
    });
    expect(() => fc.assert(property, { numRuns: runs(500) })).not.toThrow();
  });
});
