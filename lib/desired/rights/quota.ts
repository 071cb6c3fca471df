import type { AnyKindDefinition } from '#lib/desired/definition.ts';
import type { KindRef } from '#lib/kind/handles/reference.ts';

/**
 * The core kind ResourceQuota with the fields of the status, which admission uses. A change of `spec.hard` takes effect when the quota
 * controller has copied the change into the status (apiserver `resourcequota/controller.go`, CheckRequest).
 */
export const WatchedQuota: KindRef = {
  apiVersion: 'v1',
  kind: 'ResourceQuota',
  plural: 'resourcequotas',
  scope: 'Namespaced',
  fields: ['status.hard', 'status.used'],
};

/** The kinds that limit the number of pods: ResourceQuota if the kind owns pods without `elsewhere()`, otherwise none. */
export const quotasOf = ({ owns }: Pick<AnyKindDefinition, 'owns'>): readonly KindRef[] =>
  owns.some(({ apiVersion, plural, elsewhere }) => apiVersion === 'v1' && plural === 'pods' && !elsewhere)
    ? [WatchedQuota]
    : [];
