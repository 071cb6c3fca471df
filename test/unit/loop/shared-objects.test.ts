import { describe, expect, it } from 'vitest';
import { defineKind } from '#lib/desired/definition.ts';
import { apply } from '#lib/desired/result/intent.ts';
import { progressing, ready } from '#lib/desired/result/state.ts';
import { type KubeObject, Pod } from '#lib/kind/handles/reference.ts';
import { refOf } from '#lib/kind/names.ts';
import { s } from '#lib/kind/schema/schema.ts';
import type { KubeApi } from '#lib/kube/interface/api.ts';
import { controllerOf } from '#lib/loop/cache/objects.ts';
import { startManager } from '#lib/loop/manager/manager.ts';
import { createLogger } from '#lib/telemetry/log.ts';
import { live, started } from '#test/unit/support/controller-bench.ts';
import { FakeApi } from '#test/unit/support/fake-api.ts';
import { LoopBench } from '#test/unit/support/loop-bench.ts';
import { ManualTimers } from '#test/unit/support/manual-timers.ts';
import { shelf } from '#test/unit/support/shelf-kind.ts';

const Shelf = refOf(shelf);

/** A kind whose child is a resource of another kind of the same loop. */
const library = defineKind({
  group: 'demo.example.com',
  version: 'v1',
  kind: 'Library',
  plural: 'libraries',
  spec: s.object({ books: s.set(s.string({ maxLength: 63 })) }),
  status: s.object({ shelved: s.int32() }),
  owns: [Shelf],
  desired({ resource, children }) {
    const [mine] = children.of(Shelf) as readonly (KubeObject & { readonly status?: { readonly count?: number } })[];
    const shelved = mine?.status?.count ?? 0;
    const { apiVersion, kind } = Shelf;
    const { books } = resource.spec;
    return {
      children: [
        apply({ apiVersion, kind, metadata: { name: resource.metadata.name }, spec: { books } } as KubeObject),
      ],
      status: { shelved },
      state: shelved === books.length ? ready('Shelved', 'all books') : progressing('Filling', 'some books'),
    };
  },
});

/** Delivers all events of watches some time after the answers to writes. */
const withSlowWatches = (api: KubeApi, timers: ManualTimers): KubeApi => ({
  ...api,
  watch: async (resource, options, onEvent) =>
    api.watch(resource, options, (event) => void timers.setTimer(100, () => onEvent(event))),
});

describe('objects that concern several resources', () => {
  it('startManager() shows a kind and the kind that owns it what the other writes, however slow watches are', async () => {
    const timers = new ManualTimers();
    const kinds = [library, shelf];
    const api = new FakeApi(timers, kinds);
    const log = createLogger('silent');
    const client = withSlowWatches(api.client, timers);
    const manager = startManager({ kinds, api: client, timers, random: () => 0.5, log });
    await timers.advance(1000);
    const { apiVersion, kind } = refOf(library);
    const metadata = { name: 'city', namespace: 'default' };
    api.put(refOf(library), { apiVersion, kind, metadata, spec: { books: ['a'] } });
    await timers.advance(10_000);
    expect(api.all(Pod).map(({ metadata: { name } }) => name)).toEqual(['a']);
    expect(api.one(refOf(library), 'city')['status']).toMatchObject({ shelved: 1 });
    await manager.stop();
  });

  it('a child that another resource looked up, and found gone, is missed by the one that had it', async () => {
    const bench = new LoopBench();
    started(bench);
    bench.declare('one', { books: ['a'] });
    await live(bench, 1000);
    bench.api.before = ({ verb, resource, name }) => {
      // The pod is deleted after it has blocked the create of the other shelf, and before the loop reads the owner of the pod.
      if (verb === 'get' && resource === 'pods' && name === 'a') {
        bench.api.before = () => undefined;
        bench.api.vanish(Pod, 'a');
      }
    };
    bench.declare('two', { books: ['a'] });
    await live(bench, 1000);
    const loser = controllerOf(bench.api.one(Pod, 'a'))?.name === 'one' ? 'two' : 'one';
    expect(bench.conditionOf(loser, 'Stalled')).toMatchObject({ status: 'True', reason: 'NameConflict' });
  });
});
