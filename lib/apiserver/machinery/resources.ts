import type { GroupResource, ResourceName } from './request.ts';

/** Resources that parts of the virtual cluster refer to by name. */
export const resources = {
  pods: { group: '', version: 'v1', plural: 'pods' },
  services: { group: '', version: 'v1', plural: 'services' },
  nodes: { group: '', version: 'v1', plural: 'nodes' },
  persistentVolumeClaims: { group: '', version: 'v1', plural: 'persistentvolumeclaims' },
  persistentVolumes: { group: '', version: 'v1', plural: 'persistentvolumes' },
  namespaces: { group: '', version: 'v1', plural: 'namespaces' },
  limitRanges: { group: '', version: 'v1', plural: 'limitranges' },
  resourceQuotas: { group: '', version: 'v1', plural: 'resourcequotas' },
  deployments: { group: 'apps', version: 'v1', plural: 'deployments' },
  replicaSets: { group: 'apps', version: 'v1', plural: 'replicasets' },
  daemonSets: { group: 'apps', version: 'v1', plural: 'daemonsets' },
  statefulSets: { group: 'apps', version: 'v1', plural: 'statefulsets' },
  controllerRevisions: { group: 'apps', version: 'v1', plural: 'controllerrevisions' },
  priorityClasses: { group: 'scheduling.k8s.io', version: 'v1', plural: 'priorityclasses' },
  storageClasses: { group: 'storage.k8s.io', version: 'v1', plural: 'storageclasses' },
  jobs: { group: 'batch', version: 'v1', plural: 'jobs' },
  cronJobs: { group: 'batch', version: 'v1', plural: 'cronjobs' },
  definitions: { group: 'apiextensions.k8s.io', version: 'v1', plural: 'customresourcedefinitions' },
} as const satisfies Record<string, ResourceName>;

/** Whether two names refer to the same resource, in any version. */
export const isResource = (a: GroupResource, b: GroupResource): boolean => a.plural === b.plural && a.group === b.group;

/** Whether a resource is Events, in the core group or in events.k8s.io. */
export const isEvents = ({ group, plural }: GroupResource): boolean =>
  plural === 'events' && (group === '' || group === 'events.k8s.io');

/** Returns the name of a resource, such as `deployments.apps`; only the plural for a resource of the core group. */
export const resourceKey = ({ group, plural }: GroupResource): string => (group === '' ? plural : `${plural}.${group}`);

/** The parts of an `apiVersion`. */
export interface GroupVersion {
  readonly group: string;
  readonly version: string;
}

/** Returns the apiVersion, such as `apps/v1`; only the version for the core group. */
export const apiVersionText = ({ group, version }: GroupVersion): string =>
  group === '' ? version : `${group}/${version}`;

/** Splits an `apiVersion` into its parts. */
export const groupVersionOf = (apiVersion: string): GroupVersion => {
  const slash = apiVersion.indexOf('/');
  return { group: apiVersion.slice(0, Math.max(slash, 0)), version: apiVersion.slice(slash + 1) };
};

/** Converts a resource with an apiVersion to the form that requests contain. */
export const resourceNameOf = (resource: { readonly apiVersion: string; readonly plural: string }): ResourceName => ({
  ...groupVersionOf(resource.apiVersion),
  plural: resource.plural,
});
