import { describe, expect, it } from 'vitest';
import { apply } from '#lib/desired/result/intent.ts';
import { ready } from '#lib/desired/result/state.ts';
import { Namespace } from '#lib/kind/handles/built-in-handles.ts';
import { ConfigMap, Pod, reading } from '#lib/kind/handles/reference.ts';
import { unseenStatus } from '#lib/kind/schema/unseen-status.ts';
import { town } from '#test/unit/support/extension-town.ts';
import { LoopBench } from '#test/unit/support/loop-bench.ts';
import { quotaExceeded } from '#test/unit/support/server-answers.ts';
import { type ShelfSeen, shelf, shelfThat } from '#test/unit/support/shelf-kind.ts';
import { extensionOf, tenantWith } from '#test/unit/support/tenant-extension.ts';

/** A shelf with three books, of which the last is refused, and the last input of its function. */
const observed = async (): Promise<ShelfSeen> => {
  const all: ShelfSeen[] = [];
  const bench = new LoopBench(
    shelfThat((seen) => {
      all.push(seen);
      return shelf.desired(seen);
    }),
  );
  bench.declare('shelf', { books: ['b', 'a', 'c'] });
  bench.api.refuse = ({ verb, name }) => (verb === 'create' && name === 'c' ? quotaExceeded(name) : undefined);
  await bench.pass('shelf');
  bench.catchUp();
  await bench.pass('shelf');
  const seen = all.at(-1);
  if (!seen) throw new Error('The function was not called');
  return seen;
};

const isDeepFrozen = (value: unknown): boolean =>
  typeof value !== 'object' || value === null || (Object.isFrozen(value) && Object.values(value).every(isDeepFrozen));

const foreign = {
  type: 'Approved',
  status: 'True',
  reason: 'Signed',
  message: '',
  lastTransitionTime: '2026-11-21T09:30:00Z',
};

describe('a status that the operator has not written', () => {
  it('observationOf() shows none where the API server shows the default of the definition', async () => {
    const all: unknown[] = [];
    const bench = new LoopBench(
      shelfThat((seen) => {
        all.push(seen.resource.status);
        return shelf.desired(seen);
      }),
    );
    bench.declare('shelf', { books: [] });
    bench.api.editStatus(bench.kind, 'shelf', unseenStatus);
    bench.catchUp();
    await bench.converge('shelf');
    expect(all[0]).toBeUndefined();
    expect(bench.statusOf('shelf')).toMatchObject({ observedGeneration: 1, count: 0 });
    expect(bench.conditionOf('shelf', 'Ready')?.lastTransitionTime).not.toMatch(/^1970/);
  });

  it('observationOf() shows the conditions of others beside the default, and the status keeps them', async () => {
    const all: unknown[] = [];
    const bench = new LoopBench(
      shelfThat((seen) => {
        all.push(seen.resource.status);
        return shelf.desired(seen);
      }),
    );
    bench.declare('shelf', { books: [] });
    const { conditions } = unseenStatus as { readonly conditions: readonly object[] };
    bench.api.editStatus(bench.kind, 'shelf', { ...unseenStatus, conditions: [...conditions, foreign] });
    bench.catchUp();
    await bench.converge('shelf');
    expect(all[0]).toEqual({ conditions: [foreign] });
    expect(bench.conditionOf('shelf', 'Approved')).toEqual(foreign);
    expect(bench.conditionOf('shelf', 'Ready')?.status).toBe('True');
  });
});

describe('the members of the resource', () => {
  it('observationOf() gives a copy of the resource a status when the resource has one', async () => {
    const copies: object[] = [];
    const bench = new LoopBench(
      shelfThat((seen) => {
        copies.push({ ...seen.resource });
        return shelf.desired(seen);
      }),
    );
    bench.declare('shelf', { books: [] });
    await bench.converge('shelf');
    bench.edit('shelf', { books: ['a'] });
    bench.catchUp();
    await bench.pass('shelf');
    expect(copies[0]).not.toHaveProperty('status');
    expect(copies.at(-1)).toHaveProperty('status.count', 0);
  });

  it('observationOf() shows an extension only its own fields when another extension reads more of the parent', async () => {
    const copying = tenantWith({
      desired: ({ resource }) => {
        const metadata = { name: 'members', namespace: resource.metadata.name };
        const data = { members: Object.keys(resource).join(' ') };
        const child = apply({ apiVersion: 'v1', kind: 'ConfigMap', metadata, data });
        return { children: [child], state: ready('Copied', 'the members are copied') };
      },
    });
    const { api, start, settle, found, child } = town(
      copying,
      extensionOf(reading(Namespace, ['status.phase']), [ConfigMap]),
    );
    found('a');
    api.editStatus(Namespace, 'a', { phase: 'Active' });
    start();
    await settle();
    expect(child('a', 'members')['data']).toEqual({ members: 'apiVersion kind metadata' });
  });
});

describe('observationOf()', () => {
  it('observationOf() shows a resource whose metadata is complete', async () => {
    const { resource } = await observed();
    expect(resource.metadata).toEqual({
      name: 'shelf',
      namespace: 'default',
      generation: 1,
      labels: {},
      annotations: {},
      annotationManagers: {},
      creationTimestamp: '2026-11-21T09:30:00Z',
      resourceVersion: expect.any(String) as string,
      uid: expect.any(String) as string,
    });
    expect(resource.spec).toEqual({ books: ['b', 'a', 'c'] });
  });

  it('observationOf() shows the children sorted by name, reduced to what the kind reads', async () => {
    const { children } = await observed();
    expect(children.of(Pod).map(({ metadata }) => metadata?.name)).toEqual(['a', 'b']);
    expect(children.of(Pod)[0]).not.toHaveProperty('spec');
  });

  it('observationOf() finds children by any handle of the same kind', async () => {
    const { children } = await observed();
    expect(children.of(reading(Pod, ['spec.nodeName']))).toHaveLength(2);
  });

  it.each([
    { part: 'resource', pick: (seen: ShelfSeen): unknown => seen.resource },
    { part: 'children', pick: (seen: ShelfSeen): unknown => seen.children.of(Pod) },
    { part: 'orphans', pick: (seen: ShelfSeen): unknown => seen.orphans.of(Pod) },
    { part: 'clock', pick: (seen: ShelfSeen): unknown => seen.clock },
    { part: 'outcomes', pick: (seen: ShelfSeen): unknown => seen.outcomes },
    { part: 'related', pick: (seen: ShelfSeen): unknown => seen.related },
  ])('observationOf() shows $part frozen, all the way down', async ({ pick }) => {
    expect(pick(await observed())).toSatisfy(isDeepFrozen);
  });

  it('observationOf() shows refused frozen, all the way down', async () => {
    const { refused } = await observed();
    expect(refused).toHaveLength(1);
    expect(refused).toSatisfy(isDeepFrozen);
  });

  it('observationOf() is frozen itself', async () => {
    expect(await observed()).toSatisfy(Object.isFrozen);
  });
});
