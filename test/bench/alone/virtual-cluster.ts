import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { ServerRequest } from '#lib/apiserver/machinery/request.ts';
import type { ApiServer } from '#lib/apiserver/machinery/server.ts';
import { createClusterServer, simulationOf } from '#lib/sim/cluster.ts';
import { explore, seedsFrom } from '#lib/sim/explore/explore.ts';
import { runUndisturbed } from '#lib/sim/explore/run.ts';
import { search } from '#lib/sim/explore/search.ts';
import { caseNamed } from '#test/sim/scenarios/all.ts';
import { inFlight } from '../floor/bare-client.ts';
import type { Ground } from '../ground/ground.ts';
import { type Row, rounded } from '../report/measure.ts';

const SCENARIO = 'podset-up-and-down';
const SCHEDULES = 200;
const SMALL_SCENARIO = 'podset-create';
const STATES = 3000;
const ROUNDS = 500;
const OBJECTS = 10_000;
const START_MS = Date.UTC(2026, 0, 1);

const caseOf = (name: string) => {
  const found = caseNamed(name);
  if (found === undefined) throw new TypeError(`Cannot find scenario "${name}"`);
  return found;
};

const secondsOf = async (work: () => Promise<unknown>): Promise<number> => {
  const startedAt = performance.now();
  await work();
  return (performance.now() - startedAt) / 1000;
};

/** How many steps, and how many random schedules, are simulated per second. */
const measureSteps = async (): Promise<Row> => {
  const { scenario, chaos } = caseOf(SCENARIO);
  const simulation = simulationOf(scenario);
  const expected = await runUndisturbed(simulation);
  await explore(simulation, { ...chaos, expected, seeds: seedsFrom(1, SCHEDULES / 4) });
  let steps = 0;
  const seconds = await secondsOf(async () => {
    ({ steps } = await explore(simulation, { ...chaos, expected, seeds: seedsFrom(1, SCHEDULES) }));
  });
  const [perSecond, schedules] = [steps / seconds, SCHEDULES / seconds];
  return {
    id: 'V1',
    measure: `simulated steps per second, ${SCHEDULES} random schedules of ${SCENARIO}`,
    goal: 'none',
    result: `${rounded(perSecond)} steps/s, ${rounded(schedules)} schedules/s`,
    verdict: 'note',
    figures: { perSecond, schedules, steps },
  };
};

/** How many states the breadth-first search reaches per second. */
const measureStates = async (): Promise<Row> => {
  const simulation = simulationOf(caseOf(SMALL_SCENARIO).scenario);
  let [states, steps] = [0, 0];
  const seconds = await secondsOf(async () => {
    ({ states, steps } = await search(simulation, { maxStates: STATES }));
  });
  return {
    id: 'V2',
    measure: `states per second of the breadth-first search, ${SMALL_SCENARIO}`,
    goal: 'none',
    result: `${rounded(states / seconds)} states/s (${rounded(steps / seconds)} steps/s)`,
    verdict: 'note',
    figures: { perSecond: states / seconds, states, steps },
  };
};

const configMaps = { group: '', version: 'v1', plural: 'configmaps' };
const options = { fieldManager: 'bench' };

const configMap = (name: string) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name },
  data: { answer: '42' },
});

/** The requests to both servers: a ConfigMap is created, read, patched and deleted. */
const requestsFor = (name: string): readonly ServerRequest[] => {
  const where = { resource: configMaps, namespace: 'default' };
  return [
    { verb: 'create', ...where, options, body: configMap(name) },
    { verb: 'get', ...where, name },
    { verb: 'patch', ...where, name, patchType: 'merge', options, body: { data: { answer: '43' } } },
    { verb: 'delete', ...where, name },
  ];
};

const handleAll = (server: ApiServer, names: readonly string[]): void => {
  for (const request of names.flatMap(requestsFor)) {
    const { code, body } = server.handle(request);
    if (code >= 400) throw new Error(`The virtual server answered ${code}: ${JSON.stringify(body)}`);
  }
};

const namesFrom = (first: number, count: number): string[] =>
  Array.from({ length: count }, (_, index) => `bench-${first + index}`);

const virtualPerSecond = (): number => {
  const server = createClusterServer(() => START_MS);
  handleAll(server, namesFrom(0, ROUNDS));
  const startedAt = performance.now();
  handleAll(server, namesFrom(ROUNDS, ROUNDS * 4));
  return (ROUNDS * 4 * 4) / ((performance.now() - startedAt) / 1000);
};

const METHODS = { create: 'POST', get: 'GET', patch: 'PATCH', delete: 'DELETE' } as const;

const realPerSecond = async ({ bare, adminToken: token }: Ground): Promise<number> => {
  const send = async ({ verb, name, body }: ServerRequest): Promise<void> => {
    const path = `/api/v1/namespaces/default/configmaps${name === undefined ? '' : `/${name}`}?fieldManager=bench`;
    const contentType = verb === 'patch' ? 'application/merge-patch+json' : 'application/json';
    const method = METHODS[verb as keyof typeof METHODS];
    await bare.send({ method, path, token, contentType, body: body === undefined ? '' : JSON.stringify(body) });
  };
  const names = namesFrom(0, ROUNDS);
  const seconds = await secondsOf(async () =>
    inFlight(names, async (name) => {
      for (const request of requestsFor(name)) await send(request);
    }),
  );
  return (ROUNDS * 4) / seconds;
};

/** Measures the requests per second of the virtual server and of the real one in the same run. */
const measureRequests = async (ground: Ground): Promise<Row> => {
  const virtual = virtualPerSecond();
  const real = await realPerSecond(ground);
  return {
    id: 'V3',
    measure: 'create, get, merge patch, delete of a ConfigMap on the virtual API server',
    goal: 'none',
    result: `${rounded(virtual)} requests/s; kube-apiserver ${rounded(real)}/s with 16 in flight, ratio ${rounded(virtual / real)}`,
    verdict: 'note',
    figures: { virtual, real },
  };
};

const heapBytes = (): number => {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
  return process.memoryUsage().heapUsed;
};

const pods = { group: '', version: 'v1', plural: 'pods' };

/** Measures the memory of 10,000 pods in the virtual API server, including its history of changes. */
const measureMemory = (): Row => {
  const server = createClusterServer(() => START_MS);
  const before = heapBytes();
  for (let index = 0; index < OBJECTS; index += 1) {
    const spec = { containers: [{ name: 'main', image: 'busybox' }] };
    const body = {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: `bench-${index}`, labels: { app: 'bench' } },
      spec,
    };
    server.handle({ verb: 'create', resource: pods, namespace: 'default', options, body });
  }
  const mib = (heapBytes() - before) / 2 ** 20;
  const stored = server.objects(pods).length;
  if (stored !== OBJECTS) throw new Error(`The virtual server has ${stored} pods`);
  return {
    id: 'V4',
    measure: `memory per ${OBJECTS.toLocaleString('en')} pods in the virtual API server`,
    goal: 'none',
    result: `${rounded(mib)} MiB`,
    verdict: 'note',
    figures: { mib },
  };
};

/** Measures the cost of the virtual cluster: steps, states, requests, memory. */
export const measureVirtualCluster = async (ground: Ground): Promise<readonly Row[]> => [
  await measureSteps(),
  await measureStates(),
  await measureRequests(ground),
  measureMemory(),
];
