import type { ServerObject } from '#lib/apiserver/machinery/object.ts';
import type { ServerRequest } from '#lib/apiserver/machinery/request.ts';
import type { OwnerReference } from '#lib/kind/handles/reference.ts';

const core = (plural: string) => ({ group: '', version: 'v1', plural });

type Meta = Readonly<Record<string, unknown>>;

/** Creation of a ConfigMap in the namespace `default`. */
export const configMap = (name: string, metadata: Meta = {}): ServerRequest => ({
  verb: 'create',
  resource: core('configmaps'),
  namespace: 'default',
  body: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, ...metadata } },
});

/** Creation of a Pod with one container. */
export const podNamed = (name: string, metadata: Meta = {}, spec: Meta = {}): ServerRequest => ({
  verb: 'create',
  resource: core('pods'),
  namespace: 'default',
  body: {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, ...metadata },
    spec: { containers: [{ name: 'app', image: 'app:1' }], ...spec },
  },
});

/** Creation of a Node. */
export const nodeNamed = (name: string, metadata: Meta = {}, spec: Meta = {}): ServerRequest => ({
  verb: 'create',
  resource: core('nodes'),
  body: { apiVersion: 'v1', kind: 'Node', metadata: { name, ...metadata }, spec },
});

/** Creation of a Deployment. */
export const deploymentOf = (replicas: number, spec: Meta = {}): ServerRequest => ({
  verb: 'create',
  resource: { group: 'apps', version: 'v1', plural: 'deployments' },
  namespace: 'default',
  body: {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'web' },
    spec: {
      replicas,
      selector: { matchLabels: { app: 'web' } },
      template: { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'app', image: 'app:1' }] } },
      ...spec,
    },
  },
});

/** Creation of a DaemonSet or a StatefulSet with the name `web`. */
export const setOf = (kind: 'DaemonSet' | 'StatefulSet', spec: Meta = {}): ServerRequest => ({
  verb: 'create',
  resource: { group: 'apps', version: 'v1', plural: `${kind.toLowerCase()}s` },
  namespace: 'default',
  body: {
    apiVersion: 'apps/v1',
    kind,
    metadata: { name: 'web' },
    spec: {
      selector: { matchLabels: { app: 'web' } },
      template: { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'app', image: 'app:1' }] } },
      ...spec,
    },
  },
});

/** A merge patch that gives the container of the template another image. */
export const imageOf = (image: string): object => ({
  spec: { template: { spec: { containers: [{ name: 'app', image }] } } },
});

const plurals: Readonly<Record<string, readonly [group: string, plural: string]>> = {
  ConfigMap: ['', 'configmaps'],
  Pod: ['', 'pods'],
  ReplicaSet: ['apps', 'replicasets'],
  Deployment: ['apps', 'deployments'],
  DaemonSet: ['apps', 'daemonsets'],
  StatefulSet: ['apps', 'statefulsets'],
  ControllerRevision: ['apps', 'controllerrevisions'],
  PersistentVolumeClaim: ['', 'persistentvolumeclaims'],
  Node: ['', 'nodes'],
  Job: ['batch', 'jobs'],
};

const about = ({ kind, metadata }: ServerObject): Pick<ServerRequest, 'resource' | 'name'> & { namespace: string } => {
  const [group, plural] = plurals[kind]!;
  return { resource: { group, version: 'v1', plural }, name: metadata.name, namespace: metadata.namespace ?? '' };
};

/** A merge patch. */
export const patchOf = (object: ServerObject, body: object): ServerRequest => ({
  verb: 'patch',
  patchType: 'merge',
  ...about(object),
  body,
});

/** A deletion. */
export const deletionOf = (object: ServerObject, propagationPolicy?: string): ServerRequest => ({
  verb: 'delete',
  ...about(object),
  body: { apiVersion: 'v1', kind: 'DeleteOptions', ...(propagationPolicy !== undefined && { propagationPolicy }) },
});

/** An owner reference. */
export const ownerOf = (
  { apiVersion, kind, metadata }: ServerObject,
  more: Partial<OwnerReference> = {},
): OwnerReference => ({
  apiVersion,
  kind,
  name: metadata.name,
  uid: metadata.uid,
  ...more,
});
