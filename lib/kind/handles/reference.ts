import type {
  ControllerRevision as KubeControllerRevision,
  Deployment as KubeDeployment,
  StatefulSet as KubeStatefulSet,
} from 'kubernetes-types/apps/v1.js';
import type {
  ConfigMap as KubeConfigMap,
  Node as KubeNode,
  Pod as KubePod,
  Service as KubeService,
} from 'kubernetes-types/core/v1.js';

/** The fields of metadata that the library reads or writes. */
export interface ObjectMeta {
  name?: string;
  generateName?: string;
  namespace?: string;
  uid?: string;
  resourceVersion?: string;
  generation?: number;
  creationTimestamp?: string;
  deletionTimestamp?: string;
  deletionGracePeriodSeconds?: number;
  labels?: Record<string, string>;
  annotations?: Record<string, string>;
  ownerReferences?: OwnerReference[];
  finalizers?: string[];
}

/** An owner reference of Kubernetes. */
export interface OwnerReference {
  apiVersion: string;
  kind: string;
  name: string;
  uid: string;
  controller?: boolean;
  blockOwnerDeletion?: boolean;
}

/** The fields of a Kubernetes object that the library itself uses. */
export interface KubeObject {
  apiVersion?: string;
  kind?: string;
  metadata?: ObjectMeta;
}

/**
 * A handle of a kind: the information to watch, type, cache and authorize the kind.
 *
 * @typeParam O - the type of the objects
 */
export interface KindRef<O extends KubeObject = KubeObject> {
  /** Group and version, such as `v1` or `apps/v1`. */
  readonly apiVersion: string;
  readonly kind: string;
  readonly plural: string;
  readonly scope: 'Namespaced' | 'Cluster';
  /**
   * The paths that a function reads in addition to metadata, such as `status.phase`. The cache keeps only these fields and
   * metadata. It keeps only those annotations that a path declares (`metadata.annotations.<name>`), and short ones of the loop
   * and of the API groups of the kinds.
   *
   * @default all fields except `metadata.managedFields`
   */
  readonly fields?: readonly string[];
  /**
   * Whether objects of the kind do not change after creation, except by small patches (Pod, ControllerRevision, Job). The loop
   * creates them with POST.
   */
  readonly createOnce?: boolean;
  /** Whether objects of the kind hold data (PersistentVolumeClaim). The loop prunes them only with consent. */
  readonly holdsData?: boolean;
  /**
   * A field that never changes once the object exists, such as `data`. When the field is larger than 4 KiB, the cache keeps only
   * a digest of the field, unless another handle in the process needs the field. When a function reads such a field, the loop
   * gets the object from the API server. The loop then calls the function again with this object. Not allowed in `reads`.
   *
   * @default no such field
   */
  readonly onDemand?: string;
  /**
   * Only for `reads`: whether the objects only provide information for users, so that no decision depends on them. When the cache
   * has no room for a large object, a look-up omits this object. Without this option, the resource that looks up such an object
   * becomes `Stalled`, with reason `TooLarge`. A change of such an object starts a pass after 250 ms, so that many
   * changes cause one pass.
   */
  readonly onlyInforms?: true;
  /** Whether only objects with the label of their owner are watched; see {@link labelled}. */
  readonly labelled?: true;
  /** The places outside of the namespace of the resource; see `elsewhere()`. */
  readonly elsewhere?: { readonly namespaces?: readonly string[] | 'any' };
  /**
   * The action of the loop if the intent of a child changes an immutable field, such as the selector of a Deployment. With
   * `report`, the child stays, and the resource becomes `Stalled`, with reason `ImmutableField`. With `replace`, the loop
   * deletes the child and creates it again; if `holdsData` is set, the loop replaces the child only with consent.
   *
   * @default 'report'
   */
  readonly onImmutableField?: 'report' | 'replace';
  /** The type of the objects. This member does not exist at run time. */
  readonly '~object'?: O;
}

/** The core kind Pod. The cache keeps its phase and conditions; use {@link reading} to keep more fields. */
export const Pod: KindRef<KubePod> = {
  apiVersion: 'v1',
  kind: 'Pod',
  plural: 'pods',
  scope: 'Namespaced',
  createOnce: true,
  fields: ['status.phase', 'status.conditions'],
};

/** The core kind ConfigMap; the cache keeps all fields. */
export const ConfigMap: KindRef<KubeConfigMap> = {
  apiVersion: 'v1',
  kind: 'ConfigMap',
  plural: 'configmaps',
  scope: 'Namespaced',
};

/** The core kind Service; the cache keeps all fields. */
export const Service: KindRef<KubeService> = {
  apiVersion: 'v1',
  kind: 'Service',
  plural: 'services',
  scope: 'Namespaced',
};

/** The kind StatefulSet of `apps/v1`; the cache keeps all fields. */
export const StatefulSet: KindRef<KubeStatefulSet> = {
  apiVersion: 'apps/v1',
  kind: 'StatefulSet',
  plural: 'statefulsets',
  scope: 'Namespaced',
};

/** The kind Deployment of `apps/v1`; the cache keeps all fields. */
export const Deployment: KindRef<KubeDeployment> = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  plural: 'deployments',
  scope: 'Namespaced',
};

/**
 * The kind ControllerRevision of `apps/v1`: snapshots of templates. The data of a ControllerRevision never change. The loop
 * reads large data only when a function needs them.
 */
export const ControllerRevision: KindRef<KubeControllerRevision> = {
  apiVersion: 'apps/v1',
  kind: 'ControllerRevision',
  plural: 'controllerrevisions',
  scope: 'Namespaced',
  createOnce: true,
  onDemand: 'data',
};

/**
 * The core kind Node, for functions that read nodes. The cache keeps only the taints and the metadata of a node, because kubelets
 * write the status often. Use {@link reading} to keep more fields.
 */
export const Node: KindRef<KubeNode> = {
  apiVersion: 'v1',
  kind: 'Node',
  plural: 'nodes',
  scope: 'Cluster',
  fields: ['spec.taints'],
};

/**
 * Returns a handle of the same kind that keeps more fields in the cache. A handle without `fields` keeps all fields already. If
 * several kinds read the same child kind, the cache keeps the fields of all their handles.
 *
 * @param kind - the handle to extend
 * @param fields - paths such as `spec.nodeName`
 * @returns a new handle; `kind` is unchanged
 * @example
 * owns: [reading(Pod, ['spec.nodeName'])]
 */
export const reading = <O extends KubeObject>(kind: KindRef<O>, fields: readonly string[]): KindRef<O> => ({
  ...kind,
  ...(kind.fields === undefined ? {} : { fields: [...new Set([...kind.fields, ...fields])].toSorted() }),
});

/**
 * Returns a handle of the same kind that watches and caches only objects with the label of their owner. Use such a handle in
 * clusters with many objects of the kind that do not belong to the operator.
 *
 * - A resource cannot adopt or release objects of this handle.
 * - A child that loses its label is missing in the input of the function. When the function applies the child again, the child
 *   gets the label back.
 * - A child without the label that the function no longer applies stays until the resource is deleted.
 * - The handle has no effect if this kind also reads such objects, or if another kind in the same process owns or reads them.
 *
 * @param kind - the handle to narrow; only for `owns`
 * @returns a new handle; `kind` is unchanged
 * @example
 * owns: [labelled(Pod)]
 */
export const labelled = <O extends KubeObject>(kind: KindRef<O>): KindRef<O> => ({ ...kind, labelled: true });

/** The group of an `apiVersion`; empty for the core group. */
export const groupOf = (apiVersion: string): string => apiVersion.slice(0, Math.max(0, apiVersion.indexOf('/')));

/** Whether the group of an `apiVersion` is a domain, as groups of custom resources are; false for `v1` and for `apps/v1`. */
export const hasDomain = (apiVersion: string): boolean => groupOf(apiVersion).includes('.');

/** The plural and the group of a kind, such as `pods` or `deployments.apps`, as in kubectl and in messages about RBAC. */
export const resourceName = (kind: Pick<KindRef, 'apiVersion' | 'plural'>): string => {
  const group = groupOf(kind.apiVersion);
  return group === '' ? kind.plural : `${kind.plural}.${group}`;
};
