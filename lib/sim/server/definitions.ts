import { isPlainObject, type JsonObject } from '#lib/kind/json.ts';
import type { ServerObject } from '#lib/sim/machinery/object.ts';
import type { ServedKind } from '#lib/sim/machinery/served-kind.ts';
import { commit, commitRemoval } from './commit.ts';
import { type Deletion, deleteFromStore } from './delete.ts';
import type { DeleteOptions } from './delete-options.ts';
import { liveObject } from './get.ts';
import { timestamp } from './go-words.ts';
import { checkOwnPreconditions } from './namespaces.ts';
import { type Call, withMetadata } from './target.ts';

/** @see k8s.io/apiextensions-apiserver v0.36.4 pkg/apis/apiextensions/types.go */
const CLEANUP = 'customresourcecleanup.apiextensions.k8s.io';

/** Whether a kind is CustomResourceDefinition. */
export const isDefinitionKind = ({ group, plural }: ServedKind): boolean =>
  group === 'apiextensions.k8s.io' && plural === 'customresourcedefinitions';

const terminatingStatus = (definition: ServerObject, now: string): JsonObject => {
  const status = isPlainObject(definition['status']) ? definition['status'] : {};
  const conditions: readonly JsonObject[] = Array.isArray(status['conditions']) ? status['conditions'] : [];
  const terminating = {
    type: 'Terminating',
    status: 'True',
    lastTransitionTime: now,
    reason: 'InstanceDeletionPending',
    message: 'CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon',
  };
  return { ...status, conditions: [...conditions.filter(({ type }) => type !== 'Terminating'), terminating] };
};

/**
 * Deletes a definition: it terminates until its instances are gone.
 *
 * @see k8s.io/apiextensions-apiserver v0.36.4 pkg/registry/customresourcedefinition/etcd.go (`Delete`)
 */
export const deleteDefinition = (call: Call, options: DeleteOptions): Deletion => {
  const live = liveObject(call);
  checkOwnPreconditions(call.target, live, options);
  if (live.metadata.deletionTimestamp !== undefined) return deleteFromStore(call, options);
  const now = timestamp(call.server.now());
  const { finalizers = [] } = live.metadata;
  const object = withMetadata(live, {
    deletionTimestamp: now,
    finalizers: finalizers.includes(CLEANUP) ? finalizers : [...finalizers, CLEANUP],
  });
  return { body: commit(call, { ...object, status: terminatingStatus(live, now) }), isGone: false };
};

/** Whether a definition waits for its instances to go. */
export const isCleaningUp = ({ metadata: { deletionTimestamp, finalizers = [] } }: ServerObject): boolean =>
  deletionTimestamp !== undefined && finalizers.includes(CLEANUP);

/** Deletes what is not on its way yet. */
const deleteInstances = (call: Call): void => {
  for (const { metadata } of call.target.drawer.table.list()) {
    if (metadata.deletionTimestamp !== undefined) continue;
    const { namespace = '', name } = metadata;
    const target = { ...call.target, namespace, name, subject: { ...call.target.subject, name } };
    deleteFromStore({ ...call, target }, { isDryRun: false });
  }
};

/**
 * What the server's own controller does for a definition that terminates: deletes the instances and then lets go of it.
 *
 * @see k8s.io/apiextensions-apiserver v0.36.4 pkg/controller/finalizer/crd_finalizer.go
 * @param instances - a call whose target is the kind that is defined; undefined when it is not served
 */
export const cleanUp = (call: Call, definition: ServerObject, instances: Call | undefined): void => {
  if (instances) deleteInstances(instances);
  if (instances && instances.target.drawer.table.list().length > 0) return;
  const finalizers = (definition.metadata.finalizers ?? []).filter((name) => name !== CLEANUP);
  if (finalizers.length > 0) commit(call, withMetadata(definition, { finalizers }));
  else commitRemoval(call, definition);
};
