/** The required type of the value of a keyword. */
export type KeywordKind =
  | 'text'
  | 'flag'
  | 'number'
  | 'count'
  | 'names'
  | 'json'
  | 'values'
  | 'object'
  | 'schema'
  | 'schemas'
  | 'fields'
  | 'schema or flag'
  | 'rules';

/**
 * Every keyword that a schema may use, in the order in which the CustomResourceDefinition contains them.
 *
 * @see https://github.com/kubernetes/apiextensions-apiserver/blob/master/pkg/apis/apiextensions/v1/types_jsonschema.go
 */
export const KEYWORDS: Readonly<Record<string, KeywordKind>> = {
  type: 'text',
  format: 'text',
  title: 'text',
  description: 'text',
  externalDocs: 'object',
  example: 'json',
  nullable: 'flag',
  default: 'json',
  enum: 'values',
  minimum: 'number',
  exclusiveMinimum: 'flag',
  maximum: 'number',
  exclusiveMaximum: 'flag',
  multipleOf: 'number',
  minLength: 'count',
  maxLength: 'count',
  pattern: 'text',
  minItems: 'count',
  maxItems: 'count',
  uniqueItems: 'flag',
  minProperties: 'count',
  maxProperties: 'count',
  required: 'names',
  properties: 'fields',
  additionalProperties: 'schema or flag',
  items: 'schema',
  allOf: 'schemas',
  anyOf: 'schemas',
  oneOf: 'schemas',
  not: 'schema',
  'x-kubernetes-embedded-resource': 'flag',
  'x-kubernetes-int-or-string': 'flag',
  'x-kubernetes-list-map-keys': 'names',
  'x-kubernetes-list-type': 'text',
  'x-kubernetes-map-type': 'text',
  'x-kubernetes-preserve-unknown-fields': 'flag',
  'x-kubernetes-validations': 'rules',
};

/** The required types of the values of keywords in words, for messages. */
export const KIND_NAMES: Readonly<Record<KeywordKind, string>> = {
  text: 'a string',
  flag: 'true or false',
  number: 'a number',
  count: 'a whole number that is not negative',
  names: 'a list of strings',
  json: 'a JSON value (no undefined, NaN, Date or function)',
  values: 'a list of JSON values',
  object: 'a JSON object',
  schema: 'one schema: an object, not true, false or a list',
  schemas: 'a list of schemas',
  fields: 'an object of schemas',
  'schema or flag': 'a schema, true or false',
  rules: 'a list of objects with a rule',
};

/** Keywords that the API server refuses, with the proposed replacements. */
export const FORBIDDEN_KEYWORDS: Readonly<Record<string, string>> = {
  $ref: 'write the referenced schema in place',
  $schema: 'leave it out',
  id: 'leave it out',
  definitions: 'write the schemas in place',
  dependencies: 'write a rule: s.object(…, { validations: […] })',
  patternProperties: 'use s.stringMap, or additionalProperties with a rule for the names',
  additionalItems: 'leave it out: every item has the same schema',
};
