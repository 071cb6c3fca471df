import { list, mapList, object, set, stringMap } from './collection-schemas.ts';
import { conditions } from './condition-schema.ts';
import { extend } from './extend-schema.ts';
import { labelSelector } from './label-selector-schema.ts';
import { podTemplate } from './pod-template-schema.ts';
import { boolean, durationSeconds, int32, int64, oneOf, optional, string, unsafe } from './scalar-schemas.ts';
import { intOrString, objectName, quantity } from './text-schemas.ts';

export type { Static } from 'typebox';
export type { Props } from '../json-schema/schema-types.ts';

/**
 * Builders of structural schemas. The builders return the JSON for the CustomResourceDefinition. TypeScript infers the types of
 * the values from a schema. `Props<S>` is the value that users write, and `Static<S>` is the value that the API server stores.
 *
 * The builders use only the types of TypeBox, and do not load TypeBox at run time.
 *
 * @example
 * const spec = s.object({ replicas: s.int32({ minimum: 0, default: 1 }), image: s.string({ maxLength: 512 }) });
 * type Written = Props<typeof spec>; // { readonly image: string; readonly replicas?: number }
 * type Stored = Static<typeof spec>; // { readonly image: string; readonly replicas: number }
 */
export const s = {
  object,
  extend,
  string,
  int32,
  int64,
  durationSeconds,
  intOrString,
  quantity,
  objectName,
  secretName: objectName,
  boolean,
  enum: oneOf,
  list,
  set,
  mapList,
  stringMap,
  labelSelector,
  podTemplate,
  conditions,
  optional,
  unsafe,
} as const;
