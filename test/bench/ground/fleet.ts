import { ControlPlaneError } from '#test/control-plane/error.ts';
import { OPERATOR } from '#test/control-plane/install.ts';
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

/**
 * Deletes objects of a list. The API server ends a deletion after a minute, and some thousand objects take longer. It then gives
 * an incomplete answer or none.
 */
const deleteSome = async ({ plane }: Ground, path: string): Promise<void> => {
  try {
    await plane.request('DELETE', path);
  } catch (error) {
    if (!(error instanceof ControlPlaneError && error.code === 'REQUEST_FAILED')) throw error;
  }
};

/** Deletes all PodSets of a namespace and their children, and waits until none is left. No operator may run. */
export const clearNamespace = async (ground: Ground, namespace: string): Promise<void> => {
  // Children first: the garbage collector then has nothing to do, and is idle when the next run begins.
  for (const path of [
    `/api/v1/namespaces/${namespace}/pods`,
    `/apis/apps/v1/namespaces/${namespace}/controllerrevisions`,
    podSetPath(namespace),
  ]) {
    // If the API server is down, the list fails.
    while (!(await isEmpty(ground, path))) await deleteSome(ground, path);
  }
};

interface NamespacedList {
  readonly items: readonly { readonly metadata: { readonly namespace: string } }[];
}

/**
 * Deletes the PodSets and pods that a measurement left behind, in all namespaces except that of the operator. Otherwise the next
 * operator would start over these objects, and its time and memory would include them. No operator may run.
 */
export const clearAll = async (ground: Ground): Promise<void> => {
  const namespaces = new Set<string>();
  for (const path of ['/apis/app.example.com/v1alpha1/podsets', '/api/v1/pods']) {
    const { body } = await ground.plane.request<NamespacedList>('GET', path);
    for (const { metadata } of body.items) namespaces.add(metadata.namespace);
  }
  // The Deployment of the bundle makes its pods again.
  namespaces.delete(OPERATOR);
  for (const namespace of namespaces) await clearNamespace(ground, namespace);
};
