import { resources } from '#lib/apiserver/machinery/resources.ts';
import { requestFor } from '../context.ts';
import { objectKey } from '../informer.ts';
import { messageOf } from '../refusal.ts';
import type { Writes } from '../sync-controller.ts';
import type { StoredPod } from '../workload.ts';

/** Deletes a pod. @returns the message of the refusal; undefined if the pod is deleted or does not exist */
export function* deletePod(pod: StoredPod): Writes<string | undefined> {
  const response = yield {
    label: `delete pod ${objectKey(pod)}`,
    request: requestFor(resources.pods, pod, { verb: 'delete' }),
  };
  return response.code >= 300 && response.code !== 404 ? messageOf(response) : undefined;
}
