import { type Arbitrary, array, assert, constantFrom, nat, property, tuple } from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ServerObject } from '#lib/apiserver/machinery/object.ts';
import type { ServerEvent } from '#lib/apiserver/machinery/request.ts';
import { lampKind } from '../support/permissive-kinds.ts';
import { brief, ServerBench } from '../support/server-bench.ts';

type Step = readonly ['create' | 'label' | 'delete', name: string, app: string];

const steps = array(
  tuple(constantFrom('create', 'label', 'delete'), constantFrom('a', 'b', 'c'), constantFrom('x', 'y')),
  { maxLength: 30 },
) as Arbitrary<readonly Step[]>;

const run = (bench: ServerBench, [verb, name, app]: Step): void => {
  if (verb === 'create') bench.create(name, { labels: { app } });
  else if (verb === 'label') bench.merge(name, { metadata: { labels: { app } } });
  else bench.delete(name);
};

/** The view of a client that applies every event. */
const follow = (events: readonly ServerEvent[]): ReadonlyMap<string, unknown> => {
  const known = new Map<string, unknown>();
  for (const { type, object } of events) {
    const { name } = (object as ServerObject).metadata;
    if ((type === 'ADDED') === known.has(name)) throw new Error(`${type} ${name} makes no sense`);
    if (type === 'DELETED') known.delete(name);
    else known.set(name, object);
  }
  return known;
};

const sorted = (known: ReadonlyMap<string, unknown>): readonly (readonly [string, unknown])[] =>
  [...known].toSorted(([a], [b]) => (a < b ? -1 : 1));

describe('history', () => {
  it.each([undefined, 'app=x', 'app notin (y)'])(
    'createApiServer() sends to a watch with the selector %s what a list shows',
    (labelSelector) => {
      assert(
        property(steps, nat(30), (all, opened) => {
          const bench = new ServerBench();
          const selector = labelSelector === undefined ? {} : { labelSelector };
          const early = bench.watch({ resourceVersion: '100', ...selector });
          let late = early;
          for (const [i, step] of all.entries()) {
            if (i === opened) late = bench.watch(selector);
            run(bench, step);
          }
          const listed = (bench.list(selector).body['items'] as readonly ServerObject[]).map((item) => [
            item.metadata.name,
            item,
          ]);
          expect(sorted(follow(early.events))).toEqual(listed);
          expect(sorted(follow(late.events))).toEqual(listed);
        }),
      );
    },
  );

  it('createApiServer() starts a watch from any version since its start, also when it is the first request for the resource', () => {
    const bench = new ServerBench();
    bench.create('a');
    expect(brief(bench.watch({ resource: { ...lampKind, version: 'v1' }, resourceVersion: '100' }).events)).toEqual([]);
  });

  it('objectsAt() shows what was there at any version', () => {
    assert(
      property(steps, (all) => {
        const bench = new ServerBench();
        const seen = all.map((step) => {
          run(bench, step);
          return [bench.server.resourceVersion, bench.server.objects(bench.resource)] as const;
        });
        for (const [version, objects] of seen) expect(bench.server.objectsAt(bench.resource, version)).toEqual(objects);
      }),
    );
  });

  it('dump() holds everything, and is the same for the same requests', () => {
    assert(
      property(steps, (all) => {
        const dumps = [1, 2].map(() => {
          const bench = new ServerBench();
          for (const step of all) run(bench, step);
          return JSON.stringify(bench.server.dump());
        });
        expect(dumps[0]).toBe(dumps[1]);
      }),
    );
  });
});
