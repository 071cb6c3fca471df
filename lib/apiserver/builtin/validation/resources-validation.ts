import { invalidValue, keyPath, memberPath, required } from '#lib/apiserver/machinery/field-error.ts';
import { entriesIn, objectIn, textIn } from '#lib/apiserver/machinery/members.ts';
import { notImplemented } from '#lib/apiserver/machinery/status.ts';
import { isQualifiedName } from '#lib/apiserver/machinery/validation/content.ts';
import { checkText, type FieldErrors, fine } from '#lib/apiserver/machinery/validation/field.ts';
import type { JsonObject } from '#lib/json.ts';
import { storedQuantity } from '../codec/quantity.ts';
import { checkQuantity } from './field.ts';
import {
  isCountedResource,
  isExtendedResource,
  isHugePages,
  isNativeResource,
  isStandardContainerResource,
  isStandardResource,
} from './resource-names.ts';

/** Validates a resource name. */
export const checkResourceName = (path: string, name: string): FieldErrors => {
  const errors = checkText(path, name, isQualifiedName);
  if (errors.length > 0 || name.includes('/') || isStandardResource(name)) return errors;
  return [invalidValue(path, name, 'must be a standard resource type or fully qualified')];
};

/** Validates the name of a resource that containers can request. */
export const checkContainerResourceName = (path: string, name: string): FieldErrors => {
  const errors = checkResourceName(path, name);
  if (!name.includes('/')) {
    return isStandardContainerResource(name)
      ? errors
      : [...errors, invalidValue(path, name, 'must be a standard resource for containers')];
  }
  return isNativeResource(name) || isExtendedResource(name)
    ? errors
    : [...errors, invalidValue(path, name, "doesn't follow extended resource name standard")];
};

const checkAmount = (path: string, name: string, amount: string): FieldErrors => {
  if (isHugePages(name)) throw notImplemented(`huge pages (${path})`);
  return [...checkContainerResourceName(path, name), ...checkQuantity(path, amount, isCountedResource(name))];
};

const checkAgainstLimit = (path: string, { name, amount, limit }: Request): FieldErrors => {
  const isOvercommittable = isNativeResource(name);
  if (limit === undefined) {
    return isOvercommittable
      ? fine
      : [required(memberPath(path, 'limits'), 'Limit must be set for non overcommitable resources')];
  }
  const [requested, limited] = [storedQuantity(amount).nano, storedQuantity(limit).nano];
  const at = memberPath(path, 'requests');
  if (requested !== limited && !isOvercommittable) {
    return [invalidValue(at, amount, `must be equal to ${name} limit of ${limit}`)];
  }
  return requested > limited
    ? [invalidValue(at, amount, `must be less than or equal to ${name} limit of ${limit}`)]
    : fine;
};

interface Request {
  readonly name: string;
  readonly amount: string;
  readonly limit: string | undefined;
}

/**
 * Validates the requests and limits of a container.
 *
 * @see k8s.io/kubernetes v1.36.4 pkg/apis/core/validation/validation.go (`validateResourceRequirements`)
 * @throws {StatusError} 501 for huge pages
 */
export const checkResources = (path: string, resources: JsonObject): FieldErrors => {
  const limits = objectIn(resources, 'limits');
  return [
    ...entriesIn(resources, 'limits').flatMap(([name, amount]) =>
      checkAmount(keyPath(memberPath(path, 'limits'), name), name, amount),
    ),
    ...entriesIn(resources, 'requests').flatMap(([name, amount]) => [
      ...checkAmount(keyPath(memberPath(path, 'requests'), name), name, amount),
      ...checkAgainstLimit(path, { name, amount, limit: textIn(limits, name) || undefined }),
    ]),
  ];
};
