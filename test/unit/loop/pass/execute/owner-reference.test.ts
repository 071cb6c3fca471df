import { describe, expect, it } from 'vitest';
import { defineKind } from '#lib/desired/definition.ts';
import { adopt, apply, keep } from '#lib/desired/result/intent.ts';
import { ready } from '#lib/desired/result/state.ts';
import { ConfigMap, type KindRef, type OwnerReference, Pod } from '#lib/kind/handles/reference.ts';
import { s } from '#lib/kind/schema/schema.ts';
import type { ApiObject } from '#lib/kube/interface/api.ts';
import { LoopBench } from '#test/unit/support/loop-bench.ts';
import { bookPod, strangersPod } from '#test/unit/support/shelf-kind.ts';

/** Creates a child by apply and one by POST, which both contain its level, and adopts pods with the label. */
const lamp = defineKind({
  group: 'demo.example.com',
  version: 'v1',
  kind: 'Lamp',
  spec: s.object({ level: s.int32() }),
  status: s.object({ level: s.int32() }),
  owns: [ConfigMap, Pod],
  selector: () => ({ app: 'lamp' }),
  desired: ({ resource: { spec }, children, orphans }) => {
    const labels = { level: String(spec.level) };
    return {
      children: [
        apply({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a', labels }, data: labels }),
        apply({ ...bookPod('a'), metadata: { name: 'a', labels } }),
        ...children.of(Pod).flatMap((pod) => (pod.metadata?.name === 'a' ? [] : [keep(pod)])),
        ...orphans.of(Pod).map(adopt),
      ],
      status: { level: spec.level },
      state: ready('Lit', 'lit'),
    };
  },
});

const KINDS: readonly KindRef[] = [ConfigMap, Pod];

interface Child extends ApiObject {
  readonly metadata: ApiObject['metadata'] & {
    readonly ownerReferences?: readonly OwnerReference[];
    readonly managedFields?: unknown;
  };
}

const childIn = ({ api }: LoopBench, kind: KindRef, name = 'a'): Child => api.one(kind, name);

const referencesIn = (bench: LoopBench): readonly unknown[] =>
  KINDS.map((kind) =>
    childIn(bench, kind).metadata.ownerReferences?.map(({ blockOwnerDeletion }) => blockOwnerDeletion),
  );

/** Changes the children as an older version of the loop would have written them, with another `blockOwnerDeletion`. */
const ageChildren = async (bench: LoopBench, blockOwnerDeletion?: boolean): Promise<void> => {
  const { client } = bench.api;
  const { fieldManager } = bench.context;
  const change = blockOwnerDeletion === undefined ? {} : { blockOwnerDeletion };
  for (const kind of KINDS) {
    const { metadata, ...rest } = childIn(bench, kind);
    const { name, labels, annotations, ownerReferences = [] } = metadata as Child['metadata'] & Record<string, object>;
    const references = ownerReferences.map(({ blockOwnerDeletion: _blocks, ...identity }) => ({
      ...identity,
      ...change,
    }));
    const body = { ...rest, metadata: { name, labels, annotations, ownerReferences: references } };
    const target = { namespace: 'default', name };
    if (kind === Pod)
      await client.patch(kind, target, { metadata: { ownerReferences: references } }, { type: 'merge', fieldManager });
    else await client.apply(kind, target, body, { fieldManager, force: true });
  }
};

const lit = async (): Promise<LoopBench> => {
  const bench = new LoopBench(lamp);
  bench.declare('lamp', { level: 1 });
  await bench.converge('lamp');
  return bench;
};

const restart = (bench: LoopBench): void => {
  bench.context.memory.clear();
  bench.list();
  bench.api.requests.length = 0;
};

describe('the owner reference of a child', () => {
  it('blocks a foreground deletion of the resource on children that are made or adopted', async () => {
    const bench = await lit();
    bench.api.put(Pod, strangersPod('stray', { labels: { app: 'lamp' } }));
    bench.catchUp();
    await bench.converge('lamp');
    expect(referencesIn(bench)).toEqual([[true], [true]]);
    expect(childIn(bench, Pod, 'stray').metadata.ownerReferences).toMatchObject([
      { name: 'lamp', controller: true, blockOwnerDeletion: true },
    ]);
  });

  it.each([
    { value: undefined, what: 'children of a version without blockOwnerDeletion' },
    { value: false, what: 'children that the garbage collector no longer lets block' },
  ])('causes no write, neither at a restart nor later: $what', async ({ value }) => {
    const bench = await lit();
    await ageChildren(bench, value);
    expect(referencesIn(bench)).toEqual([[value], [value]]);
    restart(bench);
    await bench.converge('lamp');
    expect(bench.api.requests).toEqual([]);
  });

  it('causes no write when blockOwnerDeletion changes while the loop runs', async () => {
    const bench = await lit();
    await ageChildren(bench, false);
    bench.catchUp();
    bench.api.requests.length = 0;
    await bench.converge('lamp');
    expect(bench.api.requests).toEqual([]);
  });

  it.each([undefined, false])('stays as it is when the child is changed, blockOwnerDeletion: %s', async (value) => {
    const bench = await lit();
    await ageChildren(bench, value);
    restart(bench);
    bench.edit('lamp', { level: 2 });
    bench.catchUp();
    await bench.converge('lamp');
    for (const kind of KINDS) expect(childIn(bench, kind).metadata).toMatchObject({ labels: { level: '2' } });
    expect(referencesIn(bench)).toEqual([[value], [value]]);
  });
});
