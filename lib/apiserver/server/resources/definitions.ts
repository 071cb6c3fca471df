import { definitionStatus } from '#lib/apiserver/crd/definition.ts';
import { acceptNames, establish } from '#lib/apiserver/crd/naming.ts';
import { awaitsCleanup, finishCleanup, markForDeletion, startCleanup } from '#lib/apiserver/crd/termination.ts';
import type { ServerObject } from '#lib/apiserver/machinery/object.ts';
import type { ServerRequest } from '#lib/apiserver/machinery/request.ts';
import { resources } from '#lib/apiserver/machinery/resources.ts';
import type { ServedKind } from '#lib/apiserver/machinery/served-kind.ts';
import { timestamp } from '#lib/apiserver/machinery/text/timestamp.ts';
import type { Call } from '../target.ts';
import { type Deletion, deleteFromStore } from '../verbs/delete.ts';
import type { DeletionOptions } from '../verbs/delete-options.ts';
import { liveObject } from '../verbs/get.ts';
import { handleUpdate } from '../verbs/update.ts';
import { commit } from '../write/commit.ts';
import { checkOwnPreconditions } from './namespaces.ts';

/**
 * Deletes a CRD. The CRD stays terminating while instances of its kind exist, or its metadata has finalizers.
 *
 * @see k8s.io/apiextensions-apiserver v0.36.4 pkg/registry/customresourcedefinition/etcd.go (`Delete`)
 */
export const deleteDefinition = (call: Call, options: DeletionOptions): Deletion => {
  const live = liveObject(call);
  checkOwnPreconditions(call.target, live, options);
  if (live.metadata.deletionTimestamp !== undefined) return deleteFromStore(call, options);
  return { body: commit(call, markForDeletion(live, timestamp(call.server.now()))), isGone: false };
};

/** The functions of the server that the controllers for CRDs call. */
export interface DefinitionsPort {
  /** Returns the current time in epoch milliseconds. */
  now(): number;
  definitions(): readonly ServerObject[];
  /** Returns the kind of a CRD; undefined if the kind is not served. */
  kindOf(definition: ServerObject): ServedKind | undefined;
  call(request: ServerRequest): Call;
}

/** Writes the status of a CRD, as the controllers inside the real server do. */
const writeStatus = (port: DefinitionsPort, definition: ServerObject): void => {
  const { name } = definition.metadata;
  const options = { fieldManager: 'kube-apiserver' };
  const request = { verb: 'update', resource: resources.definitions, name, body: definition, options } as const;
  handleUpdate(port.call(request), 'status');
};

/** Deletes all instances of a kind, except those that are already terminating. @returns whether no instance is left */
const deleteInstances = (port: DefinitionsPort, kind: ServedKind): boolean => {
  const [version] = kind.versions;
  if (version === undefined) return true;
  const resource = { group: kind.group, plural: kind.plural, version: version.name };
  const { table } = port.call({ verb: 'deletecollection', resource }).target.collection;
  for (const { metadata } of table.list()) {
    if (metadata.deletionTimestamp !== undefined) continue;
    const { namespace, name } = metadata;
    const place = { name, ...(namespace !== undefined && { namespace }) };
    deleteFromStore(port.call({ verb: 'delete', resource, ...place }), { isDryRun: false });
  }
  return table.list().length === 0;
};

const terminatingReason = (definition: ServerObject): string | undefined =>
  definitionStatus(definition).conditions?.find(({ type }) => type === 'Terminating')?.reason;

/**
 * Deletes the instances of a terminating CRD, and updates its condition Terminating.
 *
 * @see k8s.io/apiextensions-apiserver v0.36.4 pkg/controller/finalizer/crd_finalizer.go
 * @returns whether the status was written
 */
const cleanUp = (port: DefinitionsPort, definition: ServerObject): boolean => {
  const started = startCleanup(definition, timestamp(port.now()));
  const kind = port.kindOf(definition);
  const isEmpty = kind === undefined || deleteInstances(port, kind);
  if (!isEmpty && terminatingReason(started) === terminatingReason(definition)) return false;
  writeStatus(port, isEmpty ? finishCleanup(definition, timestamp(port.now())) : started);
  return true;
};

/** Runs the next step of a CRD: cleanup, acceptance of names, or establishment. @returns whether something changed */
const step = (port: DefinitionsPort, definition: ServerObject): boolean => {
  const now = timestamp(port.now());
  if (awaitsCleanup(definition)) return cleanUp(port, definition);
  const named = acceptNames(definition, { definitions: port.definitions(), now });
  const next = named === definition ? establish(definition, now) : named;
  if (next === definition) return false;
  writeStatus(port, next);
  return true;
};

/**
 * Runs the controllers for CRDs, which are part of the real server. Accepts names, establishes CRDs, and deletes
 * the instances of terminating CRDs. Returns when no CRD needs a further step.
 */
export const settleDefinitions = (port: DefinitionsPort): void => {
  for (const { metadata } of port.definitions()) {
    const current = (): ServerObject | undefined => port.definitions().find((one) => one.metadata.uid === metadata.uid);
    for (let definition = current(); definition && step(port, definition); definition = current());
  }
};
