import type { Pod as KubePod } from 'kubernetes-types/core/v1.js';
import { deepFreeze } from '#lib/desired/canonical/freeze.ts';

/** The properties that distinguish observed pods. */
export interface PodTraits {
  readonly name: string;
  readonly uid?: string;
  readonly phase?: string;
  readonly ready?: boolean;
  readonly readySince?: string;
  readonly node?: string;
  readonly restarts?: number;
  readonly createdAt?: string;
  readonly annotations?: Record<string, string>;
  readonly labels?: Record<string, string>;
  readonly terminating?: boolean;
  /** Start of the pod's container; needs `finishedAt`. */
  readonly startedAt?: string;
  readonly finishedAt?: string;
}

const CREATED = '2026-11-21T08:00:00Z';

const terminated = ({ startedAt, finishedAt = '' }: PodTraits) => ({
  terminated: { exitCode: 1, finishedAt, ...(startedAt === undefined ? {} : { startedAt }) },
});

const endOf = (traits: PodTraits) => {
  const container = { name: 'busybox', image: 'busybox', imageID: '', ready: false, restartCount: 0 };
  return traits.finishedAt === undefined ? {} : { containerStatuses: [{ ...container, state: terminated(traits) }] };
};

const statusOf = (traits: PodTraits) => ({ ...livingStatus(traits), ...endOf(traits) });

const livingStatus = ({ phase = 'Running', ready = phase === 'Running', readySince, restarts }: PodTraits) => ({
  phase,
  conditions: [
    { type: 'Ready', status: ready ? 'True' : 'False', lastTransitionTime: readySince ?? '2026-11-21T08:00:05Z' },
  ],
  ...(restarts === undefined
    ? {}
    : {
        containerStatuses: [
          { name: 'busybox', image: 'busybox', imageID: '', ready, restartCount: 0 },
          { name: 'sidecar', image: 'busybox', imageID: '', ready, restartCount: restarts },
        ],
      }),
});

/** A pod from the cache: frozen, running and ready by default. */
export const observedPod = (traits: PodTraits): Readonly<KubePod> => {
  const { name, uid = `uid-of-${name}`, node = 'node-1', createdAt = CREATED, annotations, labels } = traits;
  return deepFreeze<KubePod>({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name,
      namespace: 'default',
      uid,
      resourceVersion: '7',
      creationTimestamp: createdAt,
      labels: labels ?? {},
      annotations: annotations ?? {},
      ...(traits.terminating ? { deletionTimestamp: '2026-11-21T09:29:00Z' } : {}),
    },
    spec: { containers: [], ...(node === '' ? {} : { nodeName: node }) },
    status: statusOf(traits),
  });
};
