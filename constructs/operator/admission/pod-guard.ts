import type { Construct } from 'constructs';
import type { OperatorNames } from '#constructs/operator/names.ts';
import { type Reach, reachOf, runsPods, unknownChildren } from '#constructs/operator/rights/reach.ts';
import type { AnyKindDefinition } from '#lib/desired/definition.ts';
import { KEPT_ANNOTATION } from '#lib/kind/versions/annotations.ts';
import { type AdmissionPolicy, addAdmissionPolicy, annotationIn } from './admission-policy.ts';

/** The mode of the guard: it refuses writes, it only warns, or it is absent. By default, it refuses if a kind runs pods. */
export type PodGuardMode = true | 'warn' | false;

/** The kinds that the guard checks. */
export interface GuardedKinds {
  /** Kinds whose resources run pods. */
  readonly running: readonly AnyKindDefinition[];
  /** Kinds that own third-party kinds (neither built in nor in the bundle), whose resources may run pods. */
  readonly unknown: readonly AnyKindDefinition[];
}

const definitionOf = ({ definition }: Reach): AnyKindDefinition => definition;

/** Finds the kinds whose resources run pods, or may run pods. The guard does not check objects of kinds that exist already. */
export const guardedKinds = (kinds: readonly AnyKindDefinition[]): GuardedKinds => {
  const reaches = reachOf(kinds).filter(({ definition }) => definition.extension === undefined);
  const others = reaches.filter((reach) => !runsPods(reach) && unknownChildren(reach).length > 0);
  return { running: reaches.filter(runsPods).map(definitionOf), unknown: others.map(definitionOf) };
};

/**
 * A CEL expression for writes that change the spec, or the data of the spec that the conversion webhook stores in an annotation.
 * Other metadata is not checked, because controllers of the cluster may write it.
 */
const SPEC_CHANGES = [
  'request.operation == "CREATE"',
  'object.spec != oldObject.spec',
  `${annotationIn('object', KEPT_ANNOTATION)} != ${annotationIn('oldObject', KEPT_ANNOTATION)}`,
].join(' || ');

/** A CEL expression for a right on pods. For a cluster-scoped resource, the namespace is empty, which means all namespaces. */
const mayUsePods = (verb: string): string =>
  `authorizer.group('').resource('pods').namespace(object.metadata.?namespace.orValue('')).check('${verb}').allowed()`;

const guardOf = (what: 'runs' | 'may run', policy: Pick<AdmissionPolicy, 'suffix' | 'kinds' | 'action'>) => ({
  ...policy,
  versions: 'any' as const,
  operations: ['CREATE', 'UPDATE'] as const,
  when: { name: 'spec-changes', expression: SPEC_CHANGES },
  validation: {
    expression: ['create', 'delete'].map(mayUsePods).join(' && '),
    messageExpression: `'a ' + request.kind.kind + ' ${what} pods: ' + request.userInfo.username + ' needs the rights to create and delete pods in its namespace'`,
    reason: 'Forbidden' as const,
  },
});

/**
 * Refuses a resource that runs pods unless its author may create and delete pods in its namespace. Otherwise, every author could
 * use the rights of the operator. For kinds that own third-party kinds, the policy only warns.
 *
 * Guarantees: the policy checks creates, and updates of the spec in any version. The policy does not affect garbage collection
 * and finalizers. Pods of a cluster-scoped resource can be in any namespace, so its author needs the rights in all namespaces.
 *
 * Caveats: the policy does not check writes to the subresource `scale`, because an autoscaler need not have the rights. It does
 * not check rollout commands by annotation either (promote, abort, skip, retry).
 */
export const addPodGuard = (
  scope: Construct,
  names: OperatorNames,
  { kinds, podGuard }: { readonly kinds: readonly AnyKindDefinition[]; readonly podGuard?: PodGuardMode | undefined },
): void => {
  if (podGuard === false) return;
  const { running, unknown } = guardedKinds(kinds);
  const action = podGuard === 'warn' ? 'Warn' : 'Deny';
  if (running.length > 0)
    addAdmissionPolicy(scope, names, guardOf('runs', { suffix: 'pod-guard', kinds: running, action }));
  if (unknown.length > 0)
    addAdmissionPolicy(scope, names, guardOf('may run', { suffix: 'pod-warning', kinds: unknown, action: 'Warn' }));
};
