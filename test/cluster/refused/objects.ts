import { Deployment, type KindRef, Pod } from '#lib/kind/handles/reference.ts';

/** An object as it is sent. */
export interface NamedObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly [field: string]: unknown };
  readonly [field: string]: unknown;
}

export const fieldManager = 'test';

export const handle = (
  apiVersion: string,
  kind: string,
  plural: string,
  scope: KindRef['scope'] = 'Namespaced',
): KindRef => ({
  apiVersion,
  kind,
  plural,
  scope,
});

export const ConfigMap = handle('v1', 'ConfigMap', 'configmaps');
export const Quota = handle('v1', 'ResourceQuota', 'resourcequotas');
export const Service = handle('v1', 'Service', 'services');
export const Claim = handle('v1', 'PersistentVolumeClaim', 'persistentvolumeclaims');
export const StatefulSet = handle('apps/v1', 'StatefulSet', 'statefulsets');
export const Job = handle('batch/v1', 'Job', 'jobs');

export const objectOf = (kind: KindRef, name: string, more: object = {}): NamedObject => ({
  apiVersion: kind.apiVersion,
  kind: kind.kind,
  metadata: { name },
  ...more,
});

export const containers = [{ name: 'main', image: 'busybox' }];
export const pod = (name: string, spec: object = {}) => objectOf(Pod, name, { spec: { containers, ...spec } });

export const template = (labels: object) => ({ metadata: { labels }, spec: { containers, restartPolicy: 'Always' } });
export const deployment = (name: string, app: string) =>
  objectOf(Deployment, name, { spec: { selector: { matchLabels: { app } }, template: template({ app }) } });
