import type { ApiResource } from '#lib/kube/interface/api.ts';

/** Definitions of custom resources. */
export const DEFINITIONS: ApiResource = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  plural: 'customresourcedefinitions',
  scope: 'Cluster',
};
