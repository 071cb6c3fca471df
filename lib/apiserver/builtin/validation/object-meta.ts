import { invalidValue } from '#lib/apiserver/machinery/field-error.ts';
import type { ServerObject } from '#lib/apiserver/machinery/object.ts';
import type { StringCheck } from '#lib/apiserver/machinery/validation/content.ts';
import { type FieldErrors, fine } from '#lib/apiserver/machinery/validation/field.ts';
import {
  checkKubeFinalizers,
  namesThat,
  validateObjectMeta,
  validateObjectMetaUpdate,
} from '#lib/apiserver/machinery/validation/object-meta.ts';
import { equalJson } from '#lib/json.ts';

interface MetadataRules {
  readonly check: StringCheck;
  readonly isNamespaced?: boolean;
}

/** Validates the metadata of an object, without the rules of {@link checkMetadata} for finalizers. */
export const checkAnyMetadata = (
  { metadata }: ServerObject,
  { check, isNamespaced = true }: MetadataRules,
): FieldErrors => validateObjectMeta(metadata, { names: namesThat(check), isNamespaced });

/**
 * Validates the metadata of an object, and its finalizers by the rules of `k8s.io/kubernetes`.
 *
 * @see k8s.io/kubernetes v1.36.4 pkg/apis/core/validation/validation.go (`ValidateObjectMeta`)
 */
export const checkMetadata = (object: ServerObject, rules: MetadataRules): FieldErrors => [
  ...checkAnyMetadata(object, rules),
  ...checkKubeFinalizers(object.metadata),
];

/** Validates a change of metadata, and the finalizers by the rules of `k8s.io/kubernetes`. */
export const checkMetadataUpdate = ({ metadata }: ServerObject, old: ServerObject): FieldErrors => [
  ...validateObjectMetaUpdate(metadata, old.metadata),
  ...checkKubeFinalizers(metadata),
];

/** Returns an error if a value differs from the stored value. */
export const checkImmutable = (path: string, newValue: unknown, oldValue: unknown): FieldErrors =>
  equalJson(newValue, oldValue) ? fine : [invalidValue(path, newValue ?? null, 'field is immutable')];
