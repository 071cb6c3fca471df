import type { StructuralSchema } from '#lib/apiserver/machinery/schema.ts';
import type { Json } from '#lib/json.ts';
import openApi from './openapi.json' with { type: 'json' };

/** A type in openapi.json: a schema with unresolved references. */
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
 * Returns the type with a short name, such as `core.v1.PodSpec`.
 *
 * @throws {Error} when no type has this name
 */
export const openApiTypeOf = (name: string): OpenApiType => {
  const definition = definitions[name];
  if (definition === undefined) throw new Error(`Cannot find the type "${name}": it is not in openapi.json`);
  return definition;
};

/** Arbitrary JSON, which has one owner as a whole. */
const freeJson: StructuralSchema = { 'x-kubernetes-map-type': 'atomic' };

/** Types with a JSON form that OpenAPI cannot express. */
const special: Readonly<Record<string, StructuralSchema>> = {
  'intstr.IntOrString': { 'x-kubernetes-int-or-string': true },
  'resource.Quantity': { 'x-kubernetes-int-or-string': true },
  'runtime.RawExtension': freeJson,
  'meta.v1.FieldsV1': freeJson,
};

const linked = new Map<string, StructuralSchema>(Object.entries(special));

const link = ({ $ref, properties, additionalProperties, items, ...words }: OpenApiType): StructuralSchema => {
  const base = $ref === undefined ? {} : openApiSchema($ref);
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

/** Returns the schema of a type by its short name, with resolved references. Repeated calls return the same object. */
export function openApiSchema(name: string): StructuralSchema {
  const known = linked.get(name);
  if (known !== undefined) return known;
  const schema = link(openApiTypeOf(name));
  linked.set(name, schema);
  return schema;
}
