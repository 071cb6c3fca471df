import { copyJson, isJson, isPlainObject, type Json, type JsonObject, membersOf } from '#lib/json.ts';
import { KEYWORDS, type KeywordKind } from './keywords.ts';
import type { Validation } from './schema-options.ts';

/**
 * The keywords of JSON Schema that a CustomResourceDefinition may contain, except `title`, `externalDocs` and `example`. The
 * value of every keyword has the right type.
 *
 * @see https://github.com/kubernetes/apiextensions-apiserver/blob/master/pkg/apis/apiextensions/v1/types_jsonschema.go
 */
export interface JsonSchema {
  readonly type?: string;
  readonly format?: string;
  readonly description?: string;
  readonly nullable?: boolean;
  readonly default?: Json;
  readonly enum?: readonly Json[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: boolean;
  readonly exclusiveMaximum?: boolean;
  readonly multipleOf?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly uniqueItems?: boolean;
  readonly minProperties?: number;
  readonly maxProperties?: number;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly additionalProperties?: boolean | JsonSchema;
  readonly items?: JsonSchema;
  readonly allOf?: readonly JsonSchema[];
  readonly anyOf?: readonly JsonSchema[];
  readonly oneOf?: readonly JsonSchema[];
  readonly not?: JsonSchema;
  readonly 'x-kubernetes-int-or-string'?: boolean;
  readonly 'x-kubernetes-preserve-unknown-fields'?: boolean;
  readonly 'x-kubernetes-embedded-resource'?: boolean;
  readonly 'x-kubernetes-list-type'?: string;
  readonly 'x-kubernetes-list-map-keys'?: readonly string[];
  readonly 'x-kubernetes-map-type'?: string;
  readonly 'x-kubernetes-validations'?: readonly Validation[];
}

const isCount = (value: unknown): boolean => Number.isSafeInteger(value) && Number(value) >= 0;
const isListOf = (isItem: (item: unknown) => boolean) => (value: unknown) =>
  Array.isArray(value) && value.every(isItem);
const isString = (value: unknown): boolean => typeof value === 'string';
const isRule = (value: unknown): boolean =>
  isPlainObject(value) &&
  isJson(value) &&
  isString(value['rule']) &&
  ['message', 'messageExpression', 'reason', 'fieldPath'].every((name) => !(name in value) || isString(value[name]));

const CHECKS: Readonly<Record<KeywordKind, (value: unknown) => boolean>> = {
  text: isString,
  flag: (value) => typeof value === 'boolean',
  number: (value) => typeof value === 'number' && Number.isFinite(value),
  count: isCount,
  names: isListOf(isString),
  json: isJson,
  values: isListOf(isJson),
  object: (value) => isPlainObject(value) && isJson(value),
  schema: isPlainObject,
  schemas: isListOf(isPlainObject),
  fields: (value) => isPlainObject(value) && membersOf(value).every(([, member]) => isPlainObject(member)),
  'schema or flag': (value) => typeof value === 'boolean' || isPlainObject(value),
  rules: isListOf(isRule),
};

const KEYWORD_KINDS = Object.entries(KEYWORDS);

/** Whether the value of a keyword has the type that the decoder of the API server requires. */
export const hasKeywordType = (kind: KeywordKind, value: unknown): boolean => CHECKS[kind](value);

const readFields = (value: unknown): JsonObject | undefined =>
  isPlainObject(value)
    ? Object.fromEntries(
        membersOf(value).flatMap(([name, member]) => (isPlainObject(member) ? [[name, readSchema(member)]] : [])),
      )
    : undefined;

const readKeyword = (kind: KeywordKind, value: unknown): unknown => {
  if (kind === 'fields') return readFields(value);
  if (!hasKeywordType(kind, value)) return undefined;
  if (isPlainObject(value) && (kind === 'schema' || kind === 'schema or flag')) return readSchema(value);
  if (Array.isArray(value) && kind === 'schemas') return value.filter(isPlainObject).map((item) => readSchema(item));
  return isJson(value) ? copyJson(value) : undefined;
};

/**
 * Returns a copy of a JSON schema with only the supported keywords, in the order of {@link KEYWORDS}. The copy has no internal
 * properties of TypeBox, no unknown keywords, and no keywords with a value of the wrong type. The rules report the removed
 * keywords, but not the internal properties.
 *
 * @param raw - the schema as the developer of the kind wrote it
 */
export const readSchema = (raw: JsonObject): JsonSchema => {
  const schema: Record<string, unknown> = {};
  for (const [keyword, kind] of KEYWORD_KINDS) {
    const value = raw[keyword] === undefined ? undefined : readKeyword(kind, raw[keyword]);
    if (value !== undefined) schema[keyword] = value;
  }
  return schema;
};
