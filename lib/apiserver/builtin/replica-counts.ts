import type { JsonObject } from '#lib/json.ts';
import { invalidValue } from '#lib/apiserver/machinery/field-error.ts';
import { numberIn } from '#lib/apiserver/machinery/members.ts';
import type { ScaleSubresource } from '#lib/apiserver/machinery/served-kind.ts';
import { checkNonNegative, type FieldErrors } from '#lib/apiserver/machinery/validation/field.ts';

/** Which numbers of a status are checked. */
export interface CountNames {
  readonly counts: readonly string[];
  /** Those that are at most `replicas`. */
  readonly bounded: readonly string[];
}

/** Where the scale of a Deployment or a ReplicaSet is. */
export const replicaScale: ScaleSubresource = {
  specReplicasPath: '.spec.replicas',
  statusReplicasPath: '.status.replicas',
  labelSelectorPath: '.spec.selector',
};

/** The numbers in the status of a Deployment or a ReplicaSet. */
export const checkReplicaCounts = (status: JsonObject, { counts, bounded }: CountNames): FieldErrors => {
  const replicas = numberIn(status, 'replicas');
  const available = numberIn(status, 'availableReplicas');
  return [
    ...counts.flatMap((name) => checkNonNegative(`status.${name}`, status[name])),
    ...bounded
      .filter((name) => numberIn(status, name) > replicas)
      .map((name) => invalidValue(`status.${name}`, numberIn(status, name), 'cannot be greater than status.replicas')),
    ...(available > numberIn(status, 'readyReplicas')
      ? [invalidValue('status.availableReplicas', available, 'cannot be greater than readyReplicas')]
      : []),
  ];
};
