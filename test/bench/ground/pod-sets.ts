import { inFlight } from '../floor/bare-client.ts';
import type { Ground } from './ground.ts';

const API = '/apis/app.example.com/v1alpha1';

/** Pods of each PodSet in a fleet. */
export const PODS_EACH = 3;

/** The path of the PodSets of a namespace, or of one of them. */
export const podSetPath = (namespace: string, name?: string): string =>
  `${API}/namespaces/${namespace}/podsets${name === undefined ? '' : `/${name}`}`;

/** Distinct names of the same length. */
export const fleetNames = (count: number): string[] =>
  Array.from({ length: count }, (_, index) => `set-${String(index).padStart(5, '0')}`);

/** A PodSet as a user would write it. */
const podSetBody = (name: string, replicas: number): string =>
  JSON.stringify({ apiVersion: 'app.example.com/v1alpha1', kind: 'PodSet', metadata: { name }, spec: { replicas } });

/** Creates one PodSet. @returns the answer, not parsed */
export const createPodSet = async (
  { bare, adminToken: token }: Ground,
  namespace: string,
  pod: { readonly name: string; readonly replicas: number },
): Promise<string> => {
  const path = `${podSetPath(namespace)}?fieldManager=driver&fieldValidation=Strict`;
  return bare.send({ method: 'POST', path, body: podSetBody(pod.name, pod.replicas), token });
};

/**
 * The driver: creates a fleet with a bounded number of requests in flight.
 *
 * @returns `performance.now()` of the sending of each create, by name
 */
export const driveFleet = async (
  ground: Ground,
  namespace: string,
  count: number,
): Promise<ReadonlyMap<string, number>> => {
  const sentAt = new Map<string, number>();
  await inFlight(fleetNames(count), (name) => {
    sentAt.set(name, performance.now());
    return createPodSet(ground, namespace, { name, replicas: PODS_EACH });
  });
  return sentAt;
};
