import { describe, expect, it } from 'vitest';
import { podSet } from '#constructs/pod-set/kind.ts';
import type { AnyKindDefinition } from '#lib/desired/definition.ts';
import { hungError } from '#lib/desired/runaway/hung.ts';
import { type RecordedPass, readRecords } from '#lib/foresight/replay/read-records.ts';
import { replayInWords } from '#lib/foresight/replay/replay-in-words.ts';
import { type Replayed, replayPass } from '#lib/foresight/replay/replay-pass.ts';
import { TOO_LARGE } from '#lib/loop/pass/compute/too-large.ts';
import type { DecidedPass } from '#lib/loop/pass/decision.ts';
import { passRecordOf, RECORD_HEADER, stubOf } from '#lib/loop/record/pass-record.ts';
import { podSetOf, RunningCluster } from '#test/unit/support/foresight-cluster.ts';

/** The passes of an operator in twenty seconds without other writers. */
const decisionsOf = async (kind: AnyKindDefinition): Promise<readonly DecidedPass[]> => {
  const all: DecidedPass[] = [];
  const cluster = await RunningCluster.start([kind], [podSetOf(1)], { onDecision: (one) => void all.push(one) });
  await cluster.runAlone(20_000);
  await cluster.stop();
  return all;
};

/** Passes after a round trip through a file. */
const read = (passes: readonly object[]): readonly RecordedPass[] =>
  readRecords(`${[RECORD_HEADER, ...passes].map((each) => JSON.stringify(each)).join('\n')}\n`, { name: 'passes' });

const replayed = (kind: AnyKindDefinition, decisions: readonly DecidedPass[]): readonly Replayed[] =>
  read(decisions.map((decision, index) => passRecordOf(decision, index + 1))).map((record) =>
    replayPass([kind], record),
  );

const plain: AnyKindDefinition = podSet;

/** A kind whose function throws without the outcome of its effect. */
const asking: AnyKindDefinition = {
  ...plain,
  desired: ({ outcomes }) => {
    throw new TypeError(`no answer: ${outcomes.http('gate').state}`);
  },
};

const unselective: AnyKindDefinition = {
  ...plain,
  selector: () => {
    throw new TypeError('no labels');
  },
};

let call = 0;
/** A kind whose function returns another pod at each call. */
const restless: AnyKindDefinition = {
  ...plain,
  desired: (seen) => {
    call += 1;
    const wanted = plain.desired(seen);
    const pod = {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: `p${call}` },
      spec: { containers: [{ name: 'a', image: 'a' }] },
    };
    return { ...wanted, children: [{ verb: 'apply', object: pod }] };
  },
};

describe('replayPass() of passes that went another way', () => {
  it('returns the recorded error of a function that threw, with its input', async () => {
    const [decision, ...others] = await decisionsOf(asking);
    if (!decision) throw new TypeError('Nothing was decided');
    const told = { state: 'failed', reason: 'TimedOut', attempts: 1, at: '2026-11-22T12:00:00.000000Z' } as const;
    const outcomes = [{ effect: 'http' as const, key: 'gate', told }];
    const state = { ...decision.wanted.desired.state, message: 'no answer: failed' };
    const wanted = {
      ...decision.wanted,
      asked: { answers: [], outcomes },
      desired: { ...decision.wanted.desired, state },
    };
    const [first, ...rest] = replayed(asking, [{ ...decision, wanted }, ...others]);
    expect(first?.answer).toMatchObject({ failed: true, state: { state: 'stalled', message: 'no answer: failed' } });
    expect([first, ...rest].flatMap((each) => each?.differences)).toEqual([]);
    expect(decision.wanted.asked?.outcomes).toMatchObject([{ key: 'gate', told: { state: 'none' } }]);
  });

  it('gives the recorded answer of a selector that threw, and says what is unknown once it does not', async () => {
    const decisions = await decisionsOf(unselective);
    const [first] = replayed(unselective, decisions);
    expect(first).toMatchObject({ answer: { failed: true, state: { message: 'no labels' } }, differences: [] });
    const [today] = replayed(plain, decisions);
    expect(today?.unanswered).toContain('which orphans there were: selector() threw "no labels"');
  });

  it('gives the answer of a function that never settles, and what the loop said in its place', async () => {
    call = 0;
    const decisions = await decisionsOf(restless);
    const eased = decisions.findIndex(({ unsaid }) => unsaid !== undefined);
    const record = decisions[eased] && passRecordOf(decisions[eased], 1);
    expect(record?.eased).toMatchObject({ state: 'stalled', reason: 'NeverSettles' });
    expect(record?.answer.state.reason).not.toBe('NeverSettles');
    const names = record?.answer.steps.filter(({ step }) => step === 'create').map(({ name }) => name.slice(1)) ?? [];
    call = Number(names[0]) - 1;
    const [again] = record ? read([record]).map((each) => replayPass([restless], each)) : [];
    expect(again?.differences).toEqual([]);
    expect(again && replayInWords(again)).toContain('  The loop said in its place: NeverSettles: desired() returns');
  });

  it('refuses by name what did not return, what was never called, and what was too large to be kept', async () => {
    const [decision] = await decisionsOf(asking);
    if (!decision) throw new TypeError('Nothing was decided');
    const { asked: _asked, ...uncalled } = decision.wanted;
    const state = { state: 'stalled' as const, reason: hungError().code, message: '' };
    const hung = { ...decision.wanted, desired: { ...decision.wanted.desired, state } };
    const large = { state: 'stalled' as const, reason: TOO_LARGE, message: '' };
    const unseen = { ...uncalled, desired: { ...uncalled.desired, state: large } };
    const records = [
      passRecordOf({ ...decision, wanted: hung }, 1),
      passRecordOf({ ...decision, wanted: uncalled }, 2),
      passRecordOf({ ...decision, wanted: unseen }, 2),
    ];
    const all = read([...records, stubOf(decision, 3, 9_000_000)]).map((record) => replayPass([asking], record));
    expect(all.map(({ refused }) => refused)).toEqual([
      'its function did not return, and would not now',
      'its finalizer could not be changed, so its function was not called',
      'an object was too large, so its function could not finish',
      'its record would have been longer than 9000000 bytes, too long to be kept',
    ]);
    expect(all.flatMap(({ differences }) => differences)).toEqual([]);
    const last = all.at(-1);
    expect(last && replayInWords(last)).toMatch(
      /^Pass 3 of PodSet default\/web at .*\n {2}It cannot be replayed: its record/,
    );
  });
});
