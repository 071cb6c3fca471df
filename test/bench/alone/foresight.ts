import { podSet } from '#constructs/pod-set/kind.ts';
import { check } from '#lib/foresight/check/check.ts';
import type { LiveObject } from '#lib/foresight/cluster/live-object.ts';
import { readLive } from '#lib/foresight/cluster/read-live.ts';
import { planChange } from '#lib/foresight/plan/plan-change.ts';
import { compileCrd } from '#lib/kind/crd.ts';
import { ControllerRevision, type KindRef, Pod } from '#lib/kind/handles/reference.ts';
import { apiVersionOf, refOf } from '#lib/kind/names.ts';
import { createKubeClient, type KubeClient } from '#lib/kube/client/client.ts';
import { loadCredentials } from '#lib/kube/credentials/credentials.ts';
import type { ApiObject } from '#lib/kube/interface/api.ts';
import { systemTimers } from '#lib/kube/interface/timers.ts';
import { startManager } from '#lib/loop/manager/manager.ts';
import { createLogger } from '#lib/telemetry/log.ts';
import { startEmbeddedCluster } from '#lib/testing.ts';
import { waitFor } from '#test/control-plane/poll.ts';
import { inFlight } from '../floor/bare-client.ts';
import { atLeast, type Row, rounded } from '../report/measure.ts';

const SETS = 100;
const REPLICAS = 9;
const RUNS = 7;
const STATES = 2000;

/** States per second. */
const CHECK_GOAL = 1500;

const PodSets = refOf(podSet);

const setOf = (name: string, replicas: number): LiveObject => ({
  apiVersion: apiVersionOf(podSet),
  kind: podSet.kind,
  metadata: { name, namespace: 'default' },
  spec: { replicas },
});

const definitions: KindRef = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  plural: 'customresourcedefinitions',
  scope: 'Cluster',
};

const fieldManager = 'bench';

/**
 * Creates the PodSets of the measurement with their pods, all ready. Resolves after the end of the operator that made the pods.
 */
const fill = async (api: KubeClient): Promise<void> => {
  await api.create(definitions, compileCrd(podSet), { fieldManager });
  const log = createLogger('silent');
  const manager = startManager({ kinds: [podSet], api, timers: systemTimers, random: Math.random, log });
  const names = Array.from({ length: SETS }, (_, index) => `set-${index}`);
  await inFlight(names, async (name) => {
    const object = setOf(name, REPLICAS) as unknown as ApiObject;
    await api.create(PodSets, object, { namespace: 'default', fieldManager });
  });
  await waitFor(`${SETS} PodSets to be ready`, async () => {
    const { items } = await api.list(PodSets, { namespace: 'default' });
    return items.every(({ status }) => (status as { readyReplicas?: number } | undefined)?.readyReplicas === REPLICAS);
  });
  await manager.stop();
};

const median = async (work: () => Promise<unknown>): Promise<number> => {
  const times: number[] = [];
  for (let run = 0; run < RUNS; run += 1) {
    const startedAt = performance.now();
    await work();
    times.push(performance.now() - startedAt);
  }
  return times.slice(2).toSorted((a, b) => a - b)[Math.floor((RUNS - 2) / 2)] ?? 0;
};

const rawList = async (api: KubeClient): Promise<number> => {
  const lists = [PodSets, Pod, ControllerRevision].map((kind) => api.list(kind, { namespace: 'default' }));
  return (await Promise.all(lists)).reduce((sum, { items }) => sum + items.length, 0);
};

/** Measures the duration of a plan and of a list of its inputs, both from the embedded cluster in this process. */
const measurePlan = async (): Promise<Row> => {
  await using cluster = await startEmbeddedCluster();
  const api = createKubeClient(await loadCredentials({ env: { KUBECONFIG: cluster.kubeconfig } }));
  try {
    await fill(api);
    let objects = 0;
    const listMs = await median(async () => {
      objects = await rawList(api);
    });
    let writes = 0;
    const planMs = await median(async () => {
      const kinds = [podSet];
      const live = await readLive(api, { kinds, namespaces: ['default'] });
      const change = { verb: 'apply' as const, object: setOf('set-0', REPLICAS + 1) };
      const plan = await planChange({ kinds, live: live.objects, changes: [change], now: Date.now() });
      writes = plan.writes.length;
    });
    const ratio = planMs / listMs;
    return {
      id: 'F1',
      measure: `plan of one change among ${objects} live objects ÷ a raw list of them`,
      goal: 'none',
      result: `${rounded(ratio)} (${rounded(planMs)} ms ÷ ${rounded(listMs)} ms, ${writes} writes)`,
      verdict: 'note',
      figures: { ratio, planMs, listMs, objects, writes },
      headline: ratio,
    };
  } finally {
    await api.close();
  }
};

/** Measures how many states near the start `check` searches per second, the undisturbed run included. */
const measureCheck = async (): Promise<Row> => {
  const options = { kinds: [podSet], manifests: [{ ...setOf('web', 2) }], schedules: 0 };
  await check({ ...options, states: STATES / 10 });
  const startedAt = performance.now();
  const { states } = await check({ ...options, states: STATES });
  const perSecond = (states * 1000) / (performance.now() - startedAt);
  return {
    id: 'F2',
    measure: 'states per second that check searches, a PodSet of 2 with a crash',
    goal: `≥ ${CHECK_GOAL.toLocaleString('en')}`,
    result: `${rounded(perSecond)} states/s (${states} states)`,
    ...atLeast(perSecond, CHECK_GOAL),
    figures: { perSecond, states },
    headline: perSecond,
  };
};

/** Measures the cost of `plan` and `check`. */
export const measureForesight = async (): Promise<readonly Row[]> => [await measurePlan(), await measureCheck()];
