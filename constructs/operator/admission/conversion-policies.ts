import type { Construct } from 'constructs';
import type { OperatorNames } from '#constructs/operator/names.ts';
import type { AnyKindDefinition } from '#lib/desired/definition.ts';
import { CONVERSION_PROBLEM, INCOMPLETE_LABEL, KEPT_ANNOTATION } from '#lib/kind/versions/annotations.ts';
import { needsWebhook } from '#lib/kind/versions/webhook.ts';
import { addAdmissionPolicy, annotationIn, labelIn } from './admission-policy.ts';

const unchanged = (textIn: typeof annotationIn, name: string): string =>
  `${textIn('object', name)} == ${textIn('oldObject', name)}`;

const PROBLEM = annotationIn('object', CONVERSION_PROBLEM);
const INCOMPLETE = 'the version in which resources are stored has no room for what this version has';

/** A CEL expression that is true unless the write adds the label or changes its value. */
const isNotNew = (label: string): string =>
  `(${labelIn('object', label)} == '' || (oldObject != null && ${unchanged(labelIn, label)}))`;

/**
 * Adds two policies for the data that the conversion webhook stores in the metadata of resources. If no kind needs the webhook,
 * adds nothing.
 *
 * Guarantees: the API server refuses an update that changes the stored data of another version. The API server also refuses a
 * write if its conversion to the version of the definition would lose data or break a rule. A problem that a resource had
 * before the write does not prevent the write.
 */
export const addConversionPolicies = (
  scope: Construct,
  names: OperatorNames,
  { kinds: all }: { readonly kinds: readonly AnyKindDefinition[] },
): void => {
  const kinds = all.filter((kind) => needsWebhook(kind));
  if (kinds.length === 0) return;
  addAdmissionPolicy(scope, names, {
    suffix: 'kept',
    kinds,
    versions: 'any',
    operations: ['UPDATE'],
    validations: [
      {
        expression: [unchanged(annotationIn, KEPT_ANNOTATION), unchanged(labelIn, INCOMPLETE_LABEL)].join(' && '),
        messageExpression: `'metadata.annotations[${KEPT_ANNOTATION}] holds what version ' + request.resource.version + ' cannot express, and only the conversion webhook changes it: keep it as it was read, or write the resource in another version'`,
        reason: 'Forbidden',
      },
    ],
  });
  addAdmissionPolicy(scope, names, {
    suffix: 'converted',
    kinds,
    versions: 'hub',
    operations: ['CREATE', 'UPDATE'],
    validations: [
      {
        expression: `${isNotNew(CONVERSION_PROBLEM)} && ${isNotNew(INCOMPLETE_LABEL)}`,
        messageExpression: `${PROBLEM} != '' ? ${PROBLEM} : '${INCOMPLETE}'`,
        reason: 'Invalid',
      },
    ],
  });
};
