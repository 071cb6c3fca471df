import { expect } from 'vitest';
import { type AnyKindDefinition, defineKind } from '#lib/desired/definition.ts';
import { adopt, keep, release } from '#lib/desired/result/intent.ts';
import { ready } from '#lib/desired/result/state.ts';
import { Pod } from '#lib/kind/handles/reference.ts';
import type { ApiObject } from '#lib/kube/interface/api.ts';
import { compute } from '#lib/loop/pass/compute/compute.ts';
import type { WriteStep } from '#lib/loop/pass/execute/write-child.ts';
import { snapshotOf } from '#test/unit/loop/pass/pass-bench.ts';
import { LoopBench } from '#test/unit/support/loop-bench.ts';
import { type ShelfSeen, shelf, strangersPod } from '#test/unit/support/shelf-kind.ts';

export const WEARS = { book: 'yes' };
export const MANAGER = 'cdk8s-reconcile/shelves.demo.example.com';
export const OURS = { 'demo.example.com/shelf': 'shelf' };

/** A kind that adopts pods with its label, and releases pods without this label. */
const collector: AnyKindDefinition = defineKind({
  ...shelf,
  selector: () => WEARS,
  desired: ({ children, orphans }: ShelfSeen) => {
    const mine = children.of(Pod);
    return {
      children: [
        ...mine.map((pod) => (pod.metadata?.labels?.['book'] === 'yes' ? keep(pod) : release(pod))),
        ...orphans.of(Pod).map(adopt),
      ],
      status: { count: mine.length },
      state: ready('Collected', 'all books are in'),
    };
  },
});

/** A kind that adopts pods with a certain name, whatever their labels. */
export const namesake: AnyKindDefinition = defineKind({
  ...shelf,
  orphanNames: () => ['a'],
  desired: ({ children, orphans }: ShelfSeen) => ({
    children: [...children.of(Pod).map(keep), ...orphans.of(Pod).map(adopt)],
    status: { count: children.of(Pod).length },
    state: ready('Collected', 'all books are in'),
  }),
});

export const loosePod = (name: string, metadata: object = {}) => strangersPod(name, { labels: WEARS, ...metadata });

/** A shelf that adopts, and an orphan in its cache. */
export const withOrphan = (metadata: object = {}): LoopBench => {
  const bench = new LoopBench(collector);
  bench.declare('shelf', { books: [] });
  bench.api.put(Pod, loosePod('a', metadata));
  bench.catchUp();
  return bench;
};

/** A shelf that has adopted the orphan. */
export const withAdopted = async (metadata: object = {}): Promise<LoopBench> => {
  const bench = withOrphan(metadata);
  await bench.converge('shelf');
  expect(ownersOf(bench)).toEqual(['shelf']);
  bench.api.requests.length = 0;
  return bench;
};

export type Metadata = ApiObject['metadata'] & {
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly ownerReferences?: readonly { readonly name: string; readonly uid: string; readonly controller?: boolean }[];
};

export const metadataOf = (bench: LoopBench, name = 'a'): Metadata => bench.api.one(Pod, name).metadata;

export const ownersOf = (bench: LoopBench): string[] =>
  (metadataOf(bench).ownerReferences ?? []).map(({ name }) => name);

export const change = (bench: LoopBench, metadata: object): void =>
  bench.api.edit(Pod, 'a', (pod) => ({ ...pod, metadata: { ...pod.metadata, ...metadata } }));

export const stranger = {
  apiVersion: 'v1',
  kind: 'ConfigMap',
  name: 'stranger',
  uid: '7b1d8f5e-0000-4000-8000-000000000009',
};

export const verbs = (bench: LoopBench): string[] => bench.api.requests.map(({ verb }) => verb);

/** The step of the next pass, and what it needs. */
export const nextStep = (bench: LoopBench) => {
  const seen = snapshotOf(bench.context, 'shelf');
  return { seen, step: compute(bench.context, seen).plan.steps[0] as WriteStep };
};
