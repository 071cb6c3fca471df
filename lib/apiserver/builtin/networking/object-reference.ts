import { required } from '#lib/apiserver/machinery/field-error.ts';
import { textIn } from '#lib/apiserver/machinery/members.ts';
import { isDns1123Subdomain, isPathSegmentName } from '#lib/apiserver/machinery/validation/content.ts';
import { checkText, type FieldErrors, fine } from '#lib/apiserver/machinery/validation/field.ts';
import type { JsonObject } from '#lib/json.ts';

const checkSegment = (path: string, text: string): FieldErrors =>
  text === '' ? [required(path)] : checkText(path, text, isPathSegmentName);

/**
 * Validates a reference to an object of any kind: group, kind and name.
 *
 * @see k8s.io/kubernetes v1.36.4 pkg/apis/networking/validation/validation.go (`validateIngressTypedLocalObjectReference`)
 */
export const checkObjectReference = (path: string, reference: JsonObject): FieldErrors => {
  const group = reference['apiGroup'];
  return [
    ...(typeof group === 'string' ? checkText(`${path}.apiGroup`, group, isDns1123Subdomain) : fine),
    ...checkSegment(`${path}.kind`, textIn(reference, 'kind')),
    ...checkSegment(`${path}.name`, textIn(reference, 'name')),
  ];
};
