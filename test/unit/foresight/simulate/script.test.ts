import { describe, expect, it } from 'vitest';
import { readScript } from '#lib/foresight/simulate/script/script.ts';
import { clockText, durationMs, durationText } from '#lib/foresight/simulate/script/time-text.ts';

const wrong = [
  { what: 'no object', script: [], words: '(root): the script must be an object with changes' },
  { what: 'an unknown member', script: { chnages: [] }, words: 'did you mean "changes"?' },
  {
    what: 'a time that is none',
    script: { changes: [{ at: '5 minutes', kill: 'web-1' }] },
    words: 'changes[0].at: must be a length of time such as 90s',
  },
  {
    what: 'a mistyped verb',
    script: { changes: [{ at: 5, scael: 'PodSet/web', to: 1 }] },
    words: 'did you mean "scale"?',
  },
  {
    what: 'a change without a verb',
    script: { changes: [{ at: 5 }] },
    words: 'changes[0]: does nothing; the verbs are apply, patch',
  },
  {
    what: 'two verbs',
    script: { changes: [{ kill: 'a', evict: 'b' }] },
    words: 'changes[0]: has kill and evict; a change has one verb',
  },
  { what: 'a missing field', script: { changes: [{ scale: 'PodSet/web' }] }, words: 'changes[0].to' },
  {
    what: 'a field of another verb',
    script: { changes: [{ kill: 'a', to: 3 }] },
    words: 'unknown field "to"; allowed: at, every, times, within, note, kill',
  },
  {
    what: 'going back in time',
    script: {
      changes: [
        { at: '2m', kill: 'a' },
        { at: '1m', kill: 'a' },
      ],
    },
    words: 'changes[1].at: goes back in time: the change before it is at 0:02:00',
  },
  {
    what: 'a change after the end',
    script: { duration: '1m', changes: [{ at: '2m', kill: 'a' }] },
    words: 'changes[0].at: is after the end, 0:01:00',
  },
  {
    what: 'pods without a name',
    script: { changes: [{ kill: { count: 3 } }] },
    words: 'changes[0].kill: names no pods',
  },
  {
    what: 'a container that stays crashed',
    script: { changes: [{ crash: 'web-1', for: '1m' }] },
    words: 'changes[0].for: goes with crash: operator only',
  },
  {
    what: 'a manifest that is none',
    script: { changes: [{ apply: 7 }] },
    words: 'changes[0].apply: must be a file of manifests',
  },
  {
    what: 'a readiness that is no time',
    script: { pods: { rules: [{ image: '*', ready: 'soon' }] } },
    words: 'pods.rules[0].ready: must be a length of time',
  },
];

describe('readScript()', () => {
  it.for(wrong)('readScript() refuses $what, and says where', ({ script, words }) => {
    expect(() => readScript(script)).toThrow(words);
  });

  it('readScript() gives the rule and the value of a refused member to the error', () => {
    expect(() => readScript({ changes: [{ apply: 7 }] })).toThrow(
      expect.objectContaining({ issues: [expect.objectContaining({ rule: 'type', value: 7 })] }),
    );
  });

  it('readScript() names everything that is wrong at once', () => {
    expect(() => readScript({ changes: [{ kil: 'a' }, { at: 'x', kill: 'a' }] })).toThrow('2 problems');
  });

  it('readScript() counts "+30s" from the change before, and nothing as the same moment', () => {
    const { changes } = readScript({
      changes: [{ at: '1m', kill: 'a' }, { kill: 'b' }, { at: '+30s', kill: 'c' }, { at: 100, kill: 'd' }],
    });
    expect(changes.map(({ atMs }) => atMs)).toEqual([60_000, 60_000, 90_000, 100_000]);
  });
});

describe('durationMs()', () => {
  it.for([
    ['90s', 90_000],
    ['2m30s', 150_000],
    ['1.5h', 5_400_000],
    ['250ms', 250],
    ['1d', 86_400_000],
    [0, 0],
    [1.5, 1500],
  ] as const)('durationMs() reads %s', ([text, ms]) => expect(durationMs(text)).toBe(ms));

  it.for(['', '5', 'm', '-5s', '5 s', '1h-', -1, Number.NaN, true, null])('durationMs() refuses %s', (value) => {
    expect(durationMs(value)).toBeUndefined();
  });
});

describe('clockText()', () => {
  it('clockText() and durationText() are short', () => {
    expect([0, 59_999, 150_000, 90_000_000].map(clockText)).toEqual(['0:00:00', '0:00:59', '0:02:30', '25:00:00']);
    expect([0, 450, 90_000, 150_000, 10_800_000].map(durationText)).toEqual([
      '0 s',
      '450 ms',
      '90 s',
      '2 m 30 s',
      '3 h',
    ]);
  });
});
