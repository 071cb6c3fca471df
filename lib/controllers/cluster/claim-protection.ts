import { CLAIM_PROTECTION } from '#lib/apiserver/builtin/storage/persistent-volume-claim.ts';
import type { ServerObject } from '#lib/apiserver/machinery/object.ts';
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
const isUsed = ({ metadata }: ServerObject, { informers }: ActorContext): boolean =>
  (informers.of(resources.pods).list(metadata.namespace) as readonly StoredPod[]).some(
    (pod) => (pod.spec.nodeName ?? '') !== '' && claimsOf(pod).includes(metadata.name),
  );

const finalizersFor = (claim: ServerObject, context: ActorContext): readonly string[] => {
  const { finalizers = [], deletionTimestamp } = claim.metadata;
  const isProtected = finalizers.includes(CLAIM_PROTECTION);
  if (deletionTimestamp === undefined) return isProtected ? finalizers : [...finalizers, CLAIM_PROTECTION];
  if (!isProtected || isUsed(claim, context)) return finalizers;
  return finalizers.filter((name) => name !== CLAIM_PROTECTION);
};

/**
 * Adds the protection finalizer to PersistentVolumeClaims that are not terminating. Removes the finalizer from a terminating
 * claim when no scheduled pod uses the claim.
 *
 * @see k8s.io/kubernetes v1.36.4 pkg/controller/volume/pvcprotection/pvc_protection_controller.go
 */
export const claimProtectionController = (context: ActorContext): Actor => {
  const claims = context.informers.of(resources.persistentVolumeClaims);
  function* sync(key: string): Sync {
    const claim = claims.get(key);
    if (!claim) return {};
    const finalizers = finalizersFor(claim, context);
    if (finalizers.length === (claim.metadata.finalizers ?? []).length) return {};
    const { code } = yield {
      label: `update finalizers of claim ${key}`,
      request: updateOf(
        resources.persistentVolumeClaims,
        { ...claim, metadata: { ...claim.metadata, finalizers } },
        { manager: fieldManagers.controllers },
      ),
    };
    return { failed: code >= 300 && code !== 404 };
  }
  const controller = new SyncController({ name: 'claim protection controller', context, sync });
  claims.subscribe((now, before) => {
    const claim = now ?? before;
    if (claim) controller.mark(objectKey(claim));
  });
  context.informers.of(resources.pods).subscribe((now, before) => {
    const pod = now ?? before;
    if (pod) for (const name of claimsOf(pod as StoredPod)) controller.mark(`${pod.metadata.namespace ?? ''}/${name}`);
  });
  return controller;
};
