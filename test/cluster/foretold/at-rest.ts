import type { LiveObject } from '#lib/foresight/cluster/live-object.ts';

interface Observed {
  readonly observedGeneration?: number;
  readonly replicas?: number;
  readonly readyReplicas?: number;
  readonly conditions?: readonly { readonly type: string; readonly status: string }[];
}

/** Whether the controller has observed the spec of an object, and all objects that the spec asks for exist and are ready. */
export const isAtRest = (object: LiveObject): boolean => {
  const { kind, metadata } = object;
  const { replicas: wanted } = (object['spec'] ?? {}) as { readonly replicas?: number };
  const { observedGeneration, replicas = 0, readyReplicas = 0, conditions } = (object['status'] ?? {}) as Observed;
  if (metadata['deletionTimestamp'] !== undefined) return false;
  if (kind === 'Pod') return conditions?.some(({ type, status }) => type === 'Ready' && status === 'True') === true;
  if (kind !== 'Deployment' && kind !== 'ReplicaSet') return true;
  return observedGeneration === metadata['generation'] && replicas === wanted && readyReplicas === wanted;
};
