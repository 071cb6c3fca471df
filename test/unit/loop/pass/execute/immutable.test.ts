import { describe, expect, it } from 'vitest';
import { type AnyKindDefinition, defineKind } from '#lib/desired/definition.ts';
import type { Refusal } from '#lib/desired/observation.ts';
import { apply } from '#lib/desired/result/intent.ts';
import { ready } from '#lib/desired/result/state.ts';
import { Deployment, type KindRef, type KubeObject } from '#lib/kind/handles/reference.ts';
import { LoopBench } from '#test/unit/support/loop-bench.ts';
import { type ShelfSeen, shelf } from '#test/unit/support/shelf-kind.ts';

const deploymentFor = (app: string): KubeObject & { readonly spec: object } => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'web' },
  spec: {
    selector: { matchLabels: { app } },
    template: { metadata: { labels: { app } }, spec: { containers: [{ name: 'c', image: 'busybox' }] } },
  },
});

const refusals: Refusal[][] = [];

/** A Deployment whose selector is the first of its books. */
const selecting = (kind: KindRef): AnyKindDefinition =>
  defineKind({
    ...shelf,
    owns: [kind],
    desired: ({ resource, refused }: ShelfSeen) => {
      refusals.push([...refused]);
      return {
        children: [apply(deploymentFor(resource.spec.books[0] ?? ''))],
        status: { count: 1 },
        state: ready('Selected', 'the books are selected'),
      };
    },
  });

const changed = async (kind: KindRef, annotations: Record<string, string> = {}): Promise<LoopBench> => {
  const bench = new LoopBench(selecting(kind));
  bench.declare('shelf', { books: ['one'] });
  bench.api.edit(bench.kind, 'shelf', (it) => ({ ...it, metadata: { ...it.metadata, annotations } }));
  bench.catchUp();
  await bench.converge('shelf');
  bench.edit('shelf', { books: ['two'] });
  bench.catchUp();
  bench.api.requests.length = 0;
  for (let pass = 0; pass < 5; pass += 1) {
    await bench.converge('shelf');
    await bench.timers.advance(1000);
  }
  return bench;
};

const selectorOf = (bench: LoopBench): unknown =>
  (bench.api.one(Deployment, 'web')['spec'] as { readonly selector: unknown }).selector;

const applies = (bench: LoopBench): number => bench.api.requests.filter(({ verb }) => verb === 'apply').length;

describe('planImmutable()', () => {
  it('planImmutable() leaves the child alone, names the field and asks once when the kind says nothing', async () => {
    const bench = await changed(Deployment);
    expect(selectorOf(bench)).toEqual({ matchLabels: { app: 'one' } });
    expect(applies(bench)).toBe(1);
    expect(bench.conditionOf('shelf', 'Stalled')).toMatchObject({
      status: 'True',
      reason: 'ImmutableField',
      message:
        'spec.selector of Deployment "web" cannot be changed once it exists; undo the change, or delete the Deployment to have it created again',
    });
    expect(refusals.at(-1)).toMatchObject([{ verb: 'apply', kind: 'Deployment', name: 'web', reason: 'Invalid' }]);
    bench.api.requests.length = 0;
    expect(await bench.converge('shelf')).toEqual({ next: 'rest' });
    expect(bench.api.requests).toEqual([]);
  });

  it('planImmutable() lets the resource be ready again when the change is undone', async () => {
    const bench = await changed(Deployment);
    bench.edit('shelf', { books: ['one'] });
    bench.catchUp();
    await bench.converge('shelf');
    expect(bench.conditionOf('shelf', 'Ready')).toMatchObject({ status: 'True' });
    await bench.converge('shelf');
    expect(refusals.at(-1)).toEqual([]);
  });

  it('planImmutable() creates the child again when a user deletes it', async () => {
    const bench = await changed(Deployment);
    bench.api.vanish(Deployment, 'web');
    bench.catchUp();
    await bench.converge('shelf');
    expect(selectorOf(bench)).toEqual({ matchLabels: { app: 'two' } });
    expect(bench.conditionOf('shelf', 'Ready')).toMatchObject({ status: 'True' });
  });

  it('planImmutable() replaces the child when the kind says so', async () => {
    const bench = await changed({ ...Deployment, onImmutableField: 'replace' });
    expect(selectorOf(bench)).toEqual({ matchLabels: { app: 'two' } });
    expect(bench.conditionOf('shelf', 'Ready')).toMatchObject({ status: 'True' });
    expect(bench.api.requests.filter(({ verb }) => verb === 'delete')).toHaveLength(1);
  });

  it('planImmutable() replaces no child with data until a user consents', async () => {
    const kind = { ...Deployment, onImmutableField: 'replace', holdsData: true } as const;
    const bench = await changed(kind);
    expect(selectorOf(bench)).toEqual({ matchLabels: { app: 'one' } });
    expect(bench.conditionOf('shelf', 'Stalled')?.message).toBe(
      'spec.selector of Deployment "web" cannot be changed once it exists; it holds data; to have it replaced, annotate cdk8s-reconcile/allow-prune=Deployment/web',
    );
    const consented = await changed(kind, { 'cdk8s-reconcile/allow-prune': 'Deployment/web' });
    expect(selectorOf(consented)).toEqual({ matchLabels: { app: 'two' } });
  });
});
