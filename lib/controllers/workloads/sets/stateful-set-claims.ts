import type { ServerObject } from '#lib/apiserver/machinery/object.ts';
import { resources } from '#lib/apiserver/machinery/resources.ts';
import type { OwnerReference } from '#lib/kind/handles/reference.ts';
import { type ActorContext, fieldManagers, updateOf } from '../../context.ts';
import { controllerReference } from '../../ownership.ts';
import { messageOf } from '../../refusal.ts';
import type { Writes } from '../../sync-controller.ts';
import type { StoredPod } from '../../workload.ts';
import { accepted, RefusedWriteError } from '../deployment-writes.ts';
import { claimsFor, isInOrdinals } from './stateful-set-identity.ts';
import type { StoredStatefulSet } from './stored-sets.ts';

interface World {
  readonly context: ActorContext;
  readonly set: StoredStatefulSet;
}

interface ClaimKey {
  readonly key: string;
  readonly stored: ServerObject | undefined;
}

const keysOf = ({ context, set }: World, pod: StoredPod): readonly ClaimKey[] =>
  claimsFor(set, pod).map(({ metadata }) => {
    const key = `${set.metadata.namespace ?? ''}/${metadata.name}`;
    return { key, stored: context.informers.of(resources.persistentVolumeClaims).get(key) };
  });

/**
 * Creates the missing claims of a pod.
 *
 * @throws {RefusedWriteError} if a write is refused, or a claim is being deleted
 * @see
 * stateful_pod_control.go (`createPersistentVolumeClaims`)
 */
export function* createClaims(world: World, pod: StoredPod): Writes<void> {
  const { namespace = '' } = world.set.metadata;
  const claims = claimsFor(world.set, pod);
  let refusal: string | undefined;
  for (const [i, { key, stored }] of keysOf(world, pod).entries()) {
    if (stored?.metadata.deletionTimestamp !== undefined) refusal ??= `pvc ${key} is being deleted`;
    if (stored) continue;
    const options = { fieldManager: fieldManagers.controllers };
    const target = { resource: resources.persistentVolumeClaims, namespace, options };
    const response = yield { label: `create claim ${key}`, request: { verb: 'create', ...target, body: claims[i] } };
    if (response.code >= 300) refusal ??= messageOf(response);
  }
  if (refusal !== undefined) throw new RefusedWriteError(refusal);
}

const isAbout = ({ apiVersion, kind, metadata }: ServerObject): ((reference: OwnerReference) => boolean) => {
  return (reference) =>
    reference.apiVersion === apiVersion && reference.kind === kind && reference.name === metadata.name;
};

const ownersOf = ({ metadata }: ServerObject): readonly OwnerReference[] => metadata.ownerReferences ?? [];

const isOwner = (claim: ServerObject, owner: ServerObject): boolean =>
  ownersOf(claim).some(({ uid }) => uid === owner.metadata.uid);

/** Whether a claim has an owner reference to an earlier object with the name of `owner` and another uid. */
const isStale = (claim: ServerObject, owner: ServerObject): boolean => {
  const reference = ownersOf(claim).find(isAbout(owner));
  return reference !== undefined && reference.uid !== owner.metadata.uid;
};

const retentionOf = ({
  spec,
}: StoredStatefulSet): { readonly isKeptScaled: boolean; readonly isKeptDeleted: boolean } => {
  const { whenScaled, whenDeleted } = spec.persistentVolumeClaimRetentionPolicy ?? {};
  return { isKeptScaled: whenScaled !== 'Delete', isKeptDeleted: whenDeleted !== 'Delete' };
};

/** The object that should own a claim; undefined if the claim is retained. */
const wantedOwner = (set: StoredStatefulSet, pod: StoredPod): ServerObject | undefined => {
  const { isKeptScaled, isKeptDeleted } = retentionOf(set);
  if (!isKeptScaled && !isInOrdinals(set, pod)) return pod;
  return isKeptDeleted ? undefined : set;
};

/**
 * Whether a claim has another controller, or a reference to an earlier set or pod. Always false if the retention policy keeps all
 * claims.
 *
 * @see stateful_set_utils.go (`hasUnexpectedController`)
 */
const isForeign = (claim: ServerObject, set: StoredStatefulSet, pod: StoredPod): boolean => {
  const { isKeptScaled, isKeptDeleted } = retentionOf(set);
  if (isKeptScaled && isKeptDeleted) return false;
  return ownersOf(claim).some((reference) => {
    const own = [set, pod].find((object) => isAbout(object)(reference));
    return own ? reference.uid !== own.metadata.uid : reference.controller === true;
  });
};

/** @see k8s.io/kubernetes v1.36.4 pkg/controller/statefulset/stateful_set_utils.go (`isClaimOwnerUpToDate`) */
const hasWantedOwner = (claim: ServerObject, set: StoredStatefulSet, pod: StoredPod): boolean => {
  if (isStale(claim, set) || isStale(claim, pod)) return true;
  const isOwned = isOwner(claim, set) || isOwner(claim, pod);
  if (isForeign(claim, set, pod)) return !isOwned;
  const own = ownersOf(claim).filter(({ uid }) => uid === set.metadata.uid || uid === pod.metadata.uid);
  if (own.some(({ controller }) => controller !== true)) return false;
  const owner = wantedOwner(set, pod);
  return [set, pod].every((object) => isOwner(claim, object) === (object === owner));
};

/**
 * Sets the owners of the claims of a pod, so that the garbage collector deletes the claims according to
 * `persistentVolumeClaimRetentionPolicy`.
 *
 * @see k8s.io/kubernetes v1.36.4 pkg/controller/statefulset/stateful_pod_control.go (`UpdatePodClaimForRetentionPolicy`)
 */
export function* retainClaims(world: World, pod: StoredPod): Writes<void> {
  const { set } = world;
  for (const { key, stored } of keysOf(world, pod)) {
    if (!stored || hasWantedOwner(stored, set, pod)) continue;
    const others = ownersOf(stored).filter((reference) => !isAbout(set)(reference) && !isAbout(pod)(reference));
    const owner = isForeign(stored, set, pod) ? undefined : wantedOwner(set, pod);
    const ownerReferences = owner ? [...others, controllerReference(owner)] : others;
    yield* accepted({
      label: `update owners of claim ${key}`,
      request: updateOf(
        resources.persistentVolumeClaims,
        { ...stored, metadata: { ...stored.metadata, ownerReferences } },
        { manager: fieldManagers.controllers },
      ),
    });
  }
}

/**
 * Whether a claim of a pod still has an earlier pod as its owner, and so will be deleted with that pod. Always false unless
 * `whenScaled` is Delete.
 *
 * @see stateful_pod_control.go (`PodClaimIsStale`)
 */
export const hasStaleClaim = (world: World, pod: StoredPod): boolean =>
  !retentionOf(world.set).isKeptScaled && keysOf(world, pod).some(({ stored }) => stored && isStale(stored, pod));
