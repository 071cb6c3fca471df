import { describe, expect, it } from 'vitest';
import { podSet } from '#constructs/pod-set/kind.ts';
import { extendKind } from '#lib/desired/extension/extend-kind.ts';
import { ready } from '#lib/desired/result/state.ts';
import { answerChanges } from '#lib/foresight/replay/answer-changes.ts';
import type { KindRef } from '#lib/kind/handles/reference.ts';
import type { DecidedPass } from '#lib/loop/pass/decision.ts';
import { passRecordOf } from '#lib/loop/record/pass-record.ts';
import type { Child, Step } from '#lib/plan/step.ts';
import { podSetOf, RunningCluster } from '#test/unit/support/foresight-cluster.ts';

const Secret: KindRef = { apiVersion: 'v1', kind: 'Secret', plural: 'secrets', scope: 'Namespaced' };
const PASSWORD = 'aHVudGVyMg==';
const VALUES = 123_456_789;
const owned = { set: { id: 'set', tree: { 'f:data': {} } }, values: VALUES };

const secret = {
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: {
    name: 'web',
    namespace: 'default',
    uid: 'u1',
    resourceVersion: '1',
    annotations: {
      'kubectl.kubernetes.io/last-applied-configuration': `{"data":{"password":"${PASSWORD}"}}`,
      'cdk8s-reconcile/intent': 'hash-of-it',
      kept: 'yes',
    },
  },
  data: { password: PASSWORD, again: PASSWORD, other: 'eA==' },
};

/** A pass over a PodSet, with a Secret as child and another Secret in the look-ups. */
const decisionWith = async (step: Step): Promise<DecidedPass> => {
  const all: DecidedPass[] = [];
  const cluster = await RunningCluster.start([podSet], [podSetOf(1)], { onDecision: (one) => void all.push(one) });
  await cluster.run(1000);
  await cluster.stop();
  const [decision] = all;
  if (!decision) throw new TypeError('Nothing was decided');
  const child = { kind: Secret, object: secret, owned } as unknown as Child;
  const pin = { intent: 'hash-of-it', owned };
  const lookup = { ask: 'get' as const, kind: Secret, key: 'default/web' };
  const given = { answers: [{ lookup, objects: [secret] }], outcomes: [] };
  return {
    ...decision,
    seen: {
      ...decision.seen,
      children: [child],
      orphans: [child],
      pins: new Map([
        ['u1', pin],
        ['gone', pin],
      ]),
      immutables: new Map([['u1', { intent: 'hash-of-it', fields: [] }]]),
    },
    wanted: { ...decision.wanted, given, plan: { ...decision.wanted.plan, steps: [step] } },
  } as unknown as DecidedPass;
};

const stepOf = (step: 'apply' | 'skip' | 'create'): Step =>
  ({ step, kind: Secret, name: 'web', reason: 'Any', object: secret, declared: secret }) as unknown as Step;

describe('recordOf()', () => {
  it('keeps no value of a Secret, and nothing by which one is found by trying all', async () => {
    const record = passRecordOf(await decisionWith(stepOf('apply')), 1);
    const text = JSON.stringify(record);
    expect([PASSWORD, String(VALUES), 'hash-of-it', 'last-applied'].filter((leak) => text.includes(leak))).toEqual([]);
    expect(text).toContain('"kept":"yes"');
  });

  it('keeps no value of a Secret that is the parent of an extension', async () => {
    const decision = await decisionWith(stepOf('skip'));
    const definition = extendKind({
      name: 'copies',
      group: 'demo.example.com',
      of: Secret,
      where: { labels: { team: 'a' } },
      owns: [],
      desired: () => ({ children: [], state: ready('Done', 'nothing to do') }),
    });
    const { metadata, data } = secret;
    const seen = { ...decision.seen, resource: { metadata, data } } as unknown as DecidedPass['seen'];
    const record = passRecordOf({ ...decision, definition, seen }, 1);
    expect(JSON.stringify(record)).not.toContain(PASSWORD);
    expect(record.resource).toMatchObject({ metadata: { name: 'web' }, data: { password: '(redacted 1)' } });
    expect(Object.keys(record.resource)).toEqual(['metadata', 'data']);
  });

  it('replaces equal values of Secrets by equal words, the same in every process', async () => {
    const record = passRecordOf(await decisionWith(stepOf('skip')), 1);
    const data = { password: '(redacted 1)', again: '(redacted 1)', other: '(redacted 2)' };
    expect(record.children[0]?.object).toMatchObject({ data });
    expect(record.lookups[0]?.objects[0]).toMatchObject({ data });
    expect(record.pins.map(([uid, pin]) => [uid, pin.owned?.values])).toEqual([
      ['u1', record.children[0]?.owned?.values],
    ]);
  });

  it('does not compare whether a Secret that is there is written, as its values are not known', async () => {
    const [applied, skipped, created] = await Promise.all(
      (['apply', 'skip', 'create'] as const).map(
        async (step) => passRecordOf(await decisionWith(stepOf(step)), 1).answer,
      ),
    );
    if (!applied || !skipped || !created) throw new TypeError('Nothing was recorded');
    expect(answerChanges(applied, skipped)).toEqual([]);
    expect(answerChanges(skipped, created)).toEqual([
      { path: 'steps[Secret web]', before: 'skip (Any)', after: 'create (Any)' },
    ]);
  });
});
