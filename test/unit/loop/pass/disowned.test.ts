import { describe, expect, it } from 'vitest';
import { podSet } from '#constructs/pod-set/kind.ts';
import type { AnyKindDefinition } from '#lib/desired/definition.ts';
import { ConfigMap, type KindRef, Pod } from '#lib/kind/handles/reference.ts';
import type { ApiObject } from '#lib/kube/interface/api.ts';
import { inspectMemory } from '#lib/loop/context/memory.ts';
import { setOwners } from '#test/unit/loop/pass/pass-bench.ts';
import { live, started } from '#test/unit/support/controller-bench.ts';
import { LoopBench } from '#test/unit/support/loop-bench.ts';
import { wardrobe } from '#test/unit/support/wardrobe-kind.ts';

type Metadata = ApiObject['metadata'] & {
  readonly ownerReferences?: readonly { readonly name: string }[];
  readonly annotations?: Readonly<Record<string, string>>;
};

const noPolicy = (bench: LoopBench): void => {
  bench.api.mutate = (_request, body) => body;
};

const podsOf = (replicas: number, image = 'web:1') => ({
  replicas,
  template: { spec: { containers: [{ name: 'main', image }] } },
});

const contentOf = (key: string) => ({ content: { data: { key }, kinds: ['ConfigMap'] } });

const observed = (definition: AnyKindDefinition, plural: string, spec: object): LoopBench => {
  const bench = new LoopBench(definition);
  setOwners(bench, plural);
  started(bench);
  bench.declare('w', spec);
  return bench;
};

/** Three pods, of which a policy takes the owner reference off. */
const disowned = async (): Promise<LoopBench> => {
  const bench = observed(podSet, 'pods', podsOf(3));
  await live(bench, 5000);
  return bench;
};

const ownersOf = (bench: LoopBench, kind: KindRef = Pod): number[] =>
  bench.api.all(kind).map(({ metadata }) => (metadata as Metadata).ownerReferences?.length ?? 0);

const writesTo = (bench: LoopBench, plural: string, verb?: string): number =>
  bench.api.writes.filter((write) => write.resource === plural && (verb === undefined || write.verb === verb)).length;

const imagesOf = (bench: LoopBench): string[] =>
  bench.pods().map((pod) => (pod['spec'] as { containers: { image: string }[] }).containers[0]?.image ?? '');

/** The children in the memory of the loop that lost our owner reference. */
const remembered = ({ context }: LoopBench): unknown =>
  (inspectMemory(context)['default/w'] as { readonly disowned?: unknown }).disowned;

const NAMED =
  /^an admission webhook or policy changes metadata\.ownerReferences from "PodSet\/w" to absent of Pod "w-\w+"; /;

describe('children of which a policy takes the owner reference off', () => {
  it('are named in the status, with field, wanted and found value', async () => {
    const bench = await disowned();
    const condition = bench.conditionOf('w', 'ChildOverridden');
    expect(condition).toMatchObject({ status: 'True', reason: 'FieldConflict' });
    expect(condition?.message).toMatch(NAMED);
    for (const name of bench.podNames()) expect(condition?.message).toContain(`Pod "${name}"`);
    expect((remembered(bench) as string[]).toSorted()).toEqual(bench.podNames().map((name) => `Pod default/${name}`));
    expect(bench.statusOf('w')).toMatchObject({ observedGeneration: 1, replicas: 3 });
  });

  it('are named in an event', async () => {
    const bench = await disowned();
    const messages = bench.events.filter(({ type }) => type === 'Warning').map(({ message }) => message);
    expect(messages).toContainEqual(expect.stringMatching(/^Cannot adopt pod w-\w+: .* metadata\.ownerReferences/));
  });

  it('are created once, and adopted ever more rarely', async () => {
    const bench = await disowned();
    await live(bench, 600_000);
    expect(writesTo(bench, 'pods', 'create')).toBe(3);
    expect(bench.pods()).toHaveLength(3);
    expect(writesTo(bench, 'pods')).toBeLessThan(30);
    expect(writesTo(bench, 'podsets.app.example.com')).toBeLessThan(6);
  });

  it('come and go as the spec says', async () => {
    const bench = await disowned();
    bench.edit('w', podsOf(5));
    await live(bench, 2000);
    expect(bench.pods()).toHaveLength(5);
    bench.edit('w', podsOf(1));
    await live(bench, 2000);
    expect(bench.pods()).toHaveLength(1);
    expect(bench.statusOf('w')).toMatchObject({ observedGeneration: 3, replicas: 1 });
    expect(writesTo(bench, 'pods', 'create')).toBe(5);
  });

  it('are replaced by those of another version, and of the one before', async () => {
    const bench = await disowned();
    bench.edit('w', podsOf(3, 'web:2'));
    await live(bench, 5000);
    expect(imagesOf(bench)).toEqual(['web:2', 'web:2', 'web:2']);
    bench.edit('w', podsOf(3, 'web:1'));
    await live(bench, 5000);
    expect(imagesOf(bench)).toEqual(['web:1', 'web:1', 'web:1']);
    // Besides creates, each version of the template costs one dry run.
    expect(writesTo(bench, 'pods', 'create')).toBe(3 * 3 + 2);
  });

  it('are known after a restart, and none is created', async () => {
    const bench = await disowned();
    bench.context.memory.clear();
    bench.edit('w', podsOf(2));
    await live(bench, 5000);
    expect(bench.pods()).toHaveLength(2);
    expect(writesTo(bench, 'pods', 'create')).toBe(3);
    expect(bench.conditionOf('w', 'ChildOverridden')).toMatchObject({ status: 'True' });
  });

  it('are owned soon after the policy is gone, and the condition goes', async () => {
    const bench = await disowned();
    noPolicy(bench);
    await live(bench, 20_000);
    expect(ownersOf(bench)).toEqual([1, 1, 1]);
    expect(bench.conditionOf('w', 'ChildOverridden')).toBeUndefined();
    expect(bench.pods()).toHaveLength(3);
    const writes = bench.api.writes.length;
    await live(bench, 60_000);
    expect(bench.api.writes).toHaveLength(writes);
  });

  it('keep the mark of their intent', async () => {
    const bench = await disowned();
    await live(bench, 60_000);
    for (const { metadata } of bench.pods())
      expect((metadata as Metadata).annotations?.['cdk8s-reconcile/intent']).toMatch(/^[a-z0-9]{10}$/);
  });

  it('get what their intent says when they are applied, and are owned when the policy is gone', async () => {
    const bench = new LoopBench(wardrobe);
    started(bench);
    bench.declare('w', contentOf('one'));
    await live(bench, 1000);
    expect(ownersOf(bench, ConfigMap)).toEqual([1]);
    setOwners(bench, 'configmaps');
    for (const key of ['two', 'three']) {
      bench.edit('w', contentOf(key));
      await live(bench, 1000);
      expect(bench.api.one(ConfigMap, 'w')['data']).toEqual({ key });
    }
    expect(ownersOf(bench, ConfigMap)).toEqual([0]);
    expect(bench.conditionOf('w', 'ChildOverridden')?.message).toContain('metadata.ownerReferences');
    await live(bench, 60_000);
    expect(writesTo(bench, 'configmaps')).toBeLessThan(15);
    noPolicy(bench);
    await live(bench, 300_000);
    expect(ownersOf(bench, ConfigMap)).toEqual([1]);
    expect(bench.api.one(ConfigMap, 'w')['data']).toEqual({ key: 'three' });
    expect(bench.conditionOf('w', 'ChildOverridden')).toBeUndefined();
  });

  it('are not created without end when the policy sets another controller', async () => {
    const bench = new LoopBench(podSet);
    setOwners(bench, 'pods', [
      {
        apiVersion: 'apps/v1',
        kind: 'ReplicaSet',
        name: 'theirs',
        uid: '7b1d8f5e-0000-4000-8000-000000000009',
        controller: true,
      },
    ]);
    started(bench);
    bench.declare('w', podsOf(3));
    await live(bench, 5000);
    const messages = bench.events.map(({ message }) => message);
    expect(messages).toContainEqual(expect.stringContaining('from "PodSet/w" to "ReplicaSet/theirs"'));
    await live(bench, 300_000);
    expect(bench.pods()).toHaveLength(3);
    expect(bench.conditionOf('w', 'Stalled')).toMatchObject({ status: 'True', reason: 'NameConflict' });
    expect(remembered(bench)).toBeUndefined();
  });

  it('are no children when the policy takes off the labels, too', async () => {
    const bench = new LoopBench(wardrobe);
    bench.api.mutate = ({ resource, verb }, body) => {
      if (resource !== 'configmaps' || verb !== 'apply') return body;
      const { metadata, ...rest } = body as { readonly metadata: Metadata & { readonly labels?: object } };
      const { labels: _labels, ownerReferences: _owners, ...others } = metadata;
      return { ...rest, metadata: others };
    };
    started(bench);
    bench.declare('w', contentOf('one'));
    await live(bench, 20_000);
    expect(remembered(bench)).toBeUndefined();
    expect(bench.conditionOf('w', 'Stalled')).toMatchObject({ status: 'True', reason: 'NameConflict' });
  });
});

describe('pods of which a policy takes the labels off', () => {
  it('are not created without end, and their names are reported', async () => {
    const bench = new LoopBench(podSet);
    bench.api.mutate = ({ resource, verb }, body) => {
      if (resource !== 'pods' || verb !== 'create') return body;
      const { metadata, ...rest } = body as { readonly metadata: Metadata & { readonly labels?: object } };
      const { labels: _taken, ...others } = metadata;
      return { ...rest, metadata: others };
    };
    started(bench);
    bench.declare('w', podsOf(3));
    await live(bench, 5000);
    const pods = bench.podNames();
    await live(bench, 300_000);
    expect(bench.podNames()).toEqual(pods);
    expect(pods.length).toBeLessThanOrEqual(6);
    expect(bench.conditionOf('w', 'Stalled')).toMatchObject({ status: 'True', reason: 'NameConflict' });
  });
});

/** Time passes, and another writer takes the owner references off pods in requests of its own. */
const liveBesideRival = async (bench: LoopBench, ms: number): Promise<void> => {
  for (let passed = 0; passed < ms; passed += 50) {
    await live(bench, 50);
    for (const { metadata } of bench.pods()) {
      const { ownerReferences, ...others } = metadata as Metadata;
      if (ownerReferences !== undefined) bench.api.edit(Pod, others.name, (pod) => ({ ...pod, metadata: others }));
    }
    bench.catchUp();
  }
};

const fought = async (): Promise<LoopBench> => {
  const bench = new LoopBench(podSet);
  started(bench);
  bench.declare('w', podsOf(3));
  await liveBesideRival(bench, 10_000);
  return bench;
};

describe('children of which another writer takes the owner reference off in requests of its own', () => {
  it('are adopted some times, then left alone, and named', async () => {
    const bench = await fought();
    const before = writesTo(bench, 'pods');
    await liveBesideRival(bench, 60_000);
    expect(before).toBeLessThan(30);
    expect(writesTo(bench, 'pods') - before).toBeLessThan(15);
    expect(bench.conditionOf('w', 'Stalled')).toMatchObject({
      status: 'True',
      reason: 'FieldConflict',
      message: expect.stringContaining('another writer keeps changing metadata.ownerReferences of Pod "w-') as string,
    });
  });

  it('come and go as the spec says', async () => {
    const bench = await fought();
    bench.edit('w', podsOf(4));
    await liveBesideRival(bench, 5000);
    expect(bench.pods()).toHaveLength(4);
    bench.edit('w', podsOf(1));
    await liveBesideRival(bench, 5000);
    expect(bench.pods()).toHaveLength(1);
  });

  it('are owned soon after the other writer is gone', async () => {
    const bench = await fought();
    await live(bench, 120_000);
    expect(ownersOf(bench)).toEqual([1, 1, 1]);
    expect(bench.conditionOf('w', 'Stalled')).toMatchObject({ status: 'False' });
  });
});
