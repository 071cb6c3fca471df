import { memberOf } from '#lib/json.ts';
import type { JsonSchema } from '../json-schema/json-schema.ts';
import type { RuleFinding, SchemaRule } from './rule.ts';

const LIST_TYPE = 'x-kubernetes-list-type';
const MAP_KEYS = 'x-kubernetes-list-map-keys';
const MAP_TYPE = 'x-kubernetes-map-type';

const LIST_TYPES = ['atomic', 'set', 'map'];
const MAP_TYPES = ['atomic', 'granular'];

/** The list type is `atomic`, `set` or `map`, and only a list has a list type. */
export const listType: SchemaRule = {
  id: 'list-type',
  *check({ schema, restricting }): Iterable<RuleFinding> {
    const value = schema[LIST_TYPE];
    if (restricting || value === undefined) return;
    if (!LIST_TYPES.includes(value)) yield { message: `${LIST_TYPE} must be one of ${LIST_TYPES.join(', ')}`, value };
    if (schema.type !== 'array') yield { message: `only lists have a ${LIST_TYPE}`, value: schema.type };
  },
};

/** The map type is `atomic` or `granular`, and only an object has a map type. */
export const mapType: SchemaRule = {
  id: 'map-type',
  *check({ schema, restricting }): Iterable<RuleFinding> {
    const value = schema[MAP_TYPE];
    if (restricting || value === undefined) return;
    if (!MAP_TYPES.includes(value)) yield { message: `${MAP_TYPE} must be one of ${MAP_TYPES.join(', ')}`, value };
    if (schema.type !== 'object') yield { message: `only objects have a ${MAP_TYPE}`, value: schema.type };
  },
};

function* checkKeys(items: JsonSchema, keys: readonly string[]): Iterable<RuleFinding> {
  for (const [at, key] of keys.entries()) {
    const field = memberOf(items.properties, key);
    if (keys.indexOf(key) !== at) yield { message: `${MAP_KEYS} must be distinct`, value: key };
    if (field === undefined) {
      yield { message: `${MAP_KEYS} must be names of item properties`, value: key };
    } else if (field.type === 'array' || field.type === 'object') {
      yield { message: `the key ${key} must be a scalar`, value: field.type };
    }
  }
}

/** Items of a map list are objects, and its keys are distinct scalar fields of the items. Only map lists have keys. */
export const listMapKeys: SchemaRule = {
  id: 'list-map-keys',
  *check({ schema, restricting }): Iterable<RuleFinding> {
    if (restricting) return;
    const keys = schema[MAP_KEYS] ?? [];
    if (schema[LIST_TYPE] !== 'map') {
      if (keys.length > 0) yield { message: `${MAP_KEYS} needs ${LIST_TYPE}: map`, value: keys, fix: 'use s.mapList' };
      return;
    }
    if (keys.length === 0) yield { message: `${LIST_TYPE}: map needs ${MAP_KEYS}`, fix: "for instance keys: ['name']" };
    const { items } = schema;
    if (items === undefined) return;
    if (items.type === 'object') yield* checkKeys(items, keys);
    else yield { message: 'items of a map list must be objects', value: items.type };
  },
};

/** A key of a map list is always present: it is required or has a default, and it is never null. */
export const listMapKeyPresent: SchemaRule = {
  id: 'list-map-key-present',
  *check({ schema, restricting }): Iterable<RuleFinding> {
    const { items } = schema;
    if (restricting || schema[LIST_TYPE] !== 'map' || items === undefined) return;
    for (const key of schema[MAP_KEYS] ?? []) {
      const field = memberOf(items.properties, key);
      if (field === undefined) continue;
      const isPresent = items.required?.includes(key) === true || field.default !== undefined;
      if (!isPresent) yield { message: `the key ${key} must be required or have a default`, value: key };
      if (field.nullable === true) yield { message: `the key ${key} must not be nullable`, value: key };
    }
  },
};

/** Items of sets and map lists are never null. */
export const itemsNotNull: SchemaRule = {
  id: 'items-not-null',
  *check({ schema, restricting }): Iterable<RuleFinding> {
    const type = schema[LIST_TYPE];
    if (restricting || (type !== 'set' && type !== 'map') || schema.items?.nullable !== true) return;
    yield { message: `items must not be nullable in a list of type ${type}`, value: true };
  },
};

/** Items of a set are compared as a whole: scalars, atomic lists or atomic objects. */
export const setItems: SchemaRule = {
  id: 'set-items',
  *check({ schema, restricting }): Iterable<RuleFinding> {
    const { items } = schema;
    if (restricting || schema.type !== 'array' || schema[LIST_TYPE] !== 'set' || items === undefined) return;
    if (items.type === 'array' && (items[LIST_TYPE] ?? 'atomic') !== 'atomic') {
      yield { message: 'lists in a set must be atomic', value: items[LIST_TYPE] };
    }
    if (items.type === 'object' && items[MAP_TYPE] !== 'atomic') {
      const fix = `use s.mapList, or set ${MAP_TYPE}: atomic on the items`;
      yield { message: 'objects in a set must be atomic', value: items[MAP_TYPE], fix };
    }
  },
};
