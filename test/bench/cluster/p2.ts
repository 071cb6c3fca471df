import { setTimeout as sleep } from 'node:timers/promises';
import { waitFor } from '#test/control-plane/poll.ts';
import { behindOf, startFaultProxy } from '#test/fault-proxy/proxy.ts';
import { createBareClient } from '../floor/bare-client.ts';
import { podEnvironment } from '../ground/as-in-pod.ts';
import { clearNamespace } from '../ground/fleet.ts';
import type { Ground } from '../ground/ground.ts';
import { createPodSet, podSetPath } from '../ground/pod-sets.ts';
import { atMost, type PlaneMeasure, percentile, rounded } from '../report/measure.ts';

const GOALS = [
  { name: 'p50', share: 0.5, goalMs: 1 },
  { name: 'p99', share: 0.99, goalMs: 6 },
] as const;

/** The interval separates a deletion, its replacement and the following status from the next deletion. */
const BETWEEN_MS = 25;

/** Number of first deletions that are not counted: they run code that is not compiled yet. */
const WARM_UP = 40;

interface Reaction {
  readonly reactionMs: number;
  readonly bareMs: number;
}

interface PodSetBody {
  readonly status?: { readonly podNames?: readonly string[] };
}

/** Records times on the wire between the operator and the API server, with a proxy that only forwards. */
const watchTheWire = async (ground: Ground) => {
  const deletedAt = new Map<string, number>();
  const waiting: { namespace: string; done: (at: number) => void }[] = [];
  const proxy = await startFaultProxy(behindOf(ground.plane), {
    onEvent: ({ resource }, line) => {
      if (resource !== 'pods' || !line.startsWith('{"type":"DELETED"')) return;
      const { object } = JSON.parse(line) as { object: { metadata: { name: string } } };
      deletedAt.set(object.metadata.name, performance.now());
    },
    onAnswer: ({ verb, resource, namespace }, status) => {
      if (verb !== 'create' || resource !== 'pods' || status !== 201) return;
      const index = waiting.findIndex((one) => one.namespace === namespace);
      if (index >= 0) waiting.splice(index, 1)[0]?.done(performance.now());
    },
  });
  const nextCreate = async (namespace: string): Promise<number> => {
    const { promise, resolve } = Promise.withResolvers<number>();
    waiting.push({ namespace, done: resolve });
    return promise;
  };
  return { proxy, deletedAt, nextCreate };
};

const reactions = async (ground: Ground, count: number, tell: (text: string) => void): Promise<Reaction[]> => {
  const { plane, operatorToken: token, adminToken } = ground;
  const { proxy: wire, deletedAt, nextCreate } = await watchTheWire(ground);
  await using proxy = wire;
  await using bare = await createBareClient({ ...plane, url: proxy.url });
  await using operator = await ground.startOperator(await podEnvironment(plane, proxy.url));
  const [namespace, other] = [await plane.createNamespace('reaction'), await plane.createNamespace('bare')];
  await createPodSet(ground, namespace, { name: 'set', replicas: 3 });
  const podNames = async (): Promise<readonly string[]> =>
    (await plane.request<PodSetBody>('GET', podSetPath(namespace, 'set'))).body.status?.podNames ?? [];
  await waitFor('the PodSet to converge', async () => (await podNames()).length === 3);
  const body = JSON.stringify({
    ...(await plane.request<object>('GET', `/api/v1/namespaces/${namespace}/pods/${(await podNames())[0]}`)).body,
    metadata: { generateName: 'bare-' },
    status: undefined,
  });
  const all: Reaction[] = [];
  for (let index = 0; index < WARM_UP + count; index += 1) {
    if (index % 50 === 0) tell(`P2: deletion ${index} of ${WARM_UP + count}`);
    const [victim = ''] = await podNames();
    const answered = nextCreate(namespace);
    const path = `/api/v1/namespaces/${namespace}/pods/${victim}`;
    await ground.bare.send({ method: 'DELETE', path, body: '', token: adminToken });
    const answeredAt = await answered;
    const reactionMs = answeredAt - (deletedAt.get(victim) ?? Number.NaN);
    // The status follows, and contains the name of the next victim.
    await waitFor('the status', async () => !(await podNames()).includes(victim));
    await sleep(BETWEEN_MS);
    const sentAt = performance.now();
    const bareAnswered = nextCreate(other);
    await bare.send({ method: 'POST', path: `/api/v1/namespaces/${other}/pods`, body, token });
    all.push({ reactionMs, bareMs: (await bareAnswered) - sentAt });
    await sleep(BETWEEN_MS);
  }
  await operator.stop();
  for (const each of [namespace, other]) await clearNamespace(ground, each);
  return all.slice(WARM_UP);
};

/**
 * Measures the time from the event of a deletion to the replacement, without the time that the create takes in any
 * case.
 */
export const measureP2: PlaneMeasure = async ({ ground, options: { deletions }, progress }) => {
  const all = await reactions(ground, deletions, progress);
  const [reacted, bare] = [all.map(({ reactionMs }) => reactionMs), all.map(({ bareMs }) => bareMs)];
  return GOALS.map(({ name, share, goalMs }) => {
    const [own, floor] = [percentile(reacted, share), percentile(bare, share)];
    return {
      id: 'P2',
      measure: `${deletions} deletions: event → replacement answered, less a bare POST, ${name}`,
      goal: `≤ ${goalMs} ms`,
      result: `${rounded(own - floor)} ms (${rounded(own)} − ${rounded(floor)})`,
      ...atMost(own - floor, goalMs),
      figures: { reacted: own, bare: floor, deletions },
      headline: own - floor,
    };
  });
};
