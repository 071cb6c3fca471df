import type { ApiResource } from '#lib/kube/interface/api.ts';

/** The resource of CustomResourceDefinitions. */
export const DEFINITIONS: ApiResource = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  plural: 'customresourcedefinitions',
  scope: 'Cluster',
};
