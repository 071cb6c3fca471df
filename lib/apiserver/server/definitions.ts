import { statusOf } from '#lib/apiserver/crd/definition.ts';
import { acceptNames, establish } from '#lib/apiserver/crd/naming.ts';
import { awaitsCleanup, finishCleanup, markForDeletion, startCleanup } from '#lib/apiserver/crd/termination.ts';
import type { ServerObject } from '#lib/apiserver/machinery/object.ts';
import type { ServerRequest } from '#lib/apiserver/machinery/request.ts';
import { resources } from '#lib/apiserver/machinery/resources.ts';
import type { ServedKind } from '#lib/apiserver/machinery/served-kind.ts';
import { timestamp } from '#lib/apiserver/machinery/timestamp.ts';
import { commit } from './commit.ts';
import { type Deletion, deleteFromStore } from './delete.ts';
import type { DeleteOptions } from './delete-options.ts';
import { liveObject } from './get.ts';
import { checkOwnPreconditions } from './namespaces.ts';
import type { Call } from './target.ts';
import { handleUpdate } from './update.ts';

/**
 * Deletes a definition: it terminates until its instances are gone.
 *
 * @see k8s.io/apiextensions-apiserver v0.36.4 pkg/registry/customresourcedefinition/etcd.go (`Delete`)
 */
export const deleteDefinition = (call: Call, options: DeleteOptions): Deletion => {
  const live = liveObject(call);
  checkOwnPreconditions(call.target, live, options);
  if (live.metadata.deletionTimestamp !== undefined) return deleteFromStore(call, options);
  return { body: commit(call, markForDeletion(live, timestamp(call.server.now()))), isGone: false };
};

/** What the controllers of definitions may do. */
export interface DefinitionsPort {
  /** Epoch milliseconds. */
  now(): number;
  definitions(): readonly ServerObject[];
  /** The kind of a definition, while it is served. */
  kindOf(definition: ServerObject): ServedKind | undefined;
  call(request: ServerRequest): Call;
}

/** Writes the status of a definition, as the server's own controllers do. */
const writeStatus = (port: DefinitionsPort, definition: ServerObject): void => {
  const { name } = definition.metadata;
  const options = { fieldManager: 'kube-apiserver' };
  const request = { verb: 'update', resource: resources.definitions, name, body: definition, options } as const;
  handleUpdate(port.call(request), 'status');
};

/** Deletes what is not on its way yet. @returns whether nothing is left */
const deleteInstances = (port: DefinitionsPort, kind: ServedKind): boolean => {
  const [version] = kind.versions;
  if (version === undefined) return true;
  const resource = { group: kind.group, plural: kind.plural, version: version.name };
  const { table } = port.call({ verb: 'deletecollection', resource }).target.drawer;
  for (const { metadata } of table.list()) {
    if (metadata.deletionTimestamp !== undefined) continue;
    const { namespace, name } = metadata;
    const place = { name, ...(namespace !== undefined && { namespace }) };
    deleteFromStore(port.call({ verb: 'delete', resource, ...place }), { isDryRun: false });
  }
  return table.list().length === 0;
};

const terminatingReason = (definition: ServerObject): string | undefined =>
  statusOf(definition).conditions?.find(({ type }) => type === 'Terminating')?.reason;

/** @see k8s.io/apiextensions-apiserver v0.36.4 pkg/controller/finalizer/crd_finalizer.go */
const cleanUp = (port: DefinitionsPort, definition: ServerObject): boolean => {
  const started = startCleanup(definition, timestamp(port.now()));
  const kind = port.kindOf(definition);
  const isEmpty = kind === undefined || deleteInstances(port, kind);
  if (!isEmpty && terminatingReason(started) === terminatingReason(definition)) return false;
  writeStatus(port, isEmpty ? finishCleanup(definition, timestamp(port.now())) : started);
  return true;
};

/** One step with one definition. @returns whether there was anything to do */
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
 * What the server's own controllers do with definitions, at once: accept names, serve what they define, and delete the instances
 * of those that terminate.
 */
export const settleDefinitions = (port: DefinitionsPort): void => {
  for (const { metadata } of port.definitions()) {
    const current = (): ServerObject | undefined => port.definitions().find((one) => one.metadata.uid === metadata.uid);
    for (let definition = current(); definition && step(port, definition); definition = current());
  }
};
