import type { ServerObject } from '#lib/apiserver/machinery/object.ts';
import { resources } from '#lib/apiserver/machinery/resources.ts';
import { fieldManagers } from '../context.ts';
import { controllerReference } from '../ownership.ts';
import { isNamespaceTerminating, messageOf } from '../refusal.ts';
import type { Writes } from '../sync-controller.ts';
import type { PodTemplate } from '../workload.ts';

/**
 * The body of a new pod from a template. The owner is the controller of the pod.
 *
 * @param generateName - the beginning of the name; by default the name of the owner and a dash
 * @see k8s.io/kubernetes v1.36.4 pkg/controller/controller_utils.go (`GetPodFromTemplate`)
 */
export const podFrom = (
  owner: ServerObject,
  { metadata = {}, spec }: PodTemplate,
  generateName = `${owner.metadata.name}-`,
): object => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: {
    generateName,
    ...(metadata.labels && { labels: metadata.labels }),
    ...(metadata.annotations && { annotations: metadata.annotations }),
    ...(metadata.finalizers && { finalizers: metadata.finalizers }),
    ownerReferences: [controllerReference(owner)],
  },
  spec,
});

/** The result of the creation of pods. */
export interface Creation {
  readonly created: number;
  /** The message of the first refused creation; absent if none was refused, or if the namespace is terminating. */
  readonly failure?: string;
  /** Whether the API server refused a pod because the namespace is terminating. */
  readonly isNamespaceEnding: boolean;
}

/**
 * Creates pods in batches of 1, 2, 4, …. Stops after a batch with a refused creation, and immediately when the namespace is
 * terminating.
 */
export function* createPods(owner: ServerObject, pods: readonly object[]): Writes<Creation> {
  const namespace = owner.metadata.namespace ?? '';
  let [created, sent] = [0, 0];
  for (let batch = 1; sent < pods.length; batch *= 2) {
    let failure: string | undefined;
    const end = Math.min(sent + batch, pods.length);
    for (; sent < end; sent += 1) {
      const response = yield {
        label: `create pod for ${namespace}/${owner.metadata.name}`,
        request: {
          verb: 'create',
          resource: resources.pods,
          namespace,
          options: { fieldManager: fieldManagers.controllers },
          body: pods[sent],
        },
      };
      if (isNamespaceTerminating(response)) return { created, isNamespaceEnding: true };
      if (response.code >= 300) failure ??= messageOf(response);
      else created += 1;
    }
    if (failure !== undefined) return { created, failure, isNamespaceEnding: false };
  }
  return { created, isNamespaceEnding: false };
}
