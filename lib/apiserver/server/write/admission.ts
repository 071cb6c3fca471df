import type { ServerObject } from '#lib/apiserver/machinery/object.ts';
import type { AdmissionRequest } from '#lib/apiserver/machinery/served-kind.ts';
import { forbidden, notFound } from '#lib/apiserver/machinery/status.ts';
import type { JsonObject } from '#lib/json.ts';
import type { Call } from '../target.ts';
import type { Subresource } from './managed-fields.ts';
import { dedupOwnerReferences } from './owner-references.ts';

interface Write {
  readonly old?: ServerObject | undefined;
  readonly subresource: Subresource;
}

const nameOf = (object: JsonObject, { target }: Call): string => {
  const { name } = object['metadata'] as { readonly name?: string };
  return name || target.name || 'Unknown';
};

/**
 * Refuses writes to a namespace that does not exist, and creations in a terminating namespace.
 *
 * @see k8s.io/apiserver v0.36.4 pkg/admission/plugin/namespace/lifecycle/admission.go
 */
const checkNamespace = (call: Call, object: JsonObject, isCreation: boolean): void => {
  const { namespace, subject } = call.target;
  if (namespace === '') return;
  const phase = call.server.namespaces.find(namespace);
  if (phase === undefined) throw notFound({ group: '', kind: 'namespaces', name: namespace });
  if (phase !== 'terminating' || !isCreation) return;
  throw forbidden(
    { ...subject, name: nameOf(object, call) },
    `unable to create new content in namespace ${namespace} because it is being terminated`,
    [
      {
        reason: 'NamespaceTerminating',
        message: `namespace ${namespace} is being terminated`,
        field: 'metadata.namespace',
      },
    ],
  );
};

const requestOf = ({ options }: Call, object: ServerObject, { old, subresource }: Write): AdmissionRequest => ({
  operation: old === undefined ? 'create' : 'update',
  subresource: subresource === 'finalize' ? '' : subresource,
  object,
  ...(old && { old }),
  isDryRun: options.dryRun === true,
});

/** Checks the namespace of an object, runs mutating admission, and removes duplicate owner references. */
export const mutate = (call: Call, object: JsonObject, write: Write): JsonObject => {
  checkNamespace(call, object, write.old === undefined);
  const { strategy } = call.target.kind;
  if (strategy.mutate === undefined) return dedupOwnerReferences(object);
  return dedupOwnerReferences(
    strategy.mutate(requestOf(call, object as ServerObject, write), call.server.view) as JsonObject,
  );
};

/** Runs validating admission. */
export const admit = (call: Call, object: ServerObject, write: Write): void =>
  call.target.kind.strategy.admit?.(requestOf(call, object, write), call.server.view);

/** Runs validating admission of a deletion. */
export const admitDeletion = (call: Call, object: ServerObject): void => {
  const { strategy } = call.target.kind;
  strategy.admit?.(
    { operation: 'delete', subresource: '', object, old: object, isDryRun: call.options.dryRun === true },
    call.server.view,
  );
};
