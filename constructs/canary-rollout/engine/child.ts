import type { Deployment as KubeDeployment } from 'kubernetes-types/apps/v1.js';
import { isTerminating } from '#lib/desired/pod-state.ts';
import type { KubeObject } from '#lib/kind/reference.ts';

/** The label by which a child Deployment and its pods tell their revision. */
export const REVISION_LABEL = 'deploy.example.com/revision';

/** The annotation in which the engine says how many replicas it gave a child: any other number is somebody else's. */
export const REPLICAS_ANNOTATION = 'deploy.example.com/replicas';

/** What the replica rule needs to know of a child Deployment. */
export interface Sized {
  readonly hash: string;
  /** `spec.replicas`. */
  readonly replicas: number;
  /** `status.replicas`: pods that there are. */
  readonly pods: number;
  /** `status.availableReplicas`. */
  readonly available: number;
  /** Gate G: our last write has been carried out, see {@link isSettled}. */
  readonly settled: boolean;
  /** All pods that it asked for have been counted, see {@link isCounted}. */
  readonly counted: boolean;
}

/** A child Deployment as it is observed. */
export interface Child extends Sized {
  readonly name: string;
  readonly ready: number;
  readonly terminating: boolean;
  /** Replicas that we gave it last; `undefined` when it does not say. */
  readonly given?: number;
  readonly object: Readonly<KubeDeployment> & KubeObject;
}

/**
 * Gate G: the controller of Deployments has seen the last change, and no pods are left that it took away.
 *
 * `observedGeneration` alone does not tell: it may be published with counts of a ReplicaSet that has not shrunk yet, and
 * whoever turns back then takes more pods away than may be missing. `<=` and not `==`, so that a Deployment which a quota
 * keeps small can still be changed.
 */
export const isSettled = ({ metadata, spec, status }: Readonly<KubeDeployment>): boolean =>
  status?.observedGeneration === metadata?.generation && (status?.replicas ?? 0) <= (spec?.replicas ?? 1);

/**
 * True when the pods that a Deployment asked for have been counted, or cannot be created. What shrinks before that may look
 * settled while a pod that was never counted still runs; when it grows again, the late count of that pod passes for a new one.
 */
export const isCounted = ({ spec, status }: Readonly<KubeDeployment>): boolean =>
  (status?.replicas ?? 0) === (spec?.replicas ?? 1) ||
  status?.conditions?.some(({ type, status: value }) => type === 'ReplicaFailure' && value === 'True') === true;

const givenTo = ({ metadata }: Readonly<KubeDeployment>): number | undefined => {
  const text = metadata?.annotations?.[REPLICAS_ANNOTATION];
  return text !== undefined && /^\d{1,9}$/.test(text) ? Number(text) : undefined;
};

/** Reads a child Deployment. */
export const childOf = (object: Readonly<KubeDeployment>): Child => {
  const { metadata, spec, status } = object;
  const given = givenTo(object);
  return {
    hash: metadata?.labels?.[REVISION_LABEL] ?? '',
    name: metadata?.name ?? '',
    replicas: spec?.replicas ?? 1,
    available: status?.availableReplicas ?? 0,
    ready: status?.readyReplicas ?? 0,
    pods: status?.replicas ?? 0,
    settled: isSettled(object),
    counted: isCounted(object),
    terminating: isTerminating(object),
    ...(given === undefined ? {} : { given }),
    object,
  };
};
