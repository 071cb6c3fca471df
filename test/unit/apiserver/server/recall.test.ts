import { expect, it } from 'vitest';
import type { ServerEvent, ServerRequest, ServerResponse } from '#lib/apiserver/machinery/request.ts';
import type { ApiServer } from '#lib/apiserver/machinery/server.ts';
import { createClusterServer } from '#lib/sim/cluster.ts';

const START_MS = Date.UTC(2026, 0, 1);
const configMaps = { group: '', version: 'v1', plural: 'configmaps' };
const services = { group: '', version: 'v1', plural: 'services' };
const options = { fieldManager: 'test' };
const where = { namespace: 'default', options };

const configMap = (metadata: object, answer: string) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata,
  data: { answer },
});

const service = (name: string) => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name },
  spec: { ports: [{ port: 80 }] },
});

/** Writes with all effects on the store: creates, generated names, refusals, updates, deletions, and names that are used again. */
const writes: readonly ServerRequest[] = [
  { verb: 'create', resource: configMaps, ...where, body: configMap({ name: 'a' }, '1') },
  { verb: 'create', resource: configMaps, ...where, body: configMap({ name: 'a' }, '1') },
  { verb: 'create', resource: configMaps, ...where, body: configMap({ generateName: 'b-' }, '2') },
  { verb: 'create', resource: configMaps, ...where, body: configMap({ generateName: 'b-' }, '2') },
  { verb: 'patch', patchType: 'apply', resource: configMaps, ...where, name: 'c', body: configMap({ name: 'c' }, '3') },
  { verb: 'patch', patchType: 'merge', resource: configMaps, ...where, name: 'a', body: { data: { answer: '4' } } },
  { verb: 'delete', resource: configMaps, ...where, name: 'a' },
  { verb: 'create', resource: configMaps, ...where, body: configMap({ name: 'a' }, '1') },
  { verb: 'create', resource: services, ...where, body: service('s') },
  { verb: 'create', resource: services, ...where, body: service('t') },
  { verb: 'deletecollection', resource: configMaps, ...where },
];

interface Seen {
  readonly responses: readonly ServerResponse[];
  readonly events: readonly ServerEvent[];
  readonly contents: unknown;
}

const run = (server: ApiServer, requests = writes): Seen => {
  const events: ServerEvent[] = [];
  for (const resource of [configMaps, services]) server.watch({ resource }, (event) => events.push(event));
  const responses = requests.map((request) => server.handle(request));
  return { responses, events, contents: server.dump() };
};

const recalling = (): ApiServer => createClusterServer(() => START_MS).copy(() => START_MS, { recallsWrites: true });

it('ApiServer.copy() with recallsWrites answers as a server that handles every write itself', () => {
  const [first, plain] = [recalling(), run(createClusterServer(() => START_MS))];
  const seen = run(first.copy(() => START_MS));
  const again = run(first.copy(() => START_MS));
  expect(seen).toEqual(plain);
  expect(again).toEqual(plain);
  for (const [index, { body }] of again.responses.entries()) expect(body).toBe(seen.responses[index]?.body);
});

it('ApiServer.copy() with recallsWrites handles a write itself after other writes or at another time', () => {
  const first = recalling();
  run(first.copy(() => START_MS));
  const others = writes.slice(1);
  expect(
    run(
      first.copy(() => START_MS),
      others,
    ),
  ).toEqual(
    run(
      createClusterServer(() => START_MS),
      others,
    ),
  );
  const later = START_MS + 1000;
  const plain = createClusterServer(() => START_MS).copy(() => later);
  expect(run(first.copy(() => later))).toEqual(run(plain));
});

it('ApiServer.copy() without recallsWrites shares the results of writes only among copies of a recalling server', () => {
  const first = createClusterServer(() => START_MS);
  const [seen, again] = [run(first.copy(() => START_MS)), run(first.copy(() => START_MS))];
  expect(again).toEqual(seen);
  expect(again.responses[0]?.body).not.toBe(seen.responses[0]?.body);
});

it('a server that recalls writes handles each write itself after an object was restored', () => {
  const first = recalling();
  run(first.copy(() => START_MS));
  const restored = {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: {
      name: 'c',
      namespace: 'default',
      uid: 'u',
      resourceVersion: '100',
      creationTimestamp: '2026-01-01T00:00:00Z',
    },
    data: { answer: '5' },
  };
  const [one, plain] = [first.copy(() => START_MS), createClusterServer(() => START_MS)];
  for (const server of [one, plain]) server.restore(configMaps, restored);
  expect(run(one)).toEqual(run(plain));
});
