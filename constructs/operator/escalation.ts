import type { AnyKindDefinition } from '#lib/desired/definition.ts';
import { podKinds } from './pod-guard.ts';

/** Where what the rights of an operator amount to stands, for whoever reviews the bundle. */
export const ESCALATION_ANNOTATION = 'cdk8s-reconcile/escalation';

/** What the right that renews the certificate of a webhook amounts to. */
export const PATCHES_DEFINITIONS =
  'the operator may patch the CRDs of its own kinds, to renew the certificate of their webhook: whoever holds its token may change the definitions';

/**
 * What people can reach through the operator that they could not reach by themselves: the reason to be careful about who may
 * write these kinds.
 *
 * @returns a sentence for each way; none when there is no way
 * @see https://kubernetes.io/docs/concepts/security/rbac-good-practices/#workload-creation
 */
export const escalationEdges = (
  kinds: readonly AnyKindDefinition[],
  { hasEffects, patchesDefinitions }: { readonly hasEffects: boolean; readonly patchesDefinitions: boolean },
): readonly string[] => {
  const running = podKinds(kinds).map(({ kind }) => kind);
  return [
    ...(running.length === 0
      ? []
      : [
          `whoever may write ${running.join(', ')} can run pods, and so reach every Secret, ConfigMap and ServiceAccount of the namespace`,
        ]),
    ...(hasEffects ? ['the operator reads the Secrets that resources name for effects, one at a time'] : []),
    ...(patchesDefinitions ? [PATCHES_DEFINITIONS] : []),
  ];
};
