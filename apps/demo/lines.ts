import type { RequestRecord } from '#lib/apiserver/http/http-api.ts';
import { listAt, numberAt, textAt } from '#lib/cli/objects/json.ts';
import { isSeen } from '#lib/cli/objects/live-objects.ts';
import { seenConditionOf } from '#lib/cli/objects/readiness.ts';
import type { ApiObject } from '#lib/kube/interface/api.ts';

type LineOf = (object: ApiObject) => string;

const countAt = (object: ApiObject, field: string): number => numberAt(object, 'status', field) ?? 0;

const readyIn = (object: ApiObject): string => {
  const ready = seenConditionOf(object, 'Ready');
  return ready && isSeen(object) ? `Ready=${ready.status} ${ready.reason}` : 'not seen by the operator yet';
};

const podLine: LineOf = (pod) => {
  if (pod.metadata.deletionTimestamp !== undefined) return 'terminating';
  const isReady = seenConditionOf(pod, 'Ready')?.status === 'True';
  return `${textAt(pod, 'status', 'phase') ?? 'Pending'}${isReady ? ', ready' : ''}`;
};

const podSetLine: LineOf = (set) =>
  `wanted ${numberAt(set, 'spec', 'replicas')}, exist ${countAt(set, 'replicas')}, ready ${countAt(set, 'readyReplicas')} · ${readyIn(set)}`;

const immortalLine: LineOf = (box) =>
  `${textAt(box, 'status', 'phase') ?? 'new'}, starts ${countAt(box, 'startTimes')} · ${readyIn(box)}`;

const rolloutLine: LineOf = (rollout) => {
  const phase = textAt(rollout, 'status', 'phase');
  if (phase === undefined) return readyIn(rollout);
  const podsOf = (role: string): number =>
    listAt(rollout, 'status', 'deployments')
      .filter((one) => one['role'] === role)
      .reduce((sum, one) => sum + (numberAt(one, 'replicas') ?? 0), 0);
  return `${phase}, ${podsOf('Stable')} pods stable, ${podsOf('Canary')} canary · ${textAt(rollout, 'status', 'message')}`;
};

const lines: Readonly<Record<string, LineOf>> = {
  Pod: podLine,
  PodSet: podSetLine,
  ImmortalContainer: immortalLine,
  CanaryRollout: rolloutLine,
};

/** Formats the state of an object as one line; an empty string for kinds that the demo does not use. */
export const lineOf = (object: ApiObject): string => lines[object.kind]?.(object) ?? '';

const mostFirst = <Item>(counts: ReadonlyMap<string, readonly Item[]>) =>
  [...counts].toSorted(([a, some], [b, others]) => others.length - some.length || (a < b ? -1 : 1));

/**
 * Counts requests. The first line has the number of all and of forbidden requests. A line for each verb follows, the most
 * frequent verb first, such as `9 × patch: 8 podsets/status, events`.
 */
export const requestLines = (sent: readonly Pick<RequestRecord, 'verb' | 'resource' | 'code'>[]): readonly string[] => [
  `${sent.length} requests, ${sent.filter(({ code }) => code === 403).length} of them forbidden:`,
  ...mostFirst(Map.groupBy(sent, ({ verb }) => verb)).map(([verb, requests]) => {
    const resources = mostFirst(Map.groupBy(requests, ({ resource }) => resource.replace(/\.[^/]*/, '')));
    const counted = resources.map(([name, { length }]) => (length === 1 ? name : `${length} ${name}`));
    return `${requests.length} × ${verb}: ${counted.join(', ')}`;
  }),
];
