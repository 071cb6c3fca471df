import {
  type FieldError,
  type FieldPath,
  forbiddenField,
  invalidValue,
  keyPath,
  memberPath,
  notSupported,
  required,
} from '#lib/apiserver/machinery/field-error.ts';
import type { StructuralSchema } from '#lib/apiserver/machinery/schema.ts';
import { memberOf } from '#lib/json.ts';

const LIST_TYPE = 'x-kubernetes-list-type';
const KEYS = 'x-kubernetes-list-map-keys';
const MAP_TYPE = 'x-kubernetes-map-type';

const wrongType = (path: FieldPath, type: string, why: string): FieldError =>
  type === '' ? required(memberPath(path, 'type'), why) : invalidValue(memberPath(path, 'type'), type, why);

const validateMapType = (schema: StructuralSchema, path: FieldPath): FieldError[] => {
  const mapType = schema[MAP_TYPE];
  const { type = '' } = schema;
  if (mapType === undefined) return [];
  return [
    ...(type === 'object' ? [] : [wrongType(path, type, 'must be object if x-kubernetes-map-type is specified')]),
    ...(mapType === 'atomic' || mapType === 'granular'
      ? []
      : [notSupported(memberPath(path, MAP_TYPE), mapType, ['atomic', 'granular'])]),
  ];
};

const ATOMIC_ITEMS = 'must be atomic as item of a list with x-kubernetes-list-type=set';

const validateSetItems = (items: StructuralSchema, path: FieldPath): FieldError[] => {
  const listType = items[LIST_TYPE];
  const at = memberPath(path, 'items');
  if (items.type === 'array' && listType !== undefined && listType !== 'atomic') {
    return [invalidValue(memberPath(at, LIST_TYPE), listType, ATOMIC_ITEMS)];
  }
  if (items.type !== 'object' || items[MAP_TYPE] === 'atomic') return [];
  return [invalidValue(memberPath(at, MAP_TYPE), listType ?? null, ATOMIC_ITEMS)];
};

const validateListType = (schema: StructuralSchema, path: FieldPath): FieldError[] => {
  const { type = '', items } = schema;
  const listType = schema[LIST_TYPE];
  if (listType === undefined) return [];
  const errors: FieldError[] = [];
  if (type !== 'array') errors.push(wrongType(path, type, 'must be array if x-kubernetes-list-type is specified'));
  else if (listType === 'set' && items) errors.push(...validateSetItems(items, path));
  if (!['atomic', 'set', 'map'].includes(listType)) {
    errors.push(notSupported(memberPath(path, LIST_TYPE), listType, ['atomic', 'set', 'map']));
  }
  return errors;
};

const validateKeysNeedMap = (schema: StructuralSchema, path: FieldPath): FieldError[] => {
  const listType = schema[LIST_TYPE];
  if ((schema[KEYS] ?? []).length === 0 || listType === 'map') return [];
  const why = 'must be map if x-kubernetes-list-map-keys is non-empty';
  const at = memberPath(path, LIST_TYPE);
  return [listType === undefined ? required(at, why) : invalidValue(at, listType, why)];
};

const validateKeyNames = (items: StructuralSchema, keys: readonly string[], path: FieldPath): FieldError[] =>
  keys.flatMap((key, index) => {
    const property = memberOf(items.properties, key);
    const errors: FieldError[] = [];
    if (property === undefined) {
      errors.push(invalidValue(memberPath(path, KEYS), keys, 'entries must all be names of item properties'));
    } else if (property.type === 'array' || property.type === 'object') {
      const at = memberPath(keyPath(memberPath(path, 'items.properties'), key), 'type');
      const why = "must be a scalar type if parent array's x-kubernetes-list-type is map";
      errors.push(invalidValue(at, items.type ?? '', why));
    }
    if (keys.indexOf(key) < index)
      errors.push(invalidValue(memberPath(path, KEYS), keys, 'must not contain duplicate entries'));
    return errors;
  });

const validateMapList = (schema: StructuralSchema, path: FieldPath): FieldError[] => {
  if (schema[LIST_TYPE] !== 'map') return [];
  const { items } = schema;
  const keys = schema[KEYS] ?? [];
  const errors: FieldError[] = [];
  if (keys.length === 0) {
    errors.push(required(memberPath(path, KEYS), 'must not be empty if x-kubernetes-list-type is map'));
  }
  if (items === undefined) {
    return [...errors, required(memberPath(path, 'items'), 'must have a schema if x-kubernetes-list-type is map')];
  }
  if (items.type === 'object') return [...errors, ...validateKeyNames(items, keys, path)];
  const why = "must be object if parent array's x-kubernetes-list-type is map";
  return [...errors, invalidValue(memberPath(path, 'items.type'), items.type ?? '', why)];
};

const validateKeyPresence = (items: StructuralSchema, keys: readonly string[], path: FieldPath): FieldError[] =>
  keys.flatMap((key) => {
    const property = memberOf(items.properties, key);
    if (property === undefined) return [];
    const at = keyPath(memberPath(path, 'items.properties'), key);
    const isSure =
      items.required?.includes(key) === true || (property.default !== undefined && property.default !== null);
    return [
      ...(isSure
        ? []
        : [
            required(
              memberPath(at, 'default'),
              'this property is in x-kubernetes-list-map-keys, so it must have a default or be a required property',
            ),
          ]),
      ...(property.nullable === true
        ? [
            forbiddenField(
              memberPath(at, 'nullable'),
              'this property is in x-kubernetes-list-map-keys, so it cannot be nullable',
            ),
          ]
        : []),
    ];
  });

const validateNulls = (schema: StructuralSchema, path: FieldPath): FieldError[] => {
  const { items } = schema;
  const listType = schema[LIST_TYPE];
  if (items === undefined || (listType !== 'set' && listType !== 'map')) return [];
  const why = `cannot be nullable when x-kubernetes-list-type is ${listType}`;
  return [
    ...(items.nullable === true ? [forbiddenField(memberPath(path, 'items.nullable'), why)] : []),
    ...(listType === 'map' ? validateKeyPresence(items, schema[KEYS] ?? [], path) : []),
  ];
};

/**
 * Checks list and map types of one node of a schema.
 *
 * @see k8s.io/apiextensions-apiserver v0.36.4 pkg/apis/apiextensions/validation/validation.go (`ValidateCustomResourceDefinitionOpenAPISchema`)
 */
export const validateListKeywords = (schema: StructuralSchema, path: FieldPath): FieldError[] => [
  ...validateMapType(schema, path),
  ...validateListType(schema, path),
  ...validateKeysNeedMap(schema, path),
  ...validateMapList(schema, path),
  ...validateNulls(schema, path),
];
