import type { Json } from '#lib/json.ts';
import type { Schema } from '#lib/apiserver/machinery/schema.ts';
import openApi from './openapi.json' with { type: 'json' };

/** A type as the file keeps it: a schema whose references are not resolved. */
export interface OpenApiType {
  readonly $ref?: string;
  readonly type?: string;
  readonly format?: string;
  readonly default?: Json;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, OpenApiType>>;
  readonly additionalProperties?: OpenApiType;
  readonly items?: OpenApiType;
}

const definitions = openApi.definitions as unknown as Readonly<Record<string, OpenApiType>>;

/**
 * A type by its short name, such as `core.v1.PodSpec`.
 *
 * @throws {Error} when there is none of this name
 */
export const openApiTypeOf = (name: string): OpenApiType => {
  const definition = definitions[name];
  if (definition === undefined) throw new Error(`Cannot find the type "${name}": it is not in openapi.json`);
  return definition;
};

/** Any JSON, which is owned as a whole. */
const freeJson: Schema = { 'x-kubernetes-map-type': 'atomic' };

/** Types whose JSON is not what OpenAPI can say. */
const special: Readonly<Record<string, Schema>> = {
  'intstr.IntOrString': { 'x-kubernetes-int-or-string': true },
  'resource.Quantity': { 'x-kubernetes-int-or-string': true },
  'runtime.RawExtension': freeJson,
  'meta.v1.FieldsV1': freeJson,
};

const linked = new Map<string, Schema>(Object.entries(special));

const link = ({ $ref, properties, additionalProperties, items, ...words }: OpenApiType): Schema => {
  const base = $ref === undefined ? {} : schemaOf($ref);
  if ($ref !== undefined && Object.keys(words).length === 0) return base;
  return {
    ...base,
    ...words,
    ...(properties && {
      properties: Object.fromEntries(Object.entries(properties).map(([name, value]) => [name, link(value)])),
    }),
    ...(additionalProperties && { additionalProperties: link(additionalProperties) }),
    ...(items && { items: link(items) }),
  };
};

/** The schema of a type by its short name, references resolved. Types that occur in several places are one object. */
export function schemaOf(name: string): Schema {
  const known = linked.get(name);
  if (known !== undefined) return known;
  const schema = link(openApiTypeOf(name));
  linked.set(name, schema);
  return schema;
}
