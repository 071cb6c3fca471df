import { describe, expect, it } from 'vitest';
import { ConfigMap, ControllerRevision } from '#lib/kind/handles/reference.ts';
import type { ApiObject } from '#lib/kube/interface/api.ts';
import { ObjectCache } from '#lib/loop/cache/cache.ts';
import { projectionOf } from '#lib/loop/cache/projection/projection.ts';
import { withOnDemand } from '#lib/loop/cache/size/on-demand.ts';
import { withStubs } from '#lib/loop/cache/size/stub.ts';
import type { Context } from '#lib/loop/context/context.ts';
import { computeSupplied } from '#lib/loop/pass/compute/supply.ts';
import { snapshotOf } from '#test/unit/loop/pass/pass-bench.ts';
import { album, albumThat } from '#test/unit/support/album-kind.ts';
import { bookConfigMap, librarian } from '#test/unit/support/librarian-kind.ts';
import { LoopBench } from '#test/unit/support/loop-bench.ts';
import { connectionLost } from '#test/unit/support/server-answers.ts';

/** A librarian that looks up a ConfigMap, of which the cache holds a stub until there is room. */
const lookingUp = () => {
  const bench = new LoopBench(librarian);
  bench.declare('l', { wants: 'book' });
  bench.api.put(ConfigMap, bookConfigMap('book'));
  let hasRoom = false;
  const project = withStubs(projectionOf(ConfigMap.fields), () =>
    hasRoom ? undefined : { by: 'budget', hasRoom: () => true },
  );
  const cache = new ObjectCache({ project, onChange: () => undefined });
  cache.replace([...bench.api.all(ConfigMap)], bench.api.resourceVersion);
  hasRoom = true;
  const context = { ...bench.context, related: new Map([[ConfigMap, cache]]) };
  return { bench, context, seen: snapshotOf(context, 'l') };
};

describe('computeSupplied() of a looked-up object', () => {
  it('computeSupplied() calls the function again with the complete object, in the same pass', async () => {
    const { context, seen } = lookingUp();
    expect(await computeSupplied(context, seen)).toMatchObject({ wanted: { desired: { status: { wanted: 'book' } } } });
  });

  it('computeSupplied() returns unknown when the object cannot be read', async () => {
    const { bench, context, seen } = lookingUp();
    bench.api.refuse = ({ verb }) => (verb === 'list' ? connectionLost() : undefined);
    expect(await computeSupplied(context, seen)).toBe('unknown');
  });
});

const PAGE_BYTES = 900_000;

const revision = (index: number) => ({
  apiVersion: 'apps/v1',
  kind: 'ControllerRevision',
  metadata: {
    name: `page-${index}`,
    namespace: 'default',
    labels: { 'demo.example.com/album': 'a' },
    ownerReferences: [] as readonly object[],
  },
  revision: index,
  data: { text: 'x'.repeat(PAGE_BYTES) },
});

/** An album with three large ControllerRevisions, of which its function reads the first `length`. */
const reading = () => {
  let length = 3;
  const bench = new LoopBench(
    albumThat((seen) => {
      const pages = seen.children.of(ControllerRevision).slice(0, length);
      const texts = pages.map(({ data }) => (data as { readonly text: string }).text);
      return { ...album.desired(seen), partial: 'as it is', status: { seen: `${texts.join('').length}` } };
    }),
  );
  const { uid } = bench.declare('a', { length: 1 }).metadata;
  const owner = { apiVersion: 'demo.example.com/v1', kind: 'Album', name: 'a', uid, controller: true };
  for (const index of [0, 1, 2]) {
    const { metadata, ...rest } = revision(index);
    bench.api.put(ControllerRevision, { ...rest, metadata: { ...metadata, ownerReferences: [owner] } });
  }
  const cache = new ObjectCache({
    project: withOnDemand(projectionOf(ControllerRevision.fields), 'data'),
    onChange: () => undefined,
  });
  cache.replace([...bench.api.all(ControllerRevision)], bench.api.resourceVersion);
  const context: Context = { ...bench.context, children: new Map([[ControllerRevision, cache]]) };
  return {
    bench,
    context,
    computed: async (count: number) => {
      length = count;
      return computeSupplied(context, snapshotOf(context, 'a'));
    },
  };
};

const broken = async (): Promise<ApiObject> => {
  throw new RangeError('a bug');
};

describe('computeSupplied() of data that the cache leaves out', () => {
  it('computeSupplied() stalls the resource when its function reads more than 2 MiB', async () => {
    const { computed } = reading();
    expect(await computed(3)).toMatchObject({ wanted: { failed: true, desired: { state: { reason: 'TooLarge' } } } });
  });

  it('computeSupplied() tries again without the data of recent passes, before it stalls the resource', async () => {
    const { computed } = reading();
    expect(await computed(2)).toMatchObject({ wanted: { desired: { status: { seen: `${2 * PAGE_BYTES}` } } } });
    expect(await computed(3)).toBe('unknown');
    expect(await computed(3)).toMatchObject({ wanted: { failed: true } });
  });

  it('computeSupplied() returns unknown when the API server does not answer', async () => {
    const { bench, computed } = reading();
    bench.api.refuse = ({ verb }) => (verb === 'get' ? connectionLost() : undefined);
    expect(await computed(1)).toBe('unknown');
  });

  it('computeSupplied() rejects with an error of the operator itself', async () => {
    const { bench, computed } = reading();
    Object.assign(bench.api.client, { get: broken });
    await expect(computed(1)).rejects.toThrow('a bug');
  });
});
