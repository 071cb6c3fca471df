import type { AuditEntry } from '#test/control-plane/audit.ts';

/** The user name of the simulated kubelet. */
const KUBELET = 'kwok';

type Request = Pick<AuditEntry, 'user' | 'verb' | 'name' | 'code'>;

/**
 * The number of pods that the simulated kubelet deleted without a request of another client. On a busy machine, the kubelet
 * handles one deletion twice. Its request has only the name of the pod, so the second request deletes a new pod with this name.
 * The operator then has to create the pod once more.
 *
 * @param requests - the requests about the pods of one namespace, in their order
 */
export const lateDeletions = (requests: readonly Request[]): number => {
  const asked = new Set<string>();
  let late = 0;
  for (const { user, verb, name, code } of requests) {
    if (code === 201) asked.delete(name);
    if (verb !== 'delete' || code !== 200) continue;
    if (user !== KUBELET) asked.add(name);
    else if (!asked.delete(name)) late += 1;
  }
  return late;
};
