import { type FieldError, invalidValue } from '#lib/apiserver/machinery/field-error.ts';
import type { ScaleSubresource } from '#lib/apiserver/machinery/served-kind.ts';
import { goPlain, goType, isInteger } from '#lib/apiserver/machinery/text/go-format.ts';
import { isPlainObject, type JsonObject } from '#lib/json.ts';

const MAX_INT32 = 2 ** 31 - 1;

type Found = { readonly value: unknown } | { readonly problem: string };

/** @see k8s.io/apimachinery v0.36.4 pkg/apis/meta/v1/unstructured/helpers.go (`NestedFieldNoCopy`) */
const find = (object: JsonObject, path: string): Found => {
  const names = path.replace(/^\./, '').split('.');
  let value: unknown = object;
  for (const [index, name] of names.entries()) {
    if (value === null || value === undefined) return { value: undefined };
    if (!isPlainObject(value)) {
      const at = names.slice(0, index + 1).join('.');
      return {
        problem: `.${at} accessor error: ${goPlain(value)} is of the type ${goType(value)}, expected map[string]interface{}`,
      };
    }
    value = Object.hasOwn(value, name) ? value[name] : undefined;
  }
  return { value };
};

const wrongType = (path: string, value: unknown, expected: string): string =>
  `.${path.replace(/^\./, '')} accessor error: ${goPlain(value)} is of the type ${goType(value)}, expected ${expected}`;

const validateReplicas = (object: JsonObject, path: string): FieldError[] => {
  const found = find(object, path);
  if ('problem' in found) return [invalidValue(path, 0, found.problem)];
  const { value } = found;
  if (value === undefined) return [];
  if (typeof value !== 'number' || !isInteger(value)) return [invalidValue(path, 0, wrongType(path, value, 'int64'))];
  if (value < 0) return [invalidValue(path, value, 'should be a non-negative integer')];
  return value > MAX_INT32 ? [invalidValue(path, value, `should be less than or equal to ${MAX_INT32}`)] : [];
};

const validateSelector = (object: JsonObject, path: string): FieldError[] => {
  const found = find(object, path);
  if ('problem' in found) return [invalidValue(path, '', found.problem)];
  const { value } = found;
  if (value === undefined || typeof value === 'string') return [];
  return [invalidValue(path, '', wrongType(path, value, 'string'))];
};

/**
 * Validates the value at `specReplicasPath`. Without a scale subresource, there are no errors.
 *
 * @see k8s.io/apiextensions-apiserver v0.36.4 pkg/registry/customresource/validator.go (`ValidateScaleSpec`)
 */
export const validateScaleSpec = (object: JsonObject, scale: ScaleSubresource | undefined): FieldError[] =>
  scale === undefined ? [] : validateReplicas(object, scale.specReplicasPath);

/** Validates the values at `statusReplicasPath` and `labelSelectorPath`. Without a scale subresource, there are no errors. */
export const validateScaleStatus = (object: JsonObject, scale: ScaleSubresource | undefined): FieldError[] => {
  if (scale === undefined) return [];
  const { labelSelectorPath } = scale;
  return [
    ...validateReplicas(object, scale.statusReplicasPath),
    ...(labelSelectorPath === undefined ? [] : validateSelector(object, labelSelectorPath)),
  ];
};
