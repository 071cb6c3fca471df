import type { ApiObject } from '#lib/kube/interface/api.ts';
import type { ShownResource } from '../project.ts';

/** Whether all objects of the kind of an object are shown, and not only those with a shown owner. */
export const isShownRoot = (
  shown: readonly ShownResource[],
  { apiVersion, kind }: Pick<ApiObject, 'apiVersion' | 'kind'>,
): boolean => shown.some((one) => one.isRoot && one.kind === kind && one.apiVersion === apiVersion);
