import { forbiddenField, invalidValue, memberPath, required } from '#lib/apiserver/machinery/field-error.ts';
import { listIn, objectIn, textIn, textsIn } from '#lib/apiserver/machinery/members.ts';
import { isLabelValue, isQualifiedName } from '#lib/apiserver/machinery/validation/content.ts';
import { checkText, type FieldErrors, fine, forItems } from '#lib/apiserver/machinery/validation/field.ts';
import { checkLabels } from '#lib/apiserver/machinery/validation/object-meta.ts';
import type { JsonObject } from '#lib/json.ts';

const checkValues = (path: string, requirement: JsonObject): FieldErrors => {
  const [operator, values] = [textIn(requirement, 'operator'), textsIn(requirement, 'values')];
  if (operator === 'In' || operator === 'NotIn') {
    const detail = "must be specified when `operator` is 'In' or 'NotIn'";
    return values.length === 0 ? [required(memberPath(path, 'values'), detail)] : fine;
  }
  if (operator === 'Exists' || operator === 'DoesNotExist') {
    const detail = "may not be specified when `operator` is 'Exists' or 'DoesNotExist'";
    return values.length > 0 ? [forbiddenField(memberPath(path, 'values'), detail)] : fine;
  }
  return [invalidValue(memberPath(path, 'operator'), operator, 'not a valid selector operator')];
};

/**
 * Validates a label selector.
 *
 * @see k8s.io/apimachinery v0.36.4 pkg/apis/meta/v1/validation/validation.go (`ValidateLabelSelector`)
 */
export const checkLabelSelector = (path: string, selector: JsonObject | undefined): FieldErrors => [
  ...checkLabels(memberPath(path, 'matchLabels'), objectIn(selector, 'matchLabels')),
  ...forItems(memberPath(path, 'matchExpressions'), listIn(selector, 'matchExpressions'), (requirement, at) => [
    ...checkValues(at, requirement),
    ...checkText(memberPath(at, 'key'), textIn(requirement, 'key'), isQualifiedName),
    ...forItems(memberPath(at, 'values'), textsIn(requirement, 'values'), (value, valuePath) =>
      checkText(valuePath, value, isLabelValue),
    ),
  ]),
];
