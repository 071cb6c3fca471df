import { ApiObject } from 'cdk8s';
import type { Construct } from 'constructs';
import type { AnyKindDefinition } from '#lib/desired/definition.ts';
import { namesOf } from '#lib/kind/names.ts';
import { groupOf, type KindRef } from '#lib/kind/reference.ts';
import { clusterScoped, type OperatorNames, operatorLabels } from './names.ts';

/** Built-in kinds whose objects are pods, or become pods. */
const runsPods: ReadonlySet<string> = new Set([
  'Pod.',
  'ReplicationController.',
  'Deployment.apps',
  'ReplicaSet.apps',
  'StatefulSet.apps',
  'DaemonSet.apps',
  'Job.batch',
  'CronJob.batch',
]);

const isPodRunner = ({ kind, apiVersion }: KindRef): boolean => runsPods.has(`${kind}.${groupOf(apiVersion)}`);

/** Kinds with which somebody gets pods made. */
export const podKinds = (kinds: readonly AnyKindDefinition[]): readonly AnyKindDefinition[] =>
  kinds.filter(({ owns }) => owns.some(isPodRunner));

const ruleOf = (kind: AnyKindDefinition) => ({
  apiGroups: [kind.group],
  apiVersions: ['*'],
  operations: ['CREATE', 'UPDATE'],
  resources: [namesOf(kind).plural],
  scope: kind.scope ?? 'Namespaced',
});

const admission = { apiVersion: 'admissionregistration.k8s.io/v1' } as const;

/**
 * Whoever writes a resource that runs pods must have the right to create pods in its namespace: else the operator would lend
 * everybody its own. Asked by the API server itself, without a webhook.
 *
 * Guarantees: only writes that change the spec are asked about, so that controllers of the cluster (garbage collection,
 * finalizers) go on. Pods of a cluster-scoped resource may be anywhere, so the right is asked for everywhere.
 *
 * Caveats: changes by the subresource `scale` are not asked about: an autoscaler need not have the right.
 *
 * @see https://kubernetes.io/docs/reference/access-authn-authz/validating-admission-policy/
 */
export const addPodGuard = (scope: Construct, names: OperatorNames, kinds: readonly AnyKindDefinition[]): void => {
  const guarded = podKinds(kinds);
  if (guarded.length === 0) return;
  const metadata = { name: `${names.name}-pod-guard`, labels: operatorLabels(names) };
  clusterScoped(
    new ApiObject(scope, 'pod-guard', {
      ...admission,
      kind: 'ValidatingAdmissionPolicy',
      metadata,
      spec: {
        failurePolicy: 'Fail',
        matchConstraints: { resourceRules: guarded.map(ruleOf) },
        matchConditions: [
          { name: 'spec-changes', expression: 'request.operation == "CREATE" || object.spec != oldObject.spec' },
        ],
        validations: [
          {
            // An empty namespace asks for the right in all of them.
            expression:
              "authorizer.group('').resource('pods').namespace(has(object.metadata.namespace) ? object.metadata.namespace : '').check('create').allowed()",
            messageExpression:
              "'a ' + request.kind.kind + ' runs pods: ' + request.userInfo.username + ' needs the right to create pods in its namespace'",
            reason: 'Forbidden',
          },
        ],
      },
    }),
  );
  clusterScoped(
    new ApiObject(scope, 'pod-guard-binding', {
      ...admission,
      kind: 'ValidatingAdmissionPolicyBinding',
      metadata,
      spec: { policyName: metadata.name, validationActions: ['Deny'] },
    }),
  );
};
