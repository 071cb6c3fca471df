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
  const metadata = {
    name: 'b',
    namespace: 'a',
    uid: 'u',
    generation: 1,
    creationTimestamp: '2026-11-22T12:00:00Z',
    labels: {},
    annotations: {},
    annotationManagers: {},
  };
  const tree = { 'f:spec': { 'f:nodeName': {} } };
  const owned = { set: { id: 'i', tree }, values: 1 };
  const named = { apiVersion: 'v1', kind: 'Pod' };
  const record = {
    apiVersion: 'app.example.com/v1alpha1',
    kind: 'PodSet',
    pass: 1,
    key: 'a/b',
    at: '2026-11-22T12:00:00.000000Z',
    resource: { metadata },
    resourceVersion: '1',
    finalizers: ['a/b'],
    children: [{ ...named, object: { metadata: { name: 'c', labels: { a: 'b' } } }, owned }],
    orphans: [],
    lookups: [{ question: 'q', objects: [{ ...named, metadata: { name: 'd' } }] }],
    refused: [{ verb: 'create', kind: 'Pod', name: 'e', reason: 'Quota', attempts: 1, at: '2026-11-22T12:00:00Z' }],
    outcomes: [{ effect: 'http', key: 'k', told: { state: 'running' } }],
    pins: [['u', { intent: 'h', owned }]],
    immutables: [['u', { intent: 'h', fields: ['spec'] }]],
    answer: {
      failed: false,
      state: { state: 'ready', reason: 'R', message: '' },
      steps: [{ ...named, step: 'skip', name: 'c', reason: 'same' }],
    },
    fieldOfLaterVersion: 1,
  };
  const pass = JSON.stringify(record);

  it.each([
    ['', /is no record of passes, which begins with/],
    ['apiVersion: v1\n', /is no record of passes/],
    [`{"format":"${RECORD_HEADER.format}","version":99}\n`, /has version 99 of the format, and this program reads 1/],
    [`${header}\n7\n${pass}\n`, /Cannot replay f:2: this line is no JSON object/],
    [
      `${header}\n{"any":1}\n${pass}\n`,
      /Cannot replay f:2: this line is no record of a pass:\n {2}- apiVersion: is required/,
    ],
    [
      `${header}\n${pass.replace('"key":"a/b"', '"key":7')}\n`,
      /f:2: .*\n {2}- key: must be a string, not a whole number \(value: 7\)/,
    ],
    [`${header}\n${pass}\n${pass.slice(0, 20)}`, /Cannot replay f:3: the file ends in the middle of a pass/],
  ])('refuses %j', (text, message) => {
    expect(() => readRecords(text, { name: 'f' })).toThrow(message);
  });

  /** The paths of all leaves of a value, without the field that the replay does not read. */
  const pathsIn = (value: unknown, path: readonly string[] = []): readonly (readonly string[])[] =>
    typeof value === 'object' && value !== null && Object.keys(value).length > 0
      ? Object.entries(value).flatMap(([name, member]) => pathsIn(member, [...path, name]))
      : [path];

  const withValue = (value: unknown, [name, ...rest]: readonly string[], leaf: unknown): unknown => {
    if (name === undefined) return leaf;
    const changed = Object.entries(value as object).map(([key, member]) => [
      key,
      key === name ? withValue(member, rest, leaf) : member,
    ]);
    return Array.isArray(value) ? changed.map(([, member]) => member as unknown) : Object.fromEntries(changed);
  };

  it.each(
    pathsIn(record)
      .filter(([first]) => first !== 'fieldOfLaterVersion')
      .map((path) => [path.join('.'), path] as const),
  )('names the field %s if its value has the wrong type', (_, path) => {
    const [head = ''] = path;
    const wrong = [null, { toString: 0 }, ...(path.at(-1) === 'values' ? [] : [-0.5])];
    for (const leaf of wrong) {
      const text = `${header}\n${JSON.stringify(withValue(record, path, leaf))}\n`;
      expect(() => readRecords(text, { name: 'f' })).toThrow(new RegExp(`Cannot replay f:2: .*\n {2}- ${head}.*: `));
    }
  });

  it.each(['now', '9999-01-01T00:00:00Z', '2026-11-22t12:00:00z', '2026-02-30T00:00:00Z'])(
    'refuses the time %s',
    (at) => {
      const text = `${header}\n${JSON.stringify({ ...record, at })}\n`;
      expect(() => readRecords(text, { name: 'f' })).toThrow(/f:2: .*\n {2}- at: must/);
    },
  );

  it('accepts fields of later versions, and the entry for a record that was too large', () => {
    const { apiVersion, kind, key, at } = record;
    const stub = { apiVersion, kind, pass: 2, key, at, unreplayable: 'too long' };
    expect(readRecords(`${header}\n${pass}\n${JSON.stringify(stub)}\n`, { name: 'f' })).toEqual([record, stub]);
  });

  it('leaves out a truncated pass when set so', () => {
    const text = `${header}\n${pass}\n${pass.slice(0, 20)}`;
    expect(readRecords(text, { name: 'f', allowsTruncated: true })).toHaveLength(1);
  });
});
