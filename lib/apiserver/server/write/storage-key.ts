import { conflict, type StatusError } from '#lib/apiserver/machinery/status.ts';
import type { Call } from '../target.ts';

/** The prefixes of keys in etcd, for resources with another prefix than their plural. */
const PREFIXES: Readonly<Record<string, string>> = {
  services: 'services/specs',
  endpoints: 'services/endpoints',
  'customresourcedefinitions.apiextensions.k8s.io': 'apiextensions.k8s.io/customresourcedefinitions',
};

/** Returns the key of an object in etcd, which some messages contain. In a dry run, the key has no `/registry`. */
const storageKey = ({ target, options }: Call): string => {
  const { kind, collection, namespace, name } = target;
  const plain = kind.isCustom === true ? `${kind.group}/${kind.plural}` : kind.plural;
  const prefix = PREFIXES[collection.resource] ?? plain;
  return [options.dryRun === true ? '' : '/registry', prefix, ...(namespace === '' ? [] : [namespace]), name].join('/');
};

/**
 * The error of the store when an object does not have the uid or the resource version that a request requires.
 *
 * @see k8s.io/apiserver v0.36.4 pkg/storage/interfaces.go (`Preconditions.Check`)
 */
export const failedPrecondition = (
  call: Call,
  what: 'UID' | 'ResourceVersion',
  { required, actual }: { readonly required: string; readonly actual: string },
): StatusError =>
  conflict(
    call.target.subject,
    `StorageError: invalid object, Code: 4, Key: ${storageKey(call)}, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: ${what} in precondition: ${required}, ${what} in object meta: ${actual}`,
  );
