import type { AnyResource } from '#lib/desired/definition.ts';
import type { KindRef } from '#lib/kind/reference.ts';
import type { EventSubject } from './event.ts';

/** A resource as events name it. */
export const subjectOf = ({ apiVersion, kind, scope }: KindRef, { metadata }: AnyResource): EventSubject => {
  const { namespace, name, uid } = metadata;
  return { apiVersion, kind, ...(scope === 'Namespaced' && { namespace }), name, uid };
};
