import type { ApiObject } from '#lib/kube/interface/api.ts';
import { RecentMap } from '#lib/loop/events/recent-map.ts';
import type { FieldTree } from '#lib/plan/fields/pin.ts';

interface ManagedFields {
  readonly manager?: string;
  readonly subresource?: string;
  readonly fieldsV1?: { readonly 'f:status'?: { readonly 'f:conditions'?: FieldTree } };
}

/** The field managers of the conditions of a status, by the type of the condition. */
type ConditionOwners = ReadonlyMap<string, readonly string[]>;

const owners = new WeakMap<object, ConditionOwners>();

/** The maps that were used last. Most objects of a kind have the same managers, and share one map. */
const shared = new RecentMap<ConditionOwners>(128);
/** The maximum length of the text of a shared map, in characters. The limit bounds the memory of `shared`. */
const LONGEST_SHARED = 2048;

const ownersOf = (pairs: readonly (readonly [type: string, manager: string])[]): ConditionOwners => {
  const text = JSON.stringify(pairs);
  const known = shared.get(text);
  if (known !== undefined) return known;
  const byType = Map.groupBy(pairs, ([type]) => type);
  const made = new Map([...byType].map(([type, same]) => [type, same.map(([, manager]) => manager)]));
  if (text.length <= LONGEST_SHARED) shared.set(text, made);
  return made;
};

const ELEMENT = 'k:';

const typeOf = (step: string): unknown =>
  step.startsWith(ELEMENT) ? (JSON.parse(step.slice(ELEMENT.length)) as { readonly type?: unknown }).type : undefined;

const typesIn = ({ fieldsV1 }: ManagedFields): readonly string[] =>
  Object.keys(fieldsV1?.['f:status']?.['f:conditions'] ?? {})
    .map(typeOf)
    .filter((type) => typeof type === 'string');

/**
 * Stores the field managers of the conditions of an object apart from the projected object, because the projection drops
 * `managedFields`.
 *
 * @param projected - the object as the cache holds it
 * @param object - the object as the API server sent it
 */
export const noteConditionOwners = (projected: object, object: ApiObject): void => {
  const { managedFields = [] } = object.metadata as { readonly managedFields?: readonly ManagedFields[] };
  const entries = managedFields.filter(({ subresource }) => subresource === 'status');
  const pairs = entries.flatMap((entry) => typesIn(entry).map((type) => [type, entry.manager ?? ''] as const));
  if (pairs.length > 0) owners.set(projected, ownersOf(pairs));
};

/**
 * Whether a condition of a status belongs to another controller: another manager set the condition, and `manager` did not. The
 * API server records the managers of each condition only if the schema declares the conditions as a list of type map. Otherwise
 * the result is false.
 */
export const isForeignCondition = (object: object, type: string, manager: string): boolean => {
  const managers = owners.get(object)?.get(type) ?? [];
  return managers.length > 0 && !managers.includes(manager);
};
