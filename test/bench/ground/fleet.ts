import type { Ground } from './ground.ts';
import { driveFleet, PODS_EACH, podSetPath } from './pod-sets.ts';
import { watchSettled } from './settled.ts';

/** A new namespace with a fleet that a running operator has converged. @returns its name */
export const createConvergedFleet = async (ground: Ground, count: number): Promise<string> => {
  const namespace = await ground.plane.createNamespace('fleet');
  await using settled = await watchSettled(ground, namespace, { count, replicas: PODS_EACH });
  await driveFleet(ground, namespace, count);
  await settled.reached;
  return namespace;
};

const isEmpty = async ({ plane }: Ground, path: string): Promise<boolean> => {
  const { body } = await plane.request<{ items: unknown[] }>('GET', `${path}?limit=1`);
  return body.items.length === 0;
};

/** Deletes all PodSets and pods of a namespace and waits until none is left. No operator may run. */
export const clearNamespace = async (ground: Ground, namespace: string): Promise<void> => {
  // Pods first: the garbage collector then has nothing to do, and is idle when the next run begins.
  for (const path of [`/api/v1/namespaces/${namespace}/pods`, podSetPath(namespace)]) {
    // More than once: the API server stops after a minute, and some thousand objects take longer.
    while (!(await isEmpty(ground, path))) await ground.plane.request('DELETE', path);
  }
};
