import { isPlainObject, type JsonObject } from '#lib/json.ts';
import type { ApiCatalogue, CatalogueEntry } from './catalogue.ts';
import { documentOf } from './openapi.ts';

const pointerIn = (reference: string): string => reference.replace('#/components/schemas/', '#/definitions/');

const JUNCTORS: ReadonlySet<string> = new Set(['allOf', 'anyOf', 'oneOf', 'not', 'nullable']);

const isFree = (schema: JsonObject): boolean => schema['x-kubernetes-preserve-unknown-fields'] === true;

/** Whether a schema is nullable or accepts unknown fields. Clients of OpenAPI v2 cannot read the members of such a schema. */
const isOpaque = (schema: JsonObject): boolean => schema['nullable'] === true || isFree(schema);

const hasType = (schema: JsonObject): boolean => {
  if (schema['nullable'] === true || (isFree(schema) && schema['type'] === 'object')) return false;
  return schema['type'] !== 'array' || (schema['items'] !== undefined && !isOpaque(schema));
};

const requiredIn = ({ required, properties }: JsonObject): JsonObject => {
  if (!Array.isArray(required)) return {};
  const members = isPlainObject(properties) ? properties : {};
  const kept = (required as readonly string[]).filter((name) => {
    const member = members[name];
    return !isPlainObject(member) || member['nullable'] !== true;
  });
  return kept.length === 0 ? {} : { required: kept };
};

const referenceIn = (schema: JsonObject): string | undefined => {
  const [first] = Array.isArray(schema['allOf']) ? (schema['allOf'] as readonly JsonObject[]) : [];
  const reference = schema['$ref'] ?? first?.['$ref'];
  return typeof reference === 'string' ? reference : undefined;
};

const mapped = (value: unknown): unknown =>
  isPlainObject(value)
    ? Object.fromEntries(Object.entries(value).map(([name, schema]) => [name, toOlderSchema(schema)]))
    : value;

const memberOf = (name: string, value: unknown): unknown => {
  if (name === 'properties') return mapped(value);
  return name === 'items' || name === 'additionalProperties' ? toOlderSchema(value) : value;
};

/**
 * Converts a schema to OpenAPI v2. Drops the parts that OpenAPI v2 cannot express.
 *
 * @see k8s.io/apiextensions-apiserver v0.36.4 pkg/controller/openapi/v2/conversion.go (`ToStructuralOpenAPIV2`)
 */
export const toOlderSchema = (schema: unknown): unknown => {
  if (!isPlainObject(schema)) return schema;
  const reference = referenceIn(schema);
  const { description } = schema;
  if (reference !== undefined) {
    return { ...(description !== undefined && { description }), $ref: pointerIn(reference) };
  }
  const kept = Object.entries(schema).filter(([name]) => {
    if (name === 'type') return hasType(schema);
    return !JUNCTORS.has(name) && name !== 'required' && !(isOpaque(schema) && ['items', 'properties'].includes(name));
  });
  const members = kept.map(([name, value]) => [name, memberOf(name, value)]);
  return { ...(Object.fromEntries(members) as JsonObject), ...requiredIn(schema) };
};

const KIND = 'x-kubernetes-group-version-kind';

/**
 * Converts a type to OpenAPI v2. If the type accepts unknown fields, the result declares no members.
 *
 * @see k8s.io/apiextensions-apiserver v0.36.4 pkg/controller/openapi/builder/builder.go (`newBuilder`)
 */
const toOlderType = (schema: unknown): unknown =>
  isPlainObject(schema) && isFree(schema) ? { type: 'object', [KIND]: schema[KIND] } : toOlderSchema(schema);

const toOlderOperation = (operation: JsonObject): JsonObject => {
  const { parameters } = operation;
  if (!Array.isArray(parameters)) return operation;
  const older = (parameters as readonly JsonObject[]).map(({ name, in: place }) => ({
    name,
    in: place,
    type: 'string',
    uniqueItems: true,
  }));
  return { ...operation, parameters: older };
};

const toOlderPath = (operations: JsonObject): JsonObject =>
  Object.fromEntries(
    Object.entries(operations).map(([method, operation]) => [method, toOlderOperation(operation as JsonObject)]),
  );

const made = new WeakMap<readonly CatalogueEntry[], JsonObject>();

/** Returns the OpenAPI v2 document of all resources. */
export const openApiV2 = ({ all }: ApiCatalogue): JsonObject => {
  const known = made.get(all);
  if (known !== undefined) return known;
  const { info, paths, components } = documentOf(all);
  const document = {
    swagger: '2.0',
    info,
    paths: Object.fromEntries(
      Object.entries(paths as JsonObject).map(([path, operations]) => [path, toOlderPath(operations as JsonObject)]),
    ),
    definitions: Object.fromEntries(
      Object.entries((components as JsonObject)['schemas'] as JsonObject).map(([name, type]) => [
        name,
        toOlderType(type),
      ]),
    ),
  };
  made.set(all, document);
  return document;
};
