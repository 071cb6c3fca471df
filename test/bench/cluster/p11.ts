import { setTimeout as sleep } from 'node:timers/promises';
import type { AuditEntry } from '#test/control-plane/audit.ts';
import { waitFor } from '#test/control-plane/poll.ts';
import { type Ground, whileOperatorRuns } from '../ground/ground.ts';
import { driveFleet, fleetNames, PODS_EACH } from '../ground/pod-sets.ts';
import { atMost, type PlaneMeasure, percentile, type Row, rounded } from '../report/measure.ts';

/** Number of changing PodSets, changes of each, and interval in milliseconds. */
const CHANGING = 50;
const CHANGES = 12;
const APART_MS = 500;

/** The pods become ready one after the other, then unready: no two consecutive changes restore the previous status. */
const CYCLE = [
  { pod: 0, isReady: true },
  { pod: 1, isReady: true },
  { pod: 2, isReady: true },
  { pod: 2, isReady: false },
  { pod: 1, isReady: false },
  { pod: 0, isReady: false },
] as const;

const GOAL_LAST_MS = 1000;
const GOAL_DURING_MS = 2000;
const SETTLE_MS = 3000;

interface PodList {
  readonly items: readonly {
    readonly metadata: { readonly name: string; readonly labels?: Readonly<Record<string, string>> };
  }[];
}

const podsOf = async ({ bare, adminToken: token }: Ground, namespace: string): Promise<PodList['items']> => {
  const path = `/api/v1/namespaces/${namespace}/pods`;
  return (JSON.parse(await bare.send({ method: 'GET', path, token })) as PodList).items;
};

/**
 * Makes one pod of a PodSet ready or unready, which changes the number of ready pods in its status.
 *
 * @returns when it was sent, in epoch milliseconds: the status may be written before the answer arrives here
 */
const changeReadiness = async (
  { bare, adminToken: token }: Ground,
  path: string,
  isReady: boolean,
): Promise<number> => {
  const condition = { type: 'Ready', status: isReady ? 'True' : 'False', lastTransitionTime: new Date().toISOString() };
  const body = JSON.stringify({ status: { phase: 'Running', conditions: [condition] } });
  const sentAt = Date.now();
  await bare.send({ method: 'PATCH', path, body, token, contentType: 'application/merge-patch+json' });
  return sentAt;
};

const changeAll = async (ground: Ground, namespace: string, pods: ReadonlyMap<string, readonly string[]>) => {
  const moments = new Map<string, number[]>([...pods.keys()].map((name) => [name, []]));
  const began = performance.now();
  for (let change = 0; change < CHANGES; change += 1) {
    const { pod, isReady } = CYCLE[change % CYCLE.length] ?? CYCLE[0];
    await Promise.all(
      [...pods].map(async ([name, names]) => {
        const path = `/api/v1/namespaces/${namespace}/pods/${names[pod]}/status`;
        moments.get(name)?.push(await changeReadiness(ground, path, isReady));
      }),
    );
    await sleep(Math.max(0, began + (change + 1) * APART_MS - performance.now()));
  }
  await sleep(SETTLE_MS);
  return moments;
};

/**
 * For each change the time until the next write of the status, and for the last change until the last write; `Infinity`
 * without a write.
 */
const agesOf = (changes: readonly number[], writes: readonly number[]): readonly number[] =>
  changes.map((at, index) => {
    const later = writes.filter((write) => write >= at);
    return (later.at(index === changes.length - 1 ? -1 : 0) ?? Infinity) - at;
  });

const writesOf = (entries: readonly AuditEntry[], name: string): readonly number[] =>
  entries
    .filter((entry) => entry.subresource === 'status' && entry.resource === 'podsets' && entry.name === name)
    .map(({ requestReceivedTimestamp }) => Date.parse(requestReceivedTimestamp))
    .toSorted((a, b) => a - b);

const take: PlaneMeasure = async ({ ground, options, progress }) => {
  const namespace = await ground.plane.createNamespace('p11');
  const count = Math.max(CHANGING, options.podSets);
  progress(`P11: ${count} PodSets`);
  await driveFleet(ground, namespace, count);
  await waitFor('all pods to exist', async () => (await podsOf(ground, namespace)).length === count * PODS_EACH);
  await sleep(SETTLE_MS);
  const changing = new Set(fleetNames(CHANGING));
  const owned = (await podsOf(ground, namespace)).map(
    ({ metadata }) => [metadata.labels?.['app.example.com/podset'] ?? '', metadata.name] as const,
  );
  const byOwner = Map.groupBy(
    owned.filter(([owner]) => changing.has(owner)),
    ([owner]) => owner,
  );
  const pods = new Map([...byOwner].map(([owner, same]) => [owner, same.map(([, name]) => name)]));
  progress(`P11: ${pods.size} of them change ${CHANGES} times`);
  const began = performance.now();
  const moments = await changeAll(ground, namespace, pods);
  const tookMs = performance.now() - began - SETTLE_MS;
  const entries = await ground.plane.auditEntries({ user: ground.user, namespace });
  const ages = [...moments].map(([name, changes]) => agesOf(changes, writesOf(entries, name)));
  const last = percentile(
    ages.map((each) => each.at(-1) ?? Infinity),
    0.99,
  );
  const during = percentile(
    ages.flatMap((each) => each.slice(0, -1)),
    0.99,
  );
  const rowOf = (what: string, ms: number, goal: number): Row => ({
    id: 'P11',
    measure: `age of the status ${what}, ${CHANGING} of ${count} PodSets changed ${CHANGES} times every ${APART_MS} ms, p99`,
    goal: `≤ ${goal / 1000} s`,
    result: `${rounded(ms / 1000)} s (the changes took ${rounded(tookMs / 1000)} s)`,
    ...atMost(ms, goal),
    figures: { ms, count, tookMs },
    headline: ms,
  });
  return [rowOf('after the last change', last, GOAL_LAST_MS), rowOf('while changes go on', during, GOAL_DURING_MS)];
};

/** Measures the age of statuses while pods change faster than statuses are written. */
export const measureP11: PlaneMeasure = async (input) => whileOperatorRuns(input.ground, () => take(input));
