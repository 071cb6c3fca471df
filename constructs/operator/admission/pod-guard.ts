import type { Construct } from 'constructs';
import type { OperatorNames } from '#constructs/operator/names.ts';
import { type Reach, reachOf, runsPods, unknownChildren } from '#constructs/operator/rights/reach.ts';
import type { AnyKindDefinition } from '#lib/desired/definition.ts';
import { KEPT_ANNOTATION } from '#lib/kind/versions/annotations.ts';
import { type AdmissionPolicy, addAdmissionPolicy, annotationIn } from './admission-policy.ts';

/**
 * The action for writes of users without rights on pods. `true` refuses the write, `'warn'` warns, and `false` adds no policy.
 */
export type PodGuardMode = true | 'warn' | false;

/** The kinds that the guard checks. */
export interface GuardedKinds {
  readonly running: readonly AnyKindDefinition[];
  /** The other kinds that own third-party kinds (neither built in nor in the bundle), whose resources may run pods. */
  readonly unknown: readonly AnyKindDefinition[];
}

const definitionOf = ({ definition }: Reach): AnyKindDefinition => definition;

/** Finds the kinds whose resources run pods, or may run pods. Extensions are not included. */
export const guardedKinds = (kinds: readonly AnyKindDefinition[]): GuardedKinds => {
  const reaches = reachOf(kinds).filter(({ definition }) => definition.extension === undefined);
  const others = reaches.filter((reach) => !runsPods(reach) && unknownChildren(reach).length > 0);
  return { running: reaches.filter(runsPods).map(definitionOf), unknown: others.map(definitionOf) };
};

/**
 * A CEL expression for a create, and for a change of the spec or of the data of the conversion webhook. Other metadata is not
 * checked, because controllers of the cluster may write it.
 */
const SPEC_CHANGES = [
  'request.operation == "CREATE"',
  'object.spec != oldObject.spec',
  `${annotationIn('object', KEPT_ANNOTATION)} != ${annotationIn('oldObject', KEPT_ANNOTATION)}`,
].join(' || ');

/** A CEL expression for a right on pods. An empty namespace means all namespaces. */
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
 * Adds up to two policies for users without the rights to create and delete pods in the namespace of a resource. One policy
 * refuses writes of resources that run pods; with `'warn'`, this policy warns. The other policy warns about resources of kinds
 * that own third-party kinds. With `false`, adds nothing.
 *
 * Guarantees: the policies check creates, and updates of the spec in any version. For a cluster-scoped resource, the user needs
 * the rights in all namespaces.
 *
 * Caveats: the policies check neither writes to the subresource `scale` nor rollout commands by annotation (promote, abort,
 * skip, retry).
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
