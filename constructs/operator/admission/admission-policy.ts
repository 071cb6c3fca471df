import { ApiObject } from 'cdk8s';
import type { Construct } from 'constructs';
import { clusterScoped, type OperatorNames, operatorLabels } from '#constructs/operator/names.ts';
import type { AnyKindDefinition } from '#lib/desired/definition.ts';
import { namesOf } from '#lib/kind/names.ts';

/** The input of a ValidatingAdmissionPolicy and its binding. */
export interface AdmissionPolicy {
  /** The suffix of the names of the policy and its binding, after the name of the operator. */
  readonly suffix: string;
  readonly kinds: readonly AnyKindDefinition[];
  /**
   * The version of the object in the expressions. `any`: the version of the request. `hub`: the version of the definition, to
   * which the API server converts the object.
   */
  readonly versions: 'any' | 'hub';
  readonly operations: readonly ('CREATE' | 'UPDATE')[];
  /** A CEL condition: the policy checks only the writes that meet the condition. @default all writes */
  readonly when?: { readonly name: string; readonly expression: string };
  /** All validations must succeed. The API server limits the cost of each expression. */
  readonly validations: readonly {
    readonly expression: string;
    readonly messageExpression: string;
    readonly reason?: 'Forbidden' | 'Invalid';
  }[];
  /** The action when a write fails a validation. `Warn` accepts the write with a warning. @default 'Deny' */
  readonly action?: 'Deny' | 'Warn';
}

const API_VERSION = 'admissionregistration.k8s.io/v1';

/** Returns a CEL expression for the value of an annotation; the value is an empty string if the annotation is absent. */
export const annotationIn = (object: 'object' | 'oldObject', name: string): string =>
  `${object}.metadata.?annotations[?'${name}'].orValue('')`;

/** Returns a CEL expression for the value of a label; the value is an empty string if the label is absent. */
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
  const { suffix, kinds, when, validations, action = 'Deny' } = policy;
  const metadata = { name: `${names.name}-${suffix}`, labels: operatorLabels(names) };
  const spec = {
    failurePolicy: 'Fail',
    // With `Equivalent`, a rule for one version also matches requests in other versions. The selectors are equal to the
    // defaults. They are set because a server-side apply compares the field as a whole.
    matchConstraints: {
      matchPolicy: 'Equivalent',
      namespaceSelector: {},
      objectSelector: {},
      resourceRules: kinds.map((kind) => ruleOf(kind, policy)),
    },
    ...(when && { matchConditions: [when] }),
    validations,
  };
  const binding = { policyName: metadata.name, validationActions: [action] };
  const add = (kind: string, content: object, id: string): void => {
    clusterScoped(new ApiObject(scope, id, { apiVersion: API_VERSION, kind, metadata, spec: content }));
  };
  add('ValidatingAdmissionPolicy', spec, suffix);
  add('ValidatingAdmissionPolicyBinding', binding, `${suffix}-binding`);
};
