import { afterAll, describe, expect, it } from 'vitest';
import {
  accusing,
  content,
  eager,
  fickle,
  hasty,
  impatient,
  resentful,
  restless,
  ruthless,
  secretive,
  unbound,
} from './immortal-model/broken.ts';
import { type Model, searchModel } from './immortal-model/search.ts';

const isSoak = process.env['SOAK'] !== undefined;
const MAX_STATES = isSoak ? 3_000_000 : 35_000;

const toB = { image: 'b' };
const toA = { image: 'a' };
const suspend = { suspend: true };
const resume = { suspend: false };
const inPlace = { updatePolicy: 'InPlace' } as const;
const forced = { forceDeleteAfterSeconds: 5 };

const lives: [string, Model][] = [
  ['a life without accidents', {}],
  ['two deletions by a user', { budget: { kills: 2 } }],
  ['an exit of each sort', { budget: { completions: 1, failures: 1 } }],
  ['three failures', { budget: { failures: 3 } }],
  ['a failure and a deletion', { budget: { failures: 1, kills: 1 } }],
  ['a failure long before the next pass', { budget: { failures: 1, delays: 1 } }],
  ['an edit and back', { edits: [toB, toA] }],
  ['an edit and a failure', { edits: [toB], budget: { failures: 1 } }],
  ['an edit and a deletion', { edits: [toB], budget: { kills: 1 } }],
  ['an edit in place and back, and a failure', { edits: [toB, toA], settings: inPlace, budget: { failures: 1 } }],
  ['suspension and its end', { edits: [suspend, resume] }],
  ['suspension and a failure', { edits: [suspend], budget: { failures: 1 } }],
  ['suspension, its end and a failure', { edits: [suspend, resume], budget: { failures: 1 } }],
  ['a lost machine', { budget: { outages: 1 } }],
  ['a lost machine, by force and late', { budget: { outages: 1, delays: 1 }, settings: forced }],
];

/** Models with too many states for `npm test`. */
const longLives: [string, Model][] = [
  ['a lost machine and suspension', { edits: [suspend], budget: { outages: 1 }, settings: forced }],
  ['exits, a deletion and an edit', { edits: [toB], budget: { completions: 1, failures: 1, kills: 1 } }],
  [
    'a failure, a deletion and suspension, late',
    { edits: [suspend, resume], budget: { failures: 1, kills: 1, delays: 1 } },
  ],
  [
    'a lost machine, by force, a failure and a deletion',
    { budget: { outages: 1, failures: 1, kills: 1 }, settings: forced },
  ],
  ['a lost machine, by force, and an edit', { edits: [toB], budget: { outages: 1 }, settings: forced }],
  ['a lost machine, suspension and its end', { edits: [suspend, resume], budget: { outages: 1 } }],
  [
    'edits in place, a failure and a deletion, late',
    { edits: [toB, toA], settings: inPlace, budget: { failures: 1, kills: 1, delays: 1 } },
  ],
];

const visited: string[] = [];

afterAll(() => void process.stdout.write(`${visited.join('\n')}\n`));

describe('an ImmortalContainer, whatever is late', () => {
  it.each(isSoak ? [...lives, ...longLives] : lives)(
    '%s keeps L1 to L8 in every state, and ends where it should',
    (name, model) => {
      const began = performance.now();
      const { states, ends, isWhole, trace } = searchModel(model, { maxStates: MAX_STATES });
      const speed = Math.round((states * 1000) / (performance.now() - began));
      visited.push(`${name}: ${states} states, ${ends} ends, ${isWhole ? 'exhausted' : 'bounded'}, ${speed} states/s`);
      expect(trace?.join('\n') ?? '').toBe('');
      expect(isWhole).toBe(true);
      expect(ends).toBeGreaterThan(0);
    },
  );
});

const broken: [string, Model, RegExp][] = [
  [
    'that does not wait for the last pod to stop',
    { mind: { desired: impatient }, budget: { kills: 1 }, only: 'L1' },
    /^L1: 2 containers run/,
  ],
  ['that takes every node for lost', { mind: { desired: ruthless }, budget: { kills: 1 }, settings: forced }, /^L7/],
  [
    'that takes every node for lost, in what comes of it',
    { mind: { desired: ruthless }, budget: { kills: 1 }, settings: forced, only: 'L1' },
    /^L1: 2 containers run/,
  ],
  ['that counts at every look', { mind: { desired: eager } }, /^L2/],
  ['that does not record which pod it has', { mind: { desired: secretive } }, /^L3/],
  ['that deletes what has ended at once', { mind: { desired: hasty }, budget: { completions: 1 } }, /^L4/],
  [
    'whose plan deletes what it has not seen',
    { mind: { plan: unbound }, edits: [toB], budget: { failures: 1 } },
    /^L4/,
  ],
  ['that counts a failure at every look', { mind: { desired: resentful }, budget: { failures: 1 } }, /^L5/],
  ['that forgets to wait', { mind: { desired: restless }, budget: { failures: 1 } }, /^L6/],
  ['that denies what it did', { mind: { desired: accusing }, edits: [toB] }, /^L8/],
  ['that leaves an old pod alone', { mind: { desired: content }, edits: [toB] }, /^the pod is of a/],
  ['that never says the same', { mind: { desired: fickle } }, /^it goes round/],
];

describe('searchModel()', () => {
  it.each(broken)('searchModel() finds a function %s, and shows the way there', (_, model, law) => {
    const { trace = [] } = searchModel(model, { maxStates: 5000 });
    expect(trace.at(-1)).toMatch(law);
    expect(trace[0]).toMatch(/^start/);
  });
});
