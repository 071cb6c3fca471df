import { type Arbitrary, assert, asyncProperty, boolean, constantFrom, integer, record } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canaryRollout } from '#constructs/canary-rollout/kind.ts';
import { immortalContainer } from '#constructs/immortal-container/kind.ts';
import { podSet } from '#constructs/pod-set/kind.ts';
import type { AnyKindDefinition } from '#lib/desired/definition.ts';
import type { LiveObject } from '#lib/foresight/cluster/live-object.ts';
import type { PlannedChange } from '#lib/foresight/plan/change.ts';
import { planChange } from '#lib/foresight/plan/plan-change.ts';
import type { PlannedWrite } from '#lib/foresight/plan/planned-write.ts';
import type { JsonObject } from '#lib/json.ts';
import { apiVersionOf } from '#lib/kind/names.ts';
import { runs } from '#test/properties.ts';
import { RunningCluster } from '#test/unit/support/foresight-cluster.ts';

const objectOf = (kind: AnyKindDefinition, spec: JsonObject): LiveObject => ({
  apiVersion: apiVersionOf(kind),
  kind: kind.kind,
  metadata: { name: 'web', namespace: 'default' },
  spec,
});

const templateOf = (version: number): JsonObject => ({
  metadata: { labels: { app: 'web' } },
  spec: { containers: [{ name: 'web', image: `web:${version}` }] },
});

const version = integer({ min: 1, max: 3 });
const size = integer({ min: 0, max: 5 });

const podSets = record({ replicas: size, version }).map(({ replicas, version: n }) =>
  objectOf(podSet, { replicas, template: templateOf(n) }),
);

const rollouts = record({ replicas: integer({ min: 1, max: 5 }), version }).map(({ replicas, version: n }) => {
  const steps = [
    { percent: 30, sleep: 20 },
    { percent: 60, sleep: 10 },
  ];
  return objectOf(canaryRollout, { replicas, template: { spec: templateOf(n)['spec'] }, steps });
});

const immortals = record({ version, suspend: boolean() }).map(({ version: n, suspend }) =>
  objectOf(immortalContainer, { image: `web:${n}`, suspend }),
);

/** The status that a kubelet writes when a container has failed for good. */
const crashOf = (live: readonly LiveObject[]): PlannedChange | undefined => {
  const pod = live.find(({ kind }) => kind === 'Pod');
  return pod && { verb: 'status', object: { ...pod, status: { phase: 'Failed', reason: 'Evicted' } } };
};

interface Course {
  readonly first: LiveObject;
  readonly next: LiveObject;
  /** Milliseconds between two moments. */
  readonly pauseMs: number;
  readonly verb: 'apply' | 'delete' | 'crash';
  readonly last: LiveObject;
}

const courses = (objects: Arbitrary<LiveObject>): Arbitrary<Course> =>
  record({
    first: objects,
    next: objects,
    last: objects,
    pauseMs: integer({ min: 0, max: 40_000 }),
    verb: constantFrom('apply' as const, 'apply' as const, 'delete' as const, 'crash' as const),
  });

const UID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** The server assigns the uid of an object that does not exist yet. */
const withoutDrawn = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value), (_, member: unknown) =>
    typeof member === 'string' && UID.test(member) ? 'uid' : member,
  );

const comparable = (writes: readonly PlannedWrite[]): readonly unknown[] =>
  writes.map(({ verb, kind, name, reason, fields }) => withoutDrawn({ verb, kind, name, reason, fields }));

/** The plan of a change of a running cluster, and the writes of its operator, which has run since the start. */
const both = async (kind: AnyKindDefinition, { first, next, last, pauseMs, verb }: Course) => {
  const cluster = await RunningCluster.start([kind], [first]);
  await cluster.run(60_000);
  cluster.change({ verb: 'apply', object: next });
  await cluster.run(pauseMs);
  await cluster.runAlone(1000);
  const live = cluster.dump();
  const change = verb === 'crash' ? crashOf(live) : ({ verb, object: last } as const);
  if (!change) return undefined;
  const plan = await planChange({ kinds: [kind], live, changes: [change], now: cluster.now });
  cluster.change(change);
  const written = await cluster.runAlone(300);
  await cluster.stop();
  const [said, done] = [comparable(plan.writes), comparable(written)];
  return { said, done };
};

const byWrite = (a: unknown, b: unknown): number => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1);

const RUNS = 6;

describe('a plan and what an operator writes that has been running all the time', () => {
  it.each([
    ['PodSet', podSet, podSets],
    ['ImmortalContainer', immortalContainer, immortals],
    ['CanaryRollout', canaryRollout, rollouts],
  ] as const)('are the same for any change of a %s', async (_, kind, objects) => {
    let compared = 0;
    await assert(
      asyncProperty(courses(objects), async (course) => {
        const result = await both(kind, course);
        if (!result) return;
        compared += result.done.length;
        // A process that has just started sends the first create of a kind alone: the order of creates may differ.
        expect(result.said.toSorted(byWrite)).toEqual(result.done.toSorted(byWrite));
      }),
      { numRuns: runs(RUNS) },
    );
    expect(compared).toBeGreaterThan(5);
  });
});
