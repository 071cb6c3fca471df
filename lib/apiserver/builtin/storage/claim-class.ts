import { objectIn, textIn } from '#lib/apiserver/machinery/members.ts';
import type { ServerObject } from '#lib/apiserver/machinery/object.ts';

/** The annotation that named the class of a claim before `spec.storageClassName` existed. */
export const CLASS_ANNOTATION = 'volume.beta.kubernetes.io/storage-class';

/** The class that the annotation of a claim names. */
export const annotatedClass = ({ metadata }: ServerObject): string | undefined =>
  metadata.annotations?.[CLASS_ANNOTATION];

/**
 * The storage class of a claim; empty for a claim without a class.
 *
 * @see k8s.io/component-helpers v0.36.4 storage/volume/helpers.go (`GetPersistentVolumeClaimClass`)
 */
export const claimClassOf = (claim: ServerObject): string =>
  annotatedClass(claim) ?? textIn(objectIn(claim, 'spec'), 'storageClassName');
