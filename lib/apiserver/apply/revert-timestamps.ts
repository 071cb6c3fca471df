import type { ServerObject } from '#lib/apiserver/machinery/object.ts';
import { equalJson, memberOf } from '#lib/json.ts';
import { memberNames } from './fields/value.ts';

const areSameBut = (
  [a, b]: readonly [object: Readonly<Record<string, unknown>>, other: Readonly<Record<string, unknown>>],
  name: string,
): boolean => {
  const names = new Set([...memberNames(a), ...memberNames(b)]);
  names.delete(name);
  return [...names].every((member) => equalJson(memberOf(a, member), memberOf(b, member)));
};

/**
 * Returns the stored object itself if an update changes nothing except times in managed fields; otherwise returns `next`. This
 * function runs for every update, after the strategy has prepared the object and before validation.
 *
 * @see k8s.io/apiserver v0.36.4 pkg/endpoints/handlers/fieldmanager/equality.go (`IgnoreManagedFieldsTimestampsTransformer`)
 */
export const revertTimestamps = (next: ServerObject, old: ServerObject): ServerObject => {
  if (next === old) return old;
  const { managedFields: entries = [] } = next.metadata;
  const { managedFields: oldEntries = [] } = old.metadata;
  if (entries.length !== oldEntries.length) return next;
  const areEqual = entries.every((entry, index) => {
    const oldEntry = oldEntries[index];
    return entry === oldEntry || (oldEntry !== undefined && areSameBut([{ ...entry }, { ...oldEntry }], 'time'));
  });
  if (!areEqual || !areSameBut([{ ...next.metadata }, { ...old.metadata }], 'managedFields')) return next;
  return areSameBut([next, old], 'metadata') ? old : next;
};
