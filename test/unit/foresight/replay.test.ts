import { describe, expect, it } from 'vitest';
import { canaryRollout } from '#constructs/canary-rollout/kind.ts';
import { immortalContainer } from '#constructs/immortal-container/kind.ts';
import { podSet } from '#constructs/pod-set/kind.ts';
import type { AnyKindDefinition } from '#lib/desired/definition.ts';
import type { LiveObject } from '#lib/foresight/cluster/live-object.ts';
import { readRecords } from '#lib/foresight/replay/read-records.ts';
import { replayInWords } from '#lib/foresight/replay/replay-in-words.ts';
import { replayPass } from '#lib/foresight/replay/replay-pass.ts';
import { type PassRecord, passRecordOf, RECORD_HEADER } from '#lib/loop/record/pass-record.ts';
import { podSetOf, RunningCluster } from '#test/unit/support/foresight-cluster.ts';

const rolloutOf = (image: string): LiveObject => ({
  apiVersion: 'deploy.example.com/v1alpha1',
  kind: 'CanaryRollout',
  metadata: { name: 'web', namespace: 'default' },
  spec: {
    replicas: 3,
    template: { spec: { containers: [{ name: 'web', image }] } },
    steps: [
      { percent: 30, sleep: 20 },
      { percent: 60, sleep: 10 },
    ],
  },
});

const immortalOf = (image: string): LiveObject => ({
  apiVersion: 'immortalcontainer.flugel.it/v1alpha1',
  kind: 'ImmortalContainer',
  metadata: { name: 'web', namespace: 'default' },
  spec: { image },
});

/** The recording of an operator that handles two manifests, after a round trip through a file. */
const recorded = async (
  kind: AnyKindDefinition,
  first: LiveObject,
  next: LiveObject,
  others: readonly LiveObject[] = [],
): Promise<readonly PassRecord[]> => {
  const lines: string[] = [JSON.stringify(RECORD_HEADER)];
  const cluster = await RunningCluster.start([kind], [...others, first], {
    onDecision: (decision) => void lines.push(JSON.stringify(passRecordOf(decision, lines.length))),
  });
  await cluster.run(60_000);
  cluster.change({ verb: 'apply', object: next });
  await cluster.run(120_000);
  await cluster.stop();
  return readRecords(`${lines.join('\n')}\n`, { name: 'passes' }) as readonly PassRecord[];
};

describe('replayPass()', () => {
  it.each([
    ['PodSet', podSet, podSetOf(3), podSetOf(5, 'web:2')],
    ['ImmortalContainer', immortalContainer, immortalOf('web:1'), immortalOf('web:2')],
    ['CanaryRollout', canaryRollout, rolloutOf('web:1'), rolloutOf('web:2')],
  ] as const)('gives the recorded answer to every pass of a %s', async (_, kind, first, next) => {
    const records = await recorded(kind, first, next);
    const replayed = records.map((record) => replayPass([kind], record));
    expect(records.length).toBeGreaterThan(4);
    expect(replayed.flatMap(({ differences, unanswered }) => [...differences, ...unanswered])).toEqual([]);
    expect(replayed.flatMap(({ answer }) => answer?.steps ?? []).some(({ step }) => step === 'create')).toBe(true);
  });

  it('gives the recorded answer to a pass that made a child of a backup its own', async () => {
    const metadata = {
      name: 'web-old',
      namespace: 'default',
      labels: { 'app.example.com/podset': 'web' },
      annotations: { 'cdk8s-reconcile/intent': 'x7k2p9dqzt' },
    };
    const spec = { containers: [{ name: 'web', image: 'web:1' }] };
    const pod = { apiVersion: 'v1', kind: 'Pod', metadata, spec };
    const records = await recorded(podSet, podSetOf(3), podSetOf(3), [pod]);
    const steps = records.map(({ answer }) =>
      answer.steps.map(({ step, name, reason }) => `${step} ${name} ${reason}`),
    );
    expect(steps.flat()).toContain('adopt web-old Restored');
    expect(records.flatMap((record) => replayPass([podSet], record).differences)).toEqual([]);
  });

  it('says where the answer of a changed function differs', async () => {
    const [record] = await recorded(podSet, podSetOf(2), podSetOf(2));
    const lazy: AnyKindDefinition = {
      ...podSet,
      desired: (seen) => ({ ...(podSet as AnyKindDefinition).desired(seen), children: [] }),
    };
    const replayed = record && replayPass([lazy], record);
    expect(replayed?.differences).toContainEqual({
      path: expect.stringMatching(/^steps\[Pod web-/) as string,
      before: 'create (Missing)',
    });
    expect(replayed && replayInWords(replayed)).toMatch(/differs from the recorded one:\n(?: +steps\[.*\n)+/);
  });

  it('refuses a kind that is not among these', async () => {
    const [record] = await recorded(podSet, podSetOf(0), podSetOf(0));
    expect(() => record && replayPass([immortalContainer], record)).toThrow(
      /the config has no kind app\.example\.com\/v1alpha1 PodSet; it has immortalcontainer/,
    );
  });
});

describe('readRecords()', () => {
  const header = JSON.stringify(RECORD_HEADER);
  const pass = JSON.stringify({ pass: 1, key: 'a/b', at: 'now', resource: {}, children: [], answer: {} });

  it.each([
    ['', /is no record of passes, which begins with/],
    ['apiVersion: v1\n', /is no record of passes/],
    [`{"format":"${RECORD_HEADER.format}","version":99}\n`, /has version 99 of the format, and this program reads 1/],
    [`${header}\n{"any":1}\n${pass}\n`, /Cannot replay f:2: this line is no pass/],
    [`${header}\n${pass}\n${pass.slice(0, 20)}`, /Cannot replay f:3: the file ends in the middle of a pass/],
  ])('refuses %j', (text, message) => {
    expect(() => readRecords(text, { name: 'f' })).toThrow(message);
  });

  it('leaves out a truncated pass when set so', () => {
    const text = `${header}\n${pass}\n${pass.slice(0, 20)}`;
    expect(readRecords(text, { name: 'f', allowsTruncated: true })).toHaveLength(1);
  });
});
