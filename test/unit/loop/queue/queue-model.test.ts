import * as fc from 'fast-check';
import { assert, describe, expect, it } from 'vitest';
import { type Key, keyOf } from '#lib/loop/context/key.ts';
import { backoffMs } from '#lib/loop/queue/backoff.ts';
import { type Taken, WorkQueue } from '#lib/loop/queue/queue.ts';
import { PATIENCE } from '#lib/loop/queue/ready-keys.ts';
import { type Priority, priorities } from '#lib/loop/queue/urgency.ts';
import { runs } from '#test/properties.ts';
import { ManualTimers } from '#test/unit/support/manual-timers.ts';

const INITIAL_MS = 100;
const MAX_MS = 1500;

/** A simple model of the queue with lists and numbers, without regard to speed. */
interface Model {
  now: number;
  ready: { readonly key: Key; readonly priority: Priority }[];
  /** Namespaces with ready keys, by priority, in the order of their turns. */
  rounds: Record<Priority, string[]>;
  passedOver: Record<Priority, number>;
  taken: Key[];
  meanwhile: { readonly key: Key; readonly priority: Priority }[];
  delays: { readonly key: Key; readonly at: number; readonly priority: Priority }[];
  failures: Map<Key, number>;
  closed: boolean;
}

const emptyModel = (): Model => ({
  now: 0,
  ready: [],
  rounds: { deletion: [], begun: [], user: [], child: [], unseen: [], resync: [] },
  passedOver: { deletion: 0, begun: 0, user: 0, child: 0, unseen: 0, resync: 0 },
  taken: [],
  meanwhile: [],
  delays: [],
  failures: new Map(),
  closed: false,
});

interface Real {
  readonly queue: WorkQueue;
  readonly timers: ManualTimers;
}

type QueueCommand = fc.Command<Model, Real>;

const namespaceOf = (key: Key): string => key.split('/')[0] ?? '';

/** The more urgent of two priorities: the requested one, and that of the key in the list. */
const urgency = (list: readonly { readonly key: Key; readonly priority: Priority }[], key: Key, asked: Priority) => {
  const held = list.find((it) => it.key === key)?.priority;
  return priorities.find((priority) => priority === asked || priority === held) ?? asked;
};

/** Namespaces without a ready key leave the round; new ones are added at the end. */
const tidy = (model: Model): void => {
  for (const priority of priorities) {
    const lane = model.ready.filter((it) => it.priority === priority).map(({ key }) => namespaceOf(key));
    const staying = model.rounds[priority].filter((namespace) => lane.includes(namespace));
    model.rounds[priority] = [...new Set([...staying, ...lane])];
  }
};

const add = (model: Model, key: Key, asked: Priority): void => {
  if (model.closed) return;
  const list = model.taken.includes(key) ? model.meanwhile : model.ready;
  const priority = urgency(list, key, asked);
  if (list.some((it) => it.key === key && it.priority === priority)) return;
  const changed = [...list.filter((it) => it.key !== key), { key, priority }];
  if (list === model.ready) model.ready = changed;
  else model.meanwhile = changed;
  tidy(model);
};

const addAfter = (model: Model, key: Key, { delayMs, priority }: { delayMs: number; priority: Priority }): void => {
  if (model.closed) return;
  const held = model.delays.find((delay) => delay.key === key);
  const at = Math.min(held?.at ?? Infinity, model.now + delayMs);
  const delay = { key, at, priority: urgency(model.delays, key, priority) };
  const isLater = held !== undefined && held.at === at;
  model.delays = isLater
    ? model.delays.map((it) => (it.key === key ? delay : it))
    : [...model.delays.filter((it) => it.key !== key), delay];
};

const elapse = (model: Model, ms: number): void => {
  model.now += ms;
  const due = model.delays.filter(({ at }) => at <= model.now).toSorted((a, b) => a.at - b.at);
  model.delays = model.delays.filter(({ at }) => at > model.now);
  for (const { key, priority } of due) add(model, key, priority);
};

const laneOf = ({ ready, passedOver }: Model): Priority | undefined => {
  const waiting = priorities.filter((priority) => ready.some((it) => it.priority === priority));
  const impatient = waiting.filter((priority) => passedOver[priority] >= PATIENCE);
  return impatient.toSorted((a, b) => passedOver[b] - passedOver[a])[0] ?? waiting[0];
};

const take = (model: Model): Taken | undefined => {
  const priority = laneOf(model);
  if (priority === undefined) return undefined;
  const [namespace = '', ...others] = model.rounds[priority];
  const next = model.ready.find((it) => it.priority === priority && namespaceOf(it.key) === namespace);
  if (!next) throw new Error('The model has a namespace without keys');
  model.ready = model.ready.filter((it) => it !== next);
  model.rounds[priority] = [...others, namespace];
  tidy(model);
  const stillWaits = (it: Priority): boolean => it !== priority && model.ready.some((one) => one.priority === it);
  for (const it of priorities) model.passedOver[it] = stillWaits(it) ? model.passedOver[it] + 1 : 0;
  model.taken.push(next.key);
  model.delays = model.delays.filter((delay) => delay.key !== next.key);
  return next;
};

const done = (model: Model, key: Key): void => {
  model.taken = model.taken.filter((it) => it !== key);
  const again = model.meanwhile.find((it) => it.key === key);
  model.meanwhile = model.meanwhile.filter((it) => it.key !== key);
  if (again) add(model, key, again.priority);
};

const close = (model: Model): void => {
  model.closed = true;
  model.ready = [];
  model.meanwhile = [];
  model.delays = [];
  tidy(model);
};

const addFailed = (model: Model, key: Key, atLeastMs: number): void => {
  const failures = (model.failures.get(key) ?? 0) + 1;
  model.failures.set(key, failures);
  const delayMs = backoffMs(failures, { initialMs: INITIAL_MS, maxMs: MAX_MS, random: () => 0 });
  addAfter(model, key, { delayMs: Math.max(atLeastMs, delayMs), priority: 'resync' });
};

/** The visible state of the queue, of the model and of the implementation. */
const seenOfModel = (model: Model) => ({
  depth: model.ready.length,
  active: model.taken.length,
  delays: model.delays.map(({ at }) => at - model.now).toSorted((a, b) => a - b),
});

const seenOfReal = ({ queue, timers }: Real) => {
  const delays = Object.values(queue.inspect().delays).map(({ afterMs }) => afterMs);
  const sorted = delays.toSorted((a, b) => a - b);
  assert.deepEqual(timers.pending, sorted.slice(0, 1), 'the only timer is that of the first delay');
  return { depth: queue.depth, active: queue.active, delays: sorted };
};

const command = (text: string, onModel: (model: Model) => unknown, onReal: (real: Real) => unknown): QueueCommand => ({
  check: () => true,
  run: (model, real) => {
    const answers = { real: onReal(real), model: onModel(model) };
    assert.deepEqual({ answer: answers.real, ...seenOfReal(real) }, { answer: answers.model, ...seenOfModel(model) });
  },
  toString: () => text,
});

const keys = fc.constantFrom(
  ...['a', 'b', 'c', 'd'].map((name) => keyOf('crowded', name)),
  ...['e', 'f'].map((name) => keyOf('small', name)),
);
const urgencies = fc.constantFrom(...priorities);
const delays = fc.integer({ min: 0, max: 3000 });

const commands = [
  fc.tuple(keys, urgencies).map(([key, priority]) =>
    command(
      `add ${key} ${priority}`,
      (model) => add(model, key, priority),
      ({ queue }) => queue.add(key, priority),
    ),
  ),
  fc.tuple(keys, delays, urgencies).map(([key, delayMs, priority]) =>
    command(
      `addAfter ${key} ${delayMs} ${priority}`,
      (model) => addAfter(model, key, { delayMs, priority }),
      ({ queue }) => queue.addAfter(key, delayMs, priority),
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
    // Only late in a run, so that the queue is open for most of it.
    check: (model: Readonly<Model>) => model.now > 6000,
  }),
];

describe('WorkQueue', () => {
  it('WorkQueue behaves as lists and numbers do, whatever is asked of it', () => {
    const property = fc.property(fc.commands(commands, { maxCommands: 60, size: 'max' }), (run) => {
      const timers = new ManualTimers(0);
      const options = { initialBackoffMs: INITIAL_MS, maxBackoffMs: MAX_MS, random: () => 0, onReady: () => undefined };
      const real = { timers, queue: new WorkQueue({ timers, ...options }) };
      fc.modelRun(() => ({ model: emptyModel(), real }), run);
    });
    expect(() => fc.assert(property, { numRuns: runs(500) })).not.toThrow();
  });
});
