import { ApiObject } from 'cdk8s';
import type { Construct } from 'constructs';
import { clusterScoped, type OperatorNames, operatorLabels } from '#constructs/operator/names.ts';
import type { AnyKindDefinition } from '#lib/desired/definition.ts';
import { namesOf } from '#lib/kind/names.ts';

/** A condition that the API server checks when objects of some kinds are written. */
export interface AdmissionPolicy {
  /** Suffix of the names of policy and binding, which begin with the name of the operator. */
  readonly suffix: string;
  readonly kinds: readonly AnyKindDefinition[];
  /**
   * `any`: the expressions read an object in the version of the request. `hub`: they read it in the version of the definition,
   * after a conversion by the API server.
   */
  readonly versions: 'any' | 'hub';
  readonly operations: readonly ('CREATE' | 'UPDATE')[];
  /** A CEL condition: the policy checks only the writes that meet the condition. @default all writes */
  readonly when?: { readonly name: string; readonly expression: string };
  readonly validation: {
    readonly expression: string;
    readonly messageExpression: string;
    readonly reason?: 'Forbidden' | 'Invalid';
  };
  /** The action when a write breaks the condition. `Warn` accepts the write with a warning. @default 'Deny' */
  readonly action?: 'Deny' | 'Warn';
}

const API_VERSION = 'admissionregistration.k8s.io/v1';

/** A CEL expression for the value of an annotation, or for an empty string if there is no such annotation. */
export const annotationIn = (object: 'object' | 'oldObject', name: string): string =>
  `${object}.metadata.?annotations[?'${name}'].orValue('')`;

/** A CEL expression for the value of a label, or for an empty string if there is no such label. */
export const labelIn = (object: 'object' | 'oldObject', name: string): string =>
  `${object}.metadata.?labels[?'${name}'].orValue('')`;

const ruleOf = (kind: AnyKindDefinition, { versions, operations }: AdmissionPolicy) => ({
  apiGroups: [kind.group],
  apiVersions: [versions === 'any' ? '*' : kind.version],
  operations,
  resources: [namesOf(kind).plural],
  scope: kind.scope ?? 'Namespaced',
});

/**
 * Adds a ValidatingAdmissionPolicy and its binding. The API server evaluates the policy itself, without a webhook.
 *
 * @see https://kubernetes.io/docs/reference/access-authn-authz/validating-admission-policy/
 */
export const addAdmissionPolicy = (scope: Construct, names: OperatorNames, policy: AdmissionPolicy): void => {
  const { suffix, kinds, when, validation, action = 'Deny' } = policy;
  const metadata = { name: `${names.name}-${suffix}`, labels: operatorLabels(names) };
  const spec = {
    failurePolicy: 'Fail',
    // `Equivalent`: a rule for one version also matches a request in another version, after a conversion. The selectors have the
    // default values of the API server. The manifest contains these values because a server-side apply compares the field as a
    // whole.
    matchConstraints: {
      matchPolicy: 'Equivalent',
      namespaceSelector: {},
      objectSelector: {},
      resourceRules: kinds.map((kind) => ruleOf(kind, policy)),
    },
    ...(when && { matchConditions: [when] }),
    validations: [validation],
  };
  const binding = { policyName: metadata.name, validationActions: [action] };
  const add = (kind: string, content: object, id: string): void => {
    clusterScoped(new ApiObject(scope, id, { apiVersion: API_VERSION, kind, metadata, spec: content }));
  };
  add('ValidatingAdmissionPolicy', spec, suffix);
  add('ValidatingAdmissionPolicyBinding', binding, `${suffix}-binding`);
};
