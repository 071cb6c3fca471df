import { VOLUME_PROTECTION } from '#lib/apiserver/builtin/storage/persistent-volume.ts';
import { CLAIM_PROTECTION } from '#lib/apiserver/builtin/storage/persistent-volume-claim.ts';
import { objectIn } from '#lib/apiserver/machinery/members.ts';
import type { ServerObject } from '#lib/apiserver/machinery/object.ts';
import type { ResourceName } from '#lib/apiserver/machinery/request.ts';
import { resources } from '#lib/apiserver/machinery/resources.ts';
import type { Actor } from '../actor.ts';
import { type ActorContext, fieldManagers, updateOf } from '../context.ts';
import { objectKey } from '../informer.ts';
import { type Sync, SyncController } from '../sync-controller.ts';
import type { StoredPod } from '../workload.ts';

interface WithVolumes {
  readonly volumes?: readonly { readonly persistentVolumeClaim?: { readonly claimName?: string } }[];
}

const claimsOf = ({ spec }: StoredPod): readonly string[] =>
  ((spec as WithVolumes).volumes ?? []).flatMap(({ persistentVolumeClaim: claim }) => claim?.claimName ?? []);

/** Whether a pod with a node uses a claim. */
const isClaimUsed = ({ metadata }: ServerObject, { informers }: ActorContext): boolean =>
  (informers.of(resources.pods).list(metadata.namespace) as readonly StoredPod[]).some(
    (pod) => (pod.spec.nodeName ?? '') !== '' && claimsOf(pod).includes(metadata.name),
  );

interface Protection {
  readonly name: string;
  readonly resource: ResourceName;
  readonly finalizer: string;
  readonly isUsed: (object: ServerObject, context: ActorContext) => boolean;
}

const finalizersFor = (object: ServerObject, { finalizer, isUsed }: Protection, context: ActorContext) => {
  const { finalizers = [], deletionTimestamp } = object.metadata;
  const isProtected = finalizers.includes(finalizer);
  if (deletionTimestamp === undefined) return isProtected ? finalizers : [...finalizers, finalizer];
  if (!isProtected || isUsed(object, context)) return finalizers;
  return finalizers.filter((name) => name !== finalizer);
};

const protectionController = (context: ActorContext, protection: Protection): SyncController => {
  const { name, resource } = protection;
  const informer = context.informers.of(resource);
  function* sync(key: string): Sync {
    const object = informer.get(key);
    if (!object) return {};
    const finalizers = finalizersFor(object, protection, context);
    if (finalizers.length === (object.metadata.finalizers ?? []).length) return {};
    const { code } = yield {
      label: `update finalizers of ${name} ${key}`,
      request: updateOf(
        resource,
        { ...object, metadata: { ...object.metadata, finalizers } },
        { manager: fieldManagers.controllers },
      ),
    };
    return { failed: code >= 300 && code !== 404 };
  }
  const controller = new SyncController({ name: `${name} protection controller`, context, sync });
  informer.subscribe((now, before) => {
    const object = now ?? before;
    if (object) controller.mark(objectKey(object));
  });
  return controller;
};

/**
 * Adds the protection finalizer to PersistentVolumeClaims. Removes the finalizer from a terminating claim when no scheduled pod
 * uses the claim.
 *
 * @see k8s.io/kubernetes v1.36.4 pkg/controller/volume/pvcprotection/pvc_protection_controller.go
 */
export const claimProtectionController = (context: ActorContext): Actor => {
  const controller = protectionController(context, {
    name: 'claim',
    resource: resources.persistentVolumeClaims,
    finalizer: CLAIM_PROTECTION,
    isUsed: isClaimUsed,
  });
  context.informers.of(resources.pods).subscribe((now, before) => {
    const pod = now ?? before;
    if (pod) for (const name of claimsOf(pod as StoredPod)) controller.mark(`${pod.metadata.namespace ?? ''}/${name}`);
  });
  return controller;
};

/**
 * Adds the protection finalizer to PersistentVolumes. Removes the finalizer from a terminating volume that is not bound to a
 * claim.
 *
 * @see k8s.io/kubernetes v1.36.4 pkg/controller/volume/pvprotection/pv_protection_controller.go
 */
export const volumeProtectionController = (context: ActorContext): Actor =>
  protectionController(context, {
    name: 'volume',
    resource: resources.persistentVolumes,
    finalizer: VOLUME_PROTECTION,
    isUsed: (volume) => objectIn(volume, 'status')['phase'] === 'Bound',
  });
