import { invalidValue } from '#lib/apiserver/machinery/field-error.ts';
import { numberIn } from '#lib/apiserver/machinery/members.ts';
import type { ScaleSubresource } from '#lib/apiserver/machinery/served-kind.ts';
import { checkNonNegative, type FieldErrors } from '#lib/apiserver/machinery/validation/field.ts';
import type { JsonObject } from '#lib/json.ts';

/** The names of the counts that {@link checkReplicaCounts} checks. */
export interface CountNames {
  readonly counts: readonly string[];
  /** The names of counts that must not exceed `replicas`. */
  readonly bounded: readonly string[];
  /** The name of the count of ready pods in messages. @default readyReplicas */
  readonly ready?: string;
}

/** The scale paths of a Deployment, a ReplicaSet or a StatefulSet. */
export const replicaScale: ScaleSubresource = {
  specReplicasPath: '.spec.replicas',
  statusReplicasPath: '.status.replicas',
  labelSelectorPath: '.spec.selector',
};

/** Checks the counts in the status of a workload. */
export const checkReplicaCounts = (
  status: JsonObject,
  { counts, bounded, ready = 'readyReplicas' }: CountNames,
): FieldErrors => {
  const replicas = numberIn(status, 'replicas');
  const available = numberIn(status, 'availableReplicas');
  return [
    ...counts.flatMap((name) => checkNonNegative(`status.${name}`, status[name])),
    ...bounded
      .filter((name) => numberIn(status, name) > replicas)
      .map((name) => invalidValue(`status.${name}`, numberIn(status, name), 'cannot be greater than status.replicas')),
    ...(available > numberIn(status, 'readyReplicas')
      ? [invalidValue('status.availableReplicas', available, `cannot be greater than ${ready}`)]
      : []),
  ];
};

/** Returns an error if the number of hash collisions in a status decreases. */
export const checkCollisionCount = (status: JsonObject, before: JsonObject): FieldErrors => {
  const collisions = numberIn(status, 'collisionCount');
  return collisions < numberIn(before, 'collisionCount')
    ? [invalidValue('status.collisionCount', collisions, 'cannot be decremented')]
    : [];
};
