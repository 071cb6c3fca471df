import type { Pod as KubePod } from 'kubernetes-types/core/v1.js';
import type { Condition } from '#lib/desired/result/conditions.ts';
import type { ApiObject } from '#lib/kube/interface/api.ts';

/** Formats an object as one line. */
export type Line = (object: ApiObject) => string;

/** What a pod is doing. */
export const podLine: Line = (object) => {
  const { metadata, status } = object as unknown as KubePod;
  const isReady = status?.conditions?.some(({ type, status: value }) => type === 'Ready' && value === 'True');
  if (metadata?.deletionTimestamp) return 'terminating';
  return `${status?.phase ?? 'Pending'}${isReady ? ', ready' : ''}`;
};

interface Common {
  readonly observedGeneration?: number;
  readonly conditions?: readonly Condition[];
}

/** The status of a resource as its kind writes it; nothing of it need be there. */
const statusIn = <S extends object>(object: ApiObject): Partial<S> & Common => object['status'] ?? {};

const readyIn = (object: ApiObject): string => {
  const { generation } = object.metadata as { readonly generation?: number };
  const { conditions = [], observedGeneration } = statusIn(object);
  const ready = conditions.find(({ type }) => type === 'Ready');
  const isSeen = ready !== undefined && observedGeneration === generation;
  return isSeen ? `Ready=${ready.status} ${ready.reason}` : 'not seen by the operator yet';
};

/** How many pods a PodSet has. */
export const podSetLine: Line = (object) => {
  const { replicas = 0, readyReplicas = 0 } = statusIn<{ replicas: number; readyReplicas: number }>(object);
  const wanted = (object['spec'] as { readonly replicas: number }).replicas;
  return `wanted ${wanted}, exist ${replicas}, ready ${readyReplicas} · ${readyIn(object)}`;
};

/** How often an ImmortalContainer was started, and why not just now. */
export const immortalLine: Line = (object) => {
  const { startTimes = 0, phase = 'new' } = statusIn<{ startTimes: number; phase: string }>(object);
  return `${phase}, starts ${startTimes} · ${readyIn(object)}`;
};

interface Rollout {
  readonly phase: string;
  readonly message: string;
  readonly deployments: readonly { readonly role: string; readonly replicas: number }[];
}

/** How far a rollout has come. */
export const rolloutLine: Line = (object) => {
  const { phase, message, deployments = [] } = statusIn<Rollout>(object);
  if (phase === undefined) return readyIn(object);
  const podsOf = (role: string): number =>
    deployments.filter((one) => one.role === role).reduce((sum, { replicas }) => sum + replicas, 0);
  return `${phase}, ${podsOf('Stable')} pods stable, ${podsOf('Canary')} canary · ${message}`;
};
