import type { ServerObject } from '#lib/apiserver/machinery/object.ts';
import { resources } from '#lib/apiserver/machinery/resources.ts';
import { byText } from '#lib/apiserver/machinery/text/order.ts';
import { canonicalJson, equalJson, isPlainObject, type JsonObject } from '#lib/json.ts';
import { fieldManagers, requestFor, updateOf } from '../../context.ts';
import { objectKey } from '../../informer.ts';
import { controllerReference } from '../../ownership.ts';
import type { Write } from '../../sync-controller.ts';
import type { PodTemplate } from '../../workload.ts';
import type { StoredRevision } from './stored-sets.ts';

/** The label of a pod that identifies its revision. */
export const REVISION_HASH = 'controller-revision-hash';

/**
 * Returns the data of a revision: a patch that replaces the template.
 *
 * @see k8s.io/kubernetes v1.36.4 pkg/controller/statefulset/stateful_set_utils.go (`getPatch`)
 */
export const templatePatch = (template: PodTemplate): JsonObject => ({
  spec: { template: { ...template, $patch: 'replace' } },
});

/** Returns the template in the data of a revision; undefined if there is none. */
export const templateIn = ({ data }: StoredRevision): PodTemplate | undefined => {
  const spec = data?.['spec'];
  const template = isPlainObject(spec) ? spec['template'] : undefined;
  if (!isPlainObject(template)) return undefined;
  const { $patch: _, ...rest } = template;
  return rest as unknown as PodTemplate;
};

/** Whether the data of a revision equals `wanted`. */
export const hasData = ({ data }: StoredRevision, wanted: JsonObject): boolean => equalJson(data, wanted);

/**
 * Compares revisions: the lowest number comes first. Revisions with equal numbers are ordered by age, and then by name.
 *
 * @see k8s.io/kubernetes v1.36.4 pkg/controller/history/controller_history.go (`byRevision`)
 */
export const byNumber = (a: StoredRevision, b: StoredRevision): number =>
  a.revision - b.revision ||
  Date.parse(a.metadata.creationTimestamp) - Date.parse(b.metadata.creationTimestamp) ||
  byText(a.metadata.name, b.metadata.name);

/** The data of a new revision. */
export interface NewRevision {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly data: JsonObject;
  readonly revision: number;
}

/** The write that creates a revision. The revision has the annotations of its owner. */
export const revisionCreation = (owner: ServerObject, { name, labels, data, revision }: NewRevision): Write => {
  const { namespace = '', annotations } = owner.metadata;
  return {
    label: `create controllerrevision ${namespace}/${name}`,
    request: {
      verb: 'create',
      resource: resources.controllerRevisions,
      namespace,
      options: { fieldManager: fieldManagers.controllers },
      body: {
        apiVersion: 'apps/v1',
        kind: 'ControllerRevision',
        metadata: { name, labels, ...(annotations && { annotations }), ownerReferences: [controllerReference(owner)] },
        // Clients compare these bytes with the sorted JSON of the template (`Match` in update.go).
        data: JSON.parse(canonicalJson(data)) as JsonObject,
        revision,
      },
    },
  };
};

/** The write that updates a revision. */
export const revisionUpdate = (revision: StoredRevision): Write => ({
  label: `update controllerrevision ${objectKey(revision)}`,
  request: updateOf(resources.controllerRevisions, revision, { manager: fieldManagers.controllers }),
});

/** The write that deletes a revision. */
export const revisionDeletion = (revision: StoredRevision): Write => ({
  label: `delete controllerrevision ${objectKey(revision)}`,
  request: requestFor(resources.controllerRevisions, revision, { verb: 'delete' }),
});
