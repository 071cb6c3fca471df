import type { ResourceName, ServerRequest } from '#lib/apiserver/machinery/request.ts';

const resources: Readonly<Record<string, ResourceName>> = Object.fromEntries(
  [
    ['namespaces', ''],
    ['pods', ''],
    ['configmaps', ''],
    ['resourcequotas', ''],
    ['deployments', 'apps'],
    ['replicasets', 'apps'],
    ['daemonsets', 'apps'],
    ['statefulsets', 'apps'],
    ['controllerrevisions', 'apps'],
    ['persistentvolumeclaims', ''],
    ['jobs', 'batch'],
  ].map(([plural = '', group = '']) => [plural, { group, version: 'v1', plural }]),
);

/** The resource of a plural. */
export const resourceOf = (plural: string): ResourceName => resources[plural]!;

const kinds: Readonly<Record<string, readonly [string, string]>> = {
  namespaces: ['v1', 'Namespace'],
  pods: ['v1', 'Pod'],
  configmaps: ['v1', 'ConfigMap'],
  resourcequotas: ['v1', 'ResourceQuota'],
  deployments: ['apps/v1', 'Deployment'],
  replicasets: ['apps/v1', 'ReplicaSet'],
  daemonsets: ['apps/v1', 'DaemonSet'],
  statefulsets: ['apps/v1', 'StatefulSet'],
  persistentvolumeclaims: ['v1', 'PersistentVolumeClaim'],
  jobs: ['batch/v1', 'Job'],
};

/** JSON of an object. */
export type Body = Readonly<Record<string, unknown>>;

/** Creates an object. */
export const create = (plural: string, namespace: string | undefined, body: Body): ServerRequest => {
  const [apiVersion, kind] = kinds[plural]!;
  return {
    verb: 'create',
    resource: resourceOf(plural),
    ...(namespace !== undefined && { namespace }),
    body: { apiVersion, kind, ...body },
  };
};

/** A merge patch. */
export const patch = (plural: string, [namespace, name]: readonly [string, string], body: Body): ServerRequest => ({
  verb: 'patch',
  patchType: 'merge',
  resource: resourceOf(plural),
  namespace,
  name,
  body,
});

/** Deletes an object. */
export const remove = (
  plural: string,
  [namespace, name]: readonly [string | undefined, string],
  policy?: string,
): ServerRequest => ({
  verb: 'delete',
  resource: resourceOf(plural),
  ...(namespace !== undefined && { namespace }),
  name,
  body: { apiVersion: 'v1', kind: 'DeleteOptions', ...(policy !== undefined && { propagationPolicy: policy }) },
});

/** The part of a pod's spec with the image. */
export const containers = (image: string, more: Body = {}): Body => ({ containers: [{ name: 'app', image, ...more }] });

/** A pod template. */
export const template = (image: string, more: Body = {}): Body => ({
  metadata: { labels: { app: 'web' } },
  spec: containers(image, more),
});

/** A Deployment without `apiVersion` and `kind`, which the request adds. */
export const deployment = (spec: Body): Body => ({
  metadata: { name: 'web', labels: { x: 'y' }, annotations: { team: 'a' } },
  spec: { replicas: 3, selector: { matchLabels: { app: 'web' } }, template: template('app:1'), ...spec },
});
