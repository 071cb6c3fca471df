import type { Pod as KubePod } from 'kubernetes-types/core/v1.js';
import { inFlight } from '#test/bench/floor/bare-client.ts';
import type { ControlPlaneClient } from '#test/control-plane/client.ts';

/** What a kubelet reports about a pod. */
export type ReportedPhase = 'Running' | 'Failed';

const merge = { contentType: 'application/merge-patch+json' } as const;

const statusOf = ({ spec }: KubePod, phase: ReportedPhase): object => {
  const now = new Date().toISOString();
  const isReady = phase === 'Running';
  const state = isReady
    ? { running: { startedAt: now } }
    : { terminated: { exitCode: 1, reason: 'Error', startedAt: now, finishedAt: now } };
  return {
    phase,
    startTime: now,
    conditions: ['PodScheduled', 'Initialized', 'ContainersReady', 'Ready'].map((type) => ({
      type,
      status: isReady || !type.endsWith('Ready') ? 'True' : 'False',
      lastTransitionTime: now,
    })),
    containerStatuses: (spec?.containers ?? []).map(({ name, image }) => ({
      name,
      image,
      imageID: '',
      ready: isReady,
      restartCount: 0,
      state,
    })),
  };
};

/** The pods of a namespace that are not being deleted. @throws {Error} when the API server does not list them */
export const livingPods = async ({ request }: ControlPlaneClient, namespace: string): Promise<readonly KubePod[]> => {
  const { status, body } = await request<{ items: KubePod[] }>('GET', `/api/v1/namespaces/${namespace}/pods`);
  if (status !== 200) throw new Error(`Cannot list pods: ${status}`);
  return body.items.filter(({ metadata }) => metadata?.deletionTimestamp === undefined);
};

/** Whether no kubelet has reported about a pod. */
export const isUnreported = ({ status }: KubePod): boolean => status?.phase === 'Pending';

/** Reports the status of a pod, as a kubelet does. The pod may be gone. */
export const reportPod = async ({ request }: ControlPlaneClient, pod: KubePod, phase: ReportedPhase): Promise<void> => {
  const path = `/api/v1/namespaces/${pod.metadata?.namespace}/pods/${pod.metadata?.name}/status`;
  await request('PATCH', path, { metadata: { uid: pod.metadata?.uid }, status: statusOf(pod, phase) }, merge);
};

/** Reports all new pods of a namespace as ready. @returns their number */
export const startPods = async (plane: ControlPlaneClient, namespace: string): Promise<number> => {
  const unreported = (await livingPods(plane, namespace)).filter(isUnreported);
  await inFlight(unreported, (pod) => reportPod(plane, pod, 'Running'));
  return unreported.length;
};
