import type { ServerResponse } from '#lib/apiserver/machinery/request.ts';
import { StatusError } from '#lib/apiserver/machinery/status.ts';
import type { Call } from '../target.ts';
import { deleteFromStore, withDeleteOptions } from './delete.ts';
import { listObjects } from './list.ts';

const isNotFound = (error: unknown): boolean => error instanceof StatusError && error.status.code === 404;

/**
 * Deletes the objects of a list one by one, and returns the list. CustomResourceDefinitions without finalizers are removed at
 * once, and the server no longer serves their instances. The real server also uses a simpler deletion for collections of
 * CRDs.
 *
 * @see k8s.io/apiserver v0.36.4 pkg/registry/generic/registry/store.go (`DeleteCollection`)
 */
export const handleDeleteCollection = (given: Call): ServerResponse => {
  const { body, items } = listObjects(given);
  const { call, options } = withDeleteOptions(given);
  for (const { metadata } of items) {
    const { namespace = '', name } = metadata;
    const target = { ...call.target, namespace, name, subject: { ...call.target.subject, name } };
    try {
      deleteFromStore({ ...call, target }, options);
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  }
  return { code: 200, body };
};
