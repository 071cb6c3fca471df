import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { clearNamespace, createConvergedFleet } from './fleet.ts';
import { type Ground, whileOperatorRuns } from './ground.ts';
import { fleetNames, PODS_EACH, podSetPath } from './pod-sets.ts';
import { usageOf } from './process-usage.ts';
import { countByClass, ofLoop, type Requests, untilQuiet } from './requests.ts';
import { watchSettled } from './settled.ts';

/** The result of one restart over a converged fleet. */
export interface Restart {
  /** Time from the start of the process until the change made in the meantime is handled and reported. */
  readonly seconds: number;
  /** Time of the same lists by a bare client, one after the other, parsed. */
  readonly listSeconds: number;
  readonly requests: Requests;
  readonly idleMiB: number;
  readonly peakMiB: number;
  readonly eventLoop: { readonly p99Ms: number; readonly maxMs: number };
}

const PAGE = 500;

interface Page {
  readonly metadata: { readonly continue?: string };
}

/** Lists a collection in pages, as a client with bounded memory must. */
const listAll = async ({ bare, operatorToken: token }: Ground, path: string): Promise<void> => {
  for (let more = ''; ; ) {
    const answer = await bare.send({ method: 'GET', path: `${path}?limit=${PAGE}${more}`, token });
    const next = (JSON.parse(answer) as Page).metadata.continue;
    if (!next) return;
    more = `&continue=${encodeURIComponent(next)}`;
  }
};

const secondsOf = async (work: () => Promise<unknown>): Promise<number> => {
  const startedAt = performance.now();
  await work();
  return (performance.now() - startedAt) / 1000;
};

/** Starts the operator over a fleet of which one PodSet changed while no operator was running. */
const restartOnce = async (ground: Ground, namespace: string): Promise<Omit<Restart, 'listSeconds' | 'idleMiB'>> => {
  const [name = ''] = fleetNames(1);
  const replicas = PODS_EACH + 1;
  const file = join(ground.plane.access.folder, 'event-loop.json');
  const patch = { spec: { replicas } };
  const contentType = 'application/merge-patch+json';
  await ground.plane.request('PATCH', podSetPath(namespace, name), patch, { contentType });
  const since = new Date();
  await using settled = await watchSettled(ground, namespace, { count: 1, replicas });
  const startedAt = performance.now();
  await using operator = ground.spawnOperator({
    ...ground.preload('event-loop'),
    BENCH_EVENT_LOOP_FILE: file,
  });
  const seconds = ((await settled.reached) - startedAt) / 1000;
  await untilQuiet(ground);
  const { peakMiB } = usageOf(operator.pid);
  await operator.stop();
  const requests = countByClass(await ground.plane.auditEntries({ user: ground.user, since }));
  const eventLoop = JSON.parse(await readFile(file, 'utf8')) as Restart['eventLoop'];
  return { seconds, requests, peakMiB, eventLoop };
};

/** Measures the memory of an operator without resources. */
const idleMiB = async (ground: Ground): Promise<number> => {
  await using operator = await ground.startOperator();
  await sleep(2000);
  return usageOf(operator.pid).peakMiB;
};

/** Lets a fleet converge, restarts the operator over it, and removes everything. */
export const measureRestart = async (ground: Ground, count: number): Promise<Restart> => {
  const idle = await idleMiB(ground);
  const namespace = await whileOperatorRuns(ground, async () => {
    const fleet = await createConvergedFleet(ground, count);
    await untilQuiet(ground);
    return fleet;
  });
  const listSeconds = await secondsOf(async () => {
    await listAll(ground, '/apis/app.example.com/v1alpha1/podsets');
    await listAll(ground, '/api/v1/pods');
  });
  const restart = await restartOnce(ground, namespace);
  await clearNamespace(ground, namespace);
  return { ...restart, listSeconds, idleMiB: idle };
};

/** Counts the requests of a restart that are not lists. Expected: two writes. */
export const beyondLists = ({ requests }: Restart): number => ofLoop(requests) - requests.lists;
