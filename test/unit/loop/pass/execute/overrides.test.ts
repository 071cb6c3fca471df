import { describe, expect, it } from 'vitest';
import { defineKind } from '#lib/desired/definition.ts';
import { apply } from '#lib/desired/result/intent.ts';
import { ready } from '#lib/desired/result/state.ts';
import { Secret } from '#lib/kind/handles/built-in-handles.ts';
import { ConfigMap, Deployment } from '#lib/kind/handles/reference.ts';
import type { ApiObject } from '#lib/kube/interface/api.ts';
import { LoopBench } from '#test/unit/support/loop-bench.ts';
import { wardrobe } from '#test/unit/support/wardrobe-kind.ts';

type Body = Readonly<Record<string, unknown>> & { readonly spec?: object };

/** Raises the replicas of Deployments to three in the request of the loop, as a mutating webhook does. */
const atLeastThree = (bench: LoopBench): void => {
  bench.api.mutate = ({ resource, verb }, body) => {
    if (!resource.includes('deployments') || (verb !== 'apply' && verb !== 'create')) return body;
    const object = body as Body;
    return { ...object, spec: { ...object.spec, replicas: 3 } };
  };
};

const noPolicy = (bench: LoopBench): void => {
  bench.api.mutate = (_request, body) => body;
};

const overridden = async (): Promise<LoopBench> => {
  const bench = new LoopBench(wardrobe);
  atLeastThree(bench);
  bench.declare('w', { content: { data: { key: 'ours' }, kinds: ['Deployment', 'ConfigMap'] } });
  await settle(bench);
  return bench;
};

/** Some passes that do not wait for holds. */
const settle = async (bench: LoopBench): Promise<void> => {
  for (let pass = 0; pass < 6; pass += 1) {
    await bench.pass('w');
    bench.catchUp();
    await bench.timers.advance(300);
  }
};

const replicasOf = (bench: LoopBench): unknown =>
  (bench.api.one(Deployment, 'w')['spec'] as { readonly replicas: number }).replicas;

const deploymentWrites = (bench: LoopBench): number =>
  bench.api.writes.filter(({ resource }) => resource.includes('deployments')).length;

describe('a field that admission changes in our own request', () => {
  it('is named with object, wanted and found value, and a resource that is ready stays ready', async () => {
    const bench = await overridden();
    expect(bench.conditionOf('w', 'ChildOverridden')).toMatchObject({
      status: 'True',
      reason: 'FieldConflict',
      message:
        'an admission webhook or policy changes spec.replicas from 2 to 3 of Deployment "w"; change the policy, or request values that it allows',
    });
    expect(bench.conditionOf('w', 'Ready')).toMatchObject({ status: 'True' });
  });

  it('is asked for ever more rarely', async () => {
    const bench = await overridden();
    expect(deploymentWrites(bench)).toBe(1);
    for (let second = 0; second < 1800; second += 5) {
      await bench.pass('w');
      bench.catchUp();
      await bench.timers.advance(5000);
    }
    expect(deploymentWrites(bench)).toBeGreaterThan(5);
    expect(deploymentWrites(bench)).toBeLessThan(20);
  });

  it('is reported in the pass of the apply in which admission changes it', async () => {
    const bench = new LoopBench(wardrobe);
    bench.declare('w', { content: { kinds: ['Deployment'] } });
    await bench.converge('w');
    atLeastThree(bench);
    bench.edit('w', { content: { kinds: ['Deployment'], image: 'other' } });
    bench.catchUp();
    bench.events.length = 0;
    await bench.pass('w');
    expect(bench.events.map(({ type, reason }) => [type, reason])).toEqual([
      ['Normal', 'SuccessfulUpdate'],
      ['Warning', 'FailedUpdate'],
    ]);
  });

  it('costs no write of the status while nothing changes', async () => {
    const bench = await overridden();
    const statuses = (): number => bench.api.writes.filter(({ verb }) => verb === 'patchStatus').length;
    const before = statuses();
    for (let second = 0; second < 300; second += 1) {
      await bench.pass('w');
      bench.catchUp();
      await bench.timers.advance(1000);
    }
    expect(statuses()).toBe(before);
  });

  it('does not keep other children from what they should be', async () => {
    const bench = await overridden();
    bench.api.edit(ConfigMap, 'w', (it) => ({ ...it, data: { key: 'theirs' } }));
    bench.catchUp();
    await settle(bench);
    expect((bench.api.one(ConfigMap, 'w') as ApiObject & { readonly data?: object }).data).toEqual({ key: 'ours' });
  });

  it('gets its value by itself soon after the policy is gone, and the condition goes', async () => {
    const bench = await overridden();
    noPolicy(bench);
    await bench.timers.advance(11_000);
    await settle(bench);
    expect(replicasOf(bench)).toBe(2);
    expect(bench.conditionOf('w', 'ChildOverridden')).toBeUndefined();
  });

  it('is no conflict of the deletion of the object', async () => {
    const bench = await overridden();
    bench.api.edit(Deployment, 'w', (it) => ({
      ...it,
      metadata: { ...it.metadata, finalizers: ['example.com/keep'] },
    }));
    bench.edit('w', { content: { kinds: ['ConfigMap'] } });
    bench.catchUp();
    bench.events.length = 0;
    await settle(bench);
    expect(bench.events.filter(({ type }) => type === 'Warning')).toEqual([]);
    expect(bench.conditionOf('w', 'ChildOverridden')).toBeUndefined();
  });

  it('gets its value after a restart, too, where the kind sees the field', async () => {
    const bench = await overridden();
    bench.context.memory.clear();
    noPolicy(bench);
    await settle(bench);
    await bench.timers.advance(11_000);
    await settle(bench);
    expect(replicasOf(bench)).toBe(2);
  });

  it('is no conflict when the server writes the same amount or an empty field in another form', async () => {
    const bench = new LoopBench(wardrobe);
    bench.api.mutate = ({ resource }, body) =>
      resource.includes('configmaps') ? { ...(body as Body), data: { size: '1Gi', given: 'by the server' } } : body;
    bench.declare('w', { content: { data: { size: '1024Mi', given: '' }, kinds: ['ConfigMap'] } });
    await settle(bench);
    expect(bench.conditionOf('w', 'ChildOverridden')).toBeUndefined();
  });
});

type Change = (data: Readonly<Record<string, string>>) => Readonly<Record<string, string>> | undefined;

/** A policy that changes the data of ConfigMaps in our own requests. */
const changeData = (bench: LoopBench, change: Change): void => {
  bench.api.mutate = ({ resource }, body) => {
    if (resource !== 'configmaps') return body;
    const { data = {}, ...rest } = body as Body & { readonly data?: Readonly<Record<string, string>> };
    const changed = change(data);
    return changed === undefined ? rest : { ...rest, data: changed };
  };
};

const dataOf = (bench: LoopBench): unknown => bench.api.one(ConfigMap, 'w')['data'];

const removed = async (change: Change): Promise<LoopBench> => {
  const bench = new LoopBench(wardrobe);
  changeData(bench, change);
  bench.declare('w', { content: { data: { key: 'ours', two: 'b' }, kinds: ['ConfigMap'] } });
  await settle(bench);
  return bench;
};

const withoutKey: Change = ({ key: _key, ...others }) => others;

describe('a field that admission removes in our own request', () => {
  it('is named with object and wanted value', async () => {
    const bench = await removed(withoutKey);
    expect(bench.conditionOf('w', 'ChildOverridden')).toMatchObject({
      status: 'True',
      message:
        'an admission webhook or policy changes data.key from "ours" to absent of ConfigMap "w"; change the policy, or request values that it allows',
    });
  });

  it('is named when it is gone with all that was beside it', async () => {
    const bench = await removed(() => undefined);
    expect(bench.conditionOf('w', 'ChildOverridden')?.message).toContain(
      'changes data.key from "ours" to absent, data.two from "b" to absent of ConfigMap "w"',
    );
  });

  it('is asked for ever more rarely', async () => {
    const bench = await removed(withoutKey);
    const before = bench.api.writes.length;
    for (let second = 0; second < 600; second += 5) {
      await bench.pass('w');
      bench.catchUp();
      await bench.timers.advance(5000);
    }
    expect(bench.api.writes.length - before).toBeLessThan(20);
  });

  it('gets its value by itself soon after the policy is gone, and the condition goes', async () => {
    const bench = await removed(withoutKey);
    noPolicy(bench);
    await bench.timers.advance(11_000);
    await settle(bench);
    expect(dataOf(bench)).toEqual({ key: 'ours', two: 'b' });
    expect(bench.conditionOf('w', 'ChildOverridden')).toBeUndefined();
  });

  it('is no conflict when it is an annotation', async () => {
    const bench = new LoopBench(wardrobe);
    bench.api.mutate = (_request, body) => {
      const { metadata: { annotations: _stripped, ...metadata } = {}, ...rest } = body as {
        readonly metadata?: { readonly annotations?: object };
      };
      return { ...rest, metadata };
    };
    bench.declare('w', { content: { annotations: { note: 'ours' }, kinds: ['ConfigMap'] } });
    await settle(bench);
    const before = bench.api.writes.length;
    await bench.timers.advance(60_000);
    await settle(bench);
    expect(bench.api.writes).toHaveLength(before);
    expect(bench.conditionOf('w', 'ChildOverridden')).toBeUndefined();
  });

  it('is no conflict when the server leaves it out itself', async () => {
    const spec = { replicas: 0, paused: false, selector: { matchLabels: { app: 'w' } } };
    const template = {
      metadata: { labels: { app: 'w' } },
      spec: { nodeName: '', containers: [{ name: 'a', image: 'a:1' }] },
    };
    const secret = {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'w' },
      data: { key: 'MQ==' },
      stringData: { key: 'ours' },
    };
    const deployment = {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'w' },
      spec: { ...spec, template },
    };
    const bench = new LoopBench(
      defineKind({
        ...wardrobe,
        owns: [Secret, Deployment],
        desired: () => ({ children: [apply(secret), apply(deployment)], status: {}, state: ready('Fine', 'fine') }),
      }),
    );
    bench.declare('w', { content: {} });
    await settle(bench);
    const before = bench.api.writes.length;
    expect(bench.conditionOf('w', 'ChildOverridden')).toBeUndefined();
    await bench.timers.advance(60_000);
    await settle(bench);
    expect(bench.api.writes).toHaveLength(before);
  });
});
