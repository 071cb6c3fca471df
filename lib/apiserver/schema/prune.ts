import { memberPath } from '#lib/apiserver/machinery/field-error.ts';
import type { StructuralSchema } from '#lib/apiserver/machinery/schema.ts';
import { isMetaField, valuesSchemaOf } from '#lib/cel/subschema.ts';
import { isPlainObject, type JsonObject, memberOf, setOwn } from '#lib/json.ts';

/** The result of pruning: the remaining value and the removed fields. */
export interface Pruned {
  readonly object: JsonObject;
  /** The paths of the removed fields, sorted, such as `spec.containers[0].colour`. */
  readonly unknownFields: readonly string[];
}

interface Walk {
  readonly unknown: string[];
}

/**
 * A position during pruning. The schema is `undefined` where no schema is declared, such as below `additionalProperties: true`.
 * At such a position, pruning keeps scalars and drops all members of objects, as on the real server.
 */
interface PrunePosition {
  readonly schema: StructuralSchema | undefined;
  readonly path: string;
}

const keepsUnknown = (schema: StructuralSchema | undefined): boolean =>
  schema?.['x-kubernetes-preserve-unknown-fields'] === true;

const isResource = (schema: StructuralSchema | undefined): boolean =>
  schema?.['x-kubernetes-embedded-resource'] === true;

type MemberFate = { readonly kept: true; readonly value: unknown } | { readonly kept: false };

const pruneMember = (walk: Walk, place: PrunePosition, [name, value]: readonly [string, unknown]): MemberFate => {
  const { schema } = place;
  if (isResource(schema) && isMetaField(name)) return { kept: true, value };
  const path = memberPath(place.path, name);
  const declared = memberOf(schema?.properties, name);
  if (declared !== undefined) return { kept: true, value: pruneValue(walk, value, { schema: declared, path }) };
  if (schema?.additionalProperties !== undefined) {
    return { kept: true, value: pruneValue(walk, value, { schema: valuesSchemaOf(schema), path }) };
  }
  if (keepsUnknown(schema)) return { kept: true, value };
  if (!isMetaField(name) || place.path !== '') walk.unknown.push(path);
  return { kept: false };
};

const pruneObject = (walk: Walk, object: JsonObject, place: PrunePosition): JsonObject => {
  let changed = false;
  const kept: Record<string, unknown> = {};
  for (const name of Object.keys(object)) {
    const value = object[name];
    const fate = pruneMember(walk, place, [name, value]);
    if (fate.kept) setOwn(kept, name, fate.value);
    if (!fate.kept || fate.value !== value) changed = true;
  }
  return changed ? kept : object;
};

/** Returns the position of a list item. If the schema of the list keeps unknown fields, the items also keep unknown fields. */
const itemPlace = (place: PrunePosition, index: number): PrunePosition => {
  const items = place.schema?.items;
  const schema = keepsUnknown(place.schema) ? { ...items, 'x-kubernetes-preserve-unknown-fields': true } : items;
  return { schema, path: `${place.path}[${index}]` };
};

const pruneList = (walk: Walk, list: readonly unknown[], place: PrunePosition): readonly unknown[] => {
  let changed = false;
  const items = list.map((item, index) => {
    const pruned = pruneValue(walk, item, itemPlace(place, index));
    if (pruned !== item) changed = true;
    return pruned;
  });
  return changed ? items : list;
};

const pruneValue = (walk: Walk, value: unknown, place: PrunePosition): unknown => {
  if (Array.isArray(value)) return pruneList(walk, value, place);
  return isPlainObject(value) ? pruneObject(walk, value, place) : value;
};

/**
 * Drops fields that a schema does not declare. The root counts as a resource: its apiVersion, kind and metadata stay.
 *
 * @see k8s.io/apiextensions-apiserver v0.36.4 pkg/apiserver/schema/pruning/algorithm.go
 */
export const pruneUnknown = (object: JsonObject, schema: StructuralSchema): Pruned => {
  const walk: Walk = { unknown: [] };
  const root: StructuralSchema = { ...schema, 'x-kubernetes-embedded-resource': true };
  const pruned = pruneObject(walk, object, { schema: root, path: '' });
  return { object: pruned, unknownFields: walk.unknown.toSorted() };
};

/** Whether a value has only declared fields. Unlike in {@link pruneUnknown}, the root does not count as a resource. */
export const isPruned = (value: unknown, schema: StructuralSchema): boolean =>
  pruneValue({ unknown: [] }, value, { schema, path: '.' }) === value;
