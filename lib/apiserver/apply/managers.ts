import type { ManagedFieldsEntry } from '#lib/apiserver/machinery/object.ts';
import { onceByText } from '#lib/apiserver/machinery/text/once-by-text.ts';
import { equalJson } from '#lib/json.ts';
import { emptySet, type FieldSet } from './fields/field-set.ts';
import { decodeFields, encodeFields } from './fields/fields-v1.ts';
import { scalarJson } from './fields/scalar-json.ts';
import { compareTexts, isList, isMap } from './fields/value.ts';

/** A field manager with its fields: a decoded entry of `managedFields`. */
export interface Owner {
  /** The identifier of the manager. Identifiers contain the version only for the operation Update. */
  readonly id: string;
  readonly manager: string;
  readonly operation: 'Apply' | 'Update';
  readonly subresource: string;
  /** The apiVersion of the field set. */
  readonly apiVersion: string;
  readonly set: FieldSet;
  readonly time: string | undefined;
  /** The entry of `managedFields` for this owner, if {@link encodeManagers} made the entry before. */
  readonly entry?: ManagedFieldsEntry;
}

/** Managers by identifier. A function may change only a map that it has created itself. */
export type Managers = ReadonlyMap<string, Owner>;

type Identity = Pick<Owner, 'manager' | 'operation' | 'subresource' | 'apiVersion'>;

/**
 * Returns the identifier of a manager, which is unique among the managers of an object.
 *
 * @see k8s.io/apimachinery v0.36.4 pkg/util/managedfields/internal/managedfields.go (`BuildManagerIdentifier`)
 */
const managerId = ({ manager, operation, apiVersion, subresource }: Identity): string => {
  const members = {
    manager,
    operation,
    apiVersion: operation === 'Apply' ? '' : apiVersion,
    subresource,
  };
  const texts = Object.entries(members)
    .filter(([, value]) => value !== '')
    .map(([name, value]) => `"${name}":${scalarJson(value)}`);
  return `{${texts.join(',')}}`;
};

const toOwner = ({ manager, operation, apiVersion, subresource }: Identity): Owner => ({
  id: managerId({ manager, operation, apiVersion, subresource }),
  manager,
  operation,
  subresource,
  apiVersion,
  set: emptySet,
  time: undefined,
});

/** Returns a manager without fields. The result is remembered, because few managers make most writes. */
export const newOwner: (identity: Identity) => Owner = onceByText(toOwner, {
  textOf: ({ manager, operation, apiVersion, subresource }) =>
    `${operation}\n${apiVersion}\n${subresource}\n${manager}`,
});

/** Returns the owner with another field set or time. Returns the given owner if both are unchanged. */
export const withSet = (owner: Owner, set: FieldSet, time: string | undefined = owner.time): Owner => {
  if (owner.set === set && owner.time === time) return owner;
  const { id, manager, operation, subresource, apiVersion } = owner;
  return { id, manager, operation, subresource, apiVersion, set, time };
};

/** The owners of frozen entries. An entry is in this map after it was decoded or encoded once. */
const decoded = new WeakMap<object, Owner>();

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

const decodeEntry = (entry: unknown): Owner | undefined => {
  if (!isMap(entry)) return undefined;
  const known = decoded.get(entry);
  if (known !== undefined) return known;
  const { operation, time } = entry;
  const [manager, apiVersion, subresource] = [entry['manager'], entry['apiVersion'], entry['subresource']].map(textOf);
  if ((operation !== 'Apply' && operation !== 'Update') || !apiVersion || entry['fieldsType'] !== 'FieldsV1') {
    return undefined;
  }
  const set = decodeFields(entry['fieldsV1']);
  if (set === undefined) return undefined;
  const identity = { manager: manager ?? '', operation, apiVersion, subresource: subresource ?? '' } as const;
  const owner = withSet(newOwner(identity), set, typeof time === 'string' ? time : undefined);
  if (!Object.isFrozen(entry)) return owner;
  decoded.set(entry, owner);
  return owner;
};

/**
 * Reads `metadata.managedFields`; undefined when an entry is malformed.
 *
 * @see k8s.io/apimachinery v0.36.4 pkg/util/managedfields/internal/managedfields.go (`DecodeManagedFields`)
 */
export const decodeManagers = (entries: unknown): Managers | undefined => {
  const managers = new Map<string, Owner>();
  if (!isList(entries)) return managers;
  for (const entry of entries) {
    const owner = decodeEntry(entry);
    if (owner === undefined) return undefined;
    managers.set(owner.id, owner);
  }
  return managers;
};

const encodeEntry = (owner: Owner): ManagedFieldsEntry => {
  if (owner.entry !== undefined) return owner.entry;
  const { manager, operation, apiVersion, subresource, time } = owner;
  const entry: ManagedFieldsEntry = Object.freeze({
    manager,
    operation,
    apiVersion,
    ...(time !== undefined && { time }),
    fieldsType: 'FieldsV1',
    fieldsV1: encodeFields(owner.set),
    ...(subresource !== '' && { subresource }),
  });
  decoded.set(entry, { ...owner, entry });
  return entry;
};

const seconds = ({ time }: { readonly time?: string | undefined }): number =>
  time === undefined ? 0 : Math.floor(Date.parse(time) / 1000);

const compareOwners = (a: Owner, b: Owner): number =>
  compareTexts(a.operation, b.operation) ||
  (a.time === b.time ? 0 : seconds(a) - seconds(b)) ||
  compareTexts(a.manager, b.manager) ||
  compareTexts(a.apiVersion, b.apiVersion) ||
  compareTexts(a.subresource, b.subresource);

/** Compares two managers by age, the oldest first, and then by identifier. */
export const compareAges = (a: Owner, b: Owner): number => seconds(a) - seconds(b) || compareTexts(a.id, b.id);

/**
 * Returns `metadata.managedFields`: appliers first, then updaters, each sorted by time and name. Entries are frozen. Without
 * managers, returns undefined.
 *
 * @param before - entries of the stored object; returned when they equal the new ones
 * @see k8s.io/apimachinery v0.36.4 pkg/util/managedfields/internal/managedfields.go (`encodeManagedFields`)
 */
export const encodeManagers = (
  managers: Managers,
  before: readonly ManagedFieldsEntry[] | undefined,
): readonly ManagedFieldsEntry[] | undefined => {
  if (managers.size === 0) return undefined;
  const entries = [...managers.values()].toSorted(compareOwners).map(encodeEntry);
  const isSame = before?.length === entries.length && entries.every((entry, index) => equalJson(entry, before[index]));
  return isSame ? before : Object.freeze(entries);
};
