import { queryObjects } from 'node:v8';
import { beforeEach, describe, expect, it } from 'vitest';
import { builtinKinds as kinds } from '#lib/apiserver/builtin/builtin-kinds.ts';
import type { ApiServer } from '#lib/apiserver/machinery/server.ts';
import type { Actor } from '#lib/controllers/actor.ts';
import { createActors } from '#lib/controllers/actors.ts';
import { createServer } from '#lib/embedded/create-server.ts';
import { compaction } from '#lib/embedded/upkeep/compaction.ts';
import { eventExpiry } from '#lib/embedded/upkeep/event-expiry.ts';
import { namespaceContents } from '#lib/embedded/upkeep/namespace-contents.ts';
import type { JsonObject } from '#lib/json.ts';
import { shelf, shelves, shelvesCrd } from '#test/contract/shelves.ts';

const MINUTE_MS = 60_000;

const resource = (plural: string, group = '') => ({ group, version: 'v1', plural });
const namespaces = resource('namespaces');
const configMaps = resource('configmaps');
const events = resource('events');
const definitions = resource('customresourcedefinitions', 'apiextensions.k8s.io');
const own = resource(shelves.plural, 'contract.example.com');
/** All objects in a namespace of this test. */
const inside = [
  ...['pods', 'configmaps', 'serviceaccounts', 'events'].map((plural) => resource(plural)),
  ...['deployments', 'replicasets'].map((plural) => resource(plural, 'apps')),
  own,
];

let clock: number;
let server: ApiServer;
let actors: readonly Actor[];

beforeEach(() => {
  clock = Date.parse('2026-01-01T00:00:00Z');
  const now = (): number => clock;
  server = createServer({ nodes: ['node-1'], kept: undefined, now });
  const controllers = createActors({ server, now, kinds, nodes: [{ name: 'node-1' }] }).actors;
  actors = [...controllers, namespaceContents(server, 'ca'), eventExpiry(server, now), compaction(server, now)];
});

const next = (actor: Actor) =>
  actor.steps().find(({ notBefore = 0, isFault = false }) => !isFault && notBefore <= clock);

/** Lets the actors act until they have nothing to do. */
const settle = (): void => {
  for (let isBusy = true; isBusy; ) {
    isBusy = false;
    for (const actor of actors) {
      const step = next(actor);
      step?.run();
      isBusy ||= step !== undefined;
    }
  }
};

const pass = (minutes: number): void => {
  for (let i = 0; i < minutes; i++) {
    clock += MINUTE_MS;
    settle();
  }
};

const create = (of: typeof namespaces, body: object, namespace?: string): void => {
  const request = { verb: 'create', resource: of, body, ...(namespace !== undefined && { namespace }) } as const;
  const { code, body: answer } = server.handle(request);
  if (code !== 201) throw new Error(String(answer['message']));
};

const remove = (of: typeof namespaces, name: string): void => {
  const { code } = server.handle({ verb: 'delete', resource: of, name });
  if (code !== 200) throw new Error(`${name}: ${code}`);
};

const deploymentOf = (name: string): JsonObject => {
  const labels = { app: name };
  const spec = { containers: [{ name: 'main', image: 'busybox' }] };
  const template = { metadata: { labels }, spec };
  return { metadata: { name }, spec: { replicas: 2, selector: { matchLabels: labels }, template } };
};

const eventOf = (name: string, namespace: string): JsonObject => ({
  metadata: { name },
  involvedObject: { kind: 'Pod', name: 'a', namespace },
  reason: 'Tested',
  message: 'something happened',
});

/**
 * Creates a namespace and a CRD with their contents, and deletes them. @returns the objects stored in the
 * meantime
 */
const live = (name: string): readonly WeakRef<object>[] => {
  create(definitions, shelvesCrd);
  create(namespaces, { metadata: { name } });
  create(resource('deployments', 'apps'), deploymentOf('web'), name);
  create(own, shelf('a'), name);
  for (let i = 0; i < 3; i++) create(configMaps, { metadata: { generateName: 'a-' } }, name);
  create(events, eventOf('e', name), name);
  settle();
  const stored = inside.map((each) => server.objects(each, name));
  expect(stored.map(({ length }) => length)).toEqual([2, 4, 1, 1, 1, 1, 1]);
  remove(definitions, shelvesCrd.metadata.name);
  remove(namespaces, name);
  pass(3);
  expect(inside.map((each) => server.objects(each, name).length)).toEqual([0, 0, 0, 0, 0, 0, 0]);
  return stored.flat().map((object) => new WeakRef(object));
};

/** Number of garbage collections while something is still held. */
const ROUNDS = 10;

/** Counts the objects that are still referenced in the end. */
const held = async (refs: readonly WeakRef<object>[]): Promise<number> => {
  let left = refs.length;
  for (let round = 0; left > 0 && round < ROUNDS; round += 1) {
    // A reference that was created or dereferenced is held until the end of the turn.
    await new Promise((resolve) => setImmediate(resolve));
    // Collects all garbage before it searches, and needs no flag: https://nodejs.org/docs/latest-v24.x/api/v8.html#v8queryobjectsctor-options
    queryObjects(WeakRef, { format: 'count' });
    left = refs.filter((ref) => ref.deref() !== undefined).length;
  }
  return left;
};

/** The first event of a watch from a version. */
const firstOf = (of: typeof namespaces, resourceVersion: string): string | undefined => {
  const heard: string[] = [];
  server.watch({ resource: of, resourceVersion }, ({ type }) => void heard.push(type)).close();
  return heard[0];
};

describe('an embedded cluster that lives long', () => {
  it('holds nothing of what is gone and out of history', async () => {
    const refs = [...live('one'), ...live('two'), ...live('one')];
    server.compact(server.resourceVersion);
    expect(await held(refs)).toBe(0);
  });

  it('forgets what happened ten minutes ago, but for the last 100 changes of each kind', () => {
    const [first] = server.objects(namespaces);
    const start = first?.metadata.resourceVersion ?? '';
    pass(11);
    const before = server.resourceVersion;
    for (let i = 0; i < 150; i++) create(configMaps, { metadata: { name: `a-${i}` } }, 'default');
    const last = Number(server.resourceVersion);
    pass(4);
    expect(firstOf(configMaps, before)).toBe('ADDED');
    pass(7);
    expect(firstOf(configMaps, before)).toBe('ERROR');
    expect(firstOf(namespaces, start)).not.toBe('ERROR');
    expect(firstOf(configMaps, String(last - 60))).toBe('ADDED');
    const options = { resourceVersion: before, resourceVersionMatch: 'Exact' };
    expect(server.handle({ verb: 'list', resource: configMaps, options }).code).toBe(410);
  });

  it('deletes events that were not updated for an hour', () => {
    create(events, eventOf('once', 'default'), 'default');
    create(events, eventOf('again', 'default'), 'default');
    pass(40);
    const body = { count: 2 };
    const options = { fieldManager: 'test' };
    const again = { namespace: 'default', name: 'again', body, options };
    expect(server.handle({ verb: 'patch', patchType: 'merge', resource: events, ...again }).code).toBe(200);
    pass(25);
    expect(server.objects(events).map(({ metadata }) => metadata.name)).toEqual(['again']);
    pass(40);
    expect(server.objects(events)).toEqual([]);
  });

  it('does nothing when nothing happens', () => {
    pass(15);
    const due = actors.flatMap((actor) => actor.steps().filter(({ isFault = false }) => !isFault));
    expect(due).toEqual([]);
  });
});
