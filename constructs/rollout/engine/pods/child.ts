import type { Deployment as KubeDeployment } from 'kubernetes-types/apps/v1.js';
import { wasRestored } from '#lib/desired/marks/marks.ts';
import type { Refusal } from '#lib/desired/observation.ts';
import type { KubeObject } from '#lib/kind/handles/reference.ts';
import { isTerminating } from '#lib/workload/pod-state.ts';

/** The label with the hash of the revision, on a child Deployment and on its pods. */
export const DEPLOYMENT_REVISION_LABEL = 'deploy.example.com/revision';

/**
 * The annotation with the number of replicas that the engine set. If `spec.replicas` differs, another client or an admission
 * policy has changed it.
 */
export const REPLICAS_ANNOTATION = 'deploy.example.com/replicas';

/** The values of a child Deployment that its new size depends on. */
export interface Sized {
  readonly hash: string;
  /** `spec.replicas`, but at most the engine's number if an admission policy makes the Deployment larger. */
  readonly replicas: number;
  /** `status.replicas`, with the same maximum. */
  readonly pods: number;
  /** `status.availableReplicas`, with the same maximum. */
  readonly available: number;
  /** The result of {@link isSettled}. */
  readonly settled: boolean;
  /** The result of {@link isCounted}. */
  readonly counted: boolean;
}

/** An observed child Deployment. */
export interface RolloutChild extends Sized {
  readonly name: string;
  readonly ready: number;
  readonly terminating: boolean;
  /** Whether a backup restored the child without its owner reference, and the operator has not written to the child since. */
  readonly restored: boolean;
  /** The replicas of the engine's last write; absent if the child has no valid annotation. */
  readonly given?: number;
  readonly object: Readonly<KubeDeployment> & KubeObject;
}

/**
 * Whether a Deployment is settled: the Deployment controller has observed the last change, and the status counts no more pods
 * than `spec.replicas`.
 *
 * `observedGeneration` alone is not enough, because the controller can publish the observed generation with an old number of
 * pods. For example, a Deployment is scaled from three pods to one, while its status still counts three available pods. If the
 * engine then requested three pods again, it would count two terminating pods as available. The engine would therefore remove too
 * many pods of the other version.
 *
 * The comparison is `<=` because a quota can keep the count below `spec.replicas`. The size of such a Deployment must remain
 * changeable.
 */
export const isSettled = ({ metadata, spec, status }: Readonly<KubeDeployment>): boolean =>
  status?.observedGeneration === metadata?.generation && (status?.replicas ?? 0) <= (spec?.replicas ?? 1);

/**
 * Whether the status of a Deployment counts all requested pods, or reports that pods cannot be created. The engine makes a
 * Deployment smaller only if this function returns true.
 *
 * For example, three pods exist, and the status counts two. If the engine requests two now, the Deployment seems to be settled
 * while the third pod still runs. Suppose that the engine then requests three again, and the status counts the third pod only at
 * this time. The engine would count the third pod as a new one, although it is about to be deleted.
 */
export const isCounted = ({ spec, status }: Readonly<KubeDeployment>): boolean =>
  (status?.replicas ?? 0) === (spec?.replicas ?? 1) ||
  status?.conditions?.some(({ type, status: value }) => type === 'ReplicaFailure' && value === 'True') === true;

const givenTo = ({ metadata }: Readonly<KubeDeployment>): number | undefined => {
  const text = metadata?.annotations?.[REPLICAS_ANNOTATION];
  return text !== undefined && /^\d{1,9}$/.test(text) ? Number(text) : undefined;
};

/**
 * The size that the engine set, for a child that an admission policy makes larger; otherwise `undefined`. The rollout ignores the
 * additional pods. A child that should have no pods may be deleted in place of a change to zero, which is not possible.
 */
const sizeInSpiteOf = (object: Readonly<KubeDeployment>, refused: readonly Refusal[]): number | undefined => {
  const given = givenTo(object);
  const isOverridden = refused.some(
    ({ kind, name, reason }) => reason === 'FieldConflict' && kind === 'Deployment' && name === object.metadata?.name,
  );
  return isOverridden && given !== undefined && given < (object.spec?.replicas ?? 1) ? given : undefined;
};

/** Reads the observed state of a child Deployment. `refused` shows whether an admission policy overrides its size. */
export const childOf = (object: Readonly<KubeDeployment>, refused: readonly Refusal[] = []): RolloutChild => {
  const { metadata, spec, status } = object;
  const given = givenTo(object);
  const size = sizeInSpiteOf(object, refused);
  const most = size ?? Infinity;
  return {
    hash: metadata?.labels?.[DEPLOYMENT_REVISION_LABEL] ?? '',
    name: metadata?.name ?? '',
    replicas: size ?? spec?.replicas ?? 1,
    available: Math.min(most, status?.availableReplicas ?? 0),
    ready: status?.readyReplicas ?? 0,
    pods: Math.min(most, status?.replicas ?? 0),
    settled: isSettled(object),
    counted: isCounted(object),
    terminating: isTerminating(object),
    restored: wasRestored(object),
    ...(given === undefined ? {} : { given }),
    object,
  };
};
