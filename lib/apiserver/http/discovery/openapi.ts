import { openApiTypeOf } from '#lib/apiserver/builtin/codec/openapi.ts';
import { apiVersionText } from '#lib/apiserver/machinery/resources.ts';
import { isPlainObject, type JsonObject } from '#lib/json.ts';
import type { ApiCatalogue, CatalogueEntry } from './catalogue.ts';
import texts from './metadata-texts.json' with { type: 'json' };

const PREFIX = 'io.k8s.api.';
const META_TYPE = 'meta.v1.ObjectMeta';

const pointer = (name: string): string => `#/components/schemas/${name}`;

/** Replaces references to built-in types by references to their place in the document. */
const linked = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(linked);
  if (!isPlainObject(value)) return value;
  const { $ref, ...words } = value;
  const rest = Object.fromEntries(Object.entries(words).map(([name, word]) => [name, linked(word)]));
  if (typeof $ref !== 'string') return rest;
  const reference = { $ref: pointer(`${PREFIX}${$ref}`) };
  // JSON Schema ignores all members next to a `$ref`. If there are other members, the reference is in `allOf` instead.
  return Object.keys(rest).length === 0 ? reference : { ...rest, allOf: [reference] };
};

const referencesIn = (value: unknown): readonly string[] => {
  if (Array.isArray(value)) return value.flatMap(referencesIn);
  if (!isPlainObject(value)) return [];
  const { $ref, ...rest } = value;
  return [...(typeof $ref === 'string' ? [$ref] : []), ...Object.values(rest).flatMap(referencesIn)];
};

const describedProperties = (schema: JsonObject, words: Readonly<Record<string, string>>): JsonObject => {
  const { properties } = schema;
  if (!isPlainObject(properties)) return schema;
  const described = Object.entries(properties).map(([name, member]) => {
    const description = words[name];
    return [name, isPlainObject(member) && description !== undefined ? { ...member, description } : member];
  });
  return { ...schema, properties: Object.fromEntries(described) as JsonObject };
};

const builtInSchema = (name: string, type: unknown): JsonObject => {
  const schema = linked(type) as JsonObject;
  if (name !== META_TYPE) return schema;
  const { description, properties } = texts.objectMeta;
  return { description, ...describedProperties(schema, properties) };
};

/** Adds built-in types, and all types to which they refer. */
const withBuiltIn = (schemas: Record<string, JsonObject>, names: readonly string[]): void => {
  const queue = [...names];
  for (let name = queue.pop(); name !== undefined; name = queue.pop()) {
    if (schemas[`${PREFIX}${name}`] !== undefined) continue;
    const type = openApiTypeOf(name);
    schemas[`${PREFIX}${name}`] = builtInSchema(name, type);
    queue.push(...referencesIn(type));
  }
};

const packageOf = (group: string): string => (group === '' ? 'core' : (group.split('.')[0] ?? group));

const kindOf = ({ group, version, kind }: CatalogueEntry): JsonObject => ({ group, kind, version });

const customSchema = (resource: CatalogueEntry, given: JsonObject): JsonObject => {
  const properties = isPlainObject(given['properties']) ? given['properties'] : {};
  return {
    ...given,
    properties: {
      ...properties,
      apiVersion: { type: 'string', description: texts.object.apiVersion },
      kind: { type: 'string', description: texts.object.kind },
      metadata: { allOf: [{ $ref: pointer(`${PREFIX}${META_TYPE}`) }], description: texts.object.metadata },
    },
    'x-kubernetes-group-version-kind': [kindOf(resource)],
  };
};

const addSchema = (schemas: Record<string, JsonObject>, resource: CatalogueEntry): void => {
  const { group, version, kind, definition } = resource;
  if (definition !== undefined) {
    const name = `${group.split('.').toReversed().join('.')}.${version}.${kind}`;
    schemas[name] = customSchema(resource, (definition.schema?.openAPIV3Schema ?? { type: 'object' }) as JsonObject);
    withBuiltIn(schemas, [META_TYPE]);
    return;
  }
  const name = `${packageOf(group)}.${version}.${kind}`;
  try {
    withBuiltIn(schemas, [name]);
  } catch {
    // This server has no OpenAPI types for some kinds, such as reviews and CustomResourceDefinitions.
    schemas[`${PREFIX}${name}`] = { type: 'object' };
  }
  const full = `${PREFIX}${name}`;
  schemas[full] = {
    ...describedProperties(schemas[full] ?? {}, texts.object),
    'x-kubernetes-group-version-kind': [kindOf(resource)],
  };
};

const parameter = (name: string): JsonObject => ({ name, in: 'query', schema: { type: 'string' } });
const ON_WRITES = ['dryRun', 'fieldManager', 'fieldValidation'].map(parameter);

const pathsOf = (resource: CatalogueEntry): JsonObject => {
  const { group, version, plural, isNamespaced, verbs } = resource;
  const root = `${group === '' ? '/api' : '/apis'}/${apiVersionText({ group, version })}`;
  const collection = `${root}${isNamespaced ? '/namespaces/{namespace}' : ''}/${plural}`;
  const operation = (action: string, parameters: readonly JsonObject[] = []): JsonObject => ({
    // Go clients omit empty lists when they write the document again. Without an empty list, the document stays the same.
    ...(parameters.length > 0 && { parameters }),
    responses: { 200: { description: 'OK' } },
    'x-kubernetes-action': action,
    'x-kubernetes-group-version-kind': kindOf(resource),
  });
  const on = (verb: string, method: string, parameters: readonly JsonObject[] = []): JsonObject =>
    verbs.includes(verb) ? { [method]: operation(verb, parameters) } : {};
  return {
    [collection]: { ...on('list', 'get'), ...on('create', 'post', ON_WRITES), ...on('deletecollection', 'delete') },
    [`${collection}/{name}`]: {
      ...on('get', 'get'),
      ...on('update', 'put', ON_WRITES),
      ...on('patch', 'patch', [...ON_WRITES, parameter('force')]),
      ...on('delete', 'delete'),
    },
  };
};

/** Builds the OpenAPI v3 document of some resources. */
export const documentOf = (resources: readonly CatalogueEntry[]): JsonObject => {
  const schemas: Record<string, JsonObject> = {};
  for (const resource of resources) addSchema(schemas, resource);
  return {
    openapi: '3.0.0',
    info: { title: 'Kubernetes', version: 'v1.36.4' },
    paths: Object.assign({}, ...resources.map(pathsOf)) as JsonObject,
    components: { schemas },
  };
};

const pathOf = ({ group, version }: CatalogueEntry): string =>
  group === '' ? `api/${version}` : `apis/${group}/${version}`;

/**
 * Returns the list of OpenAPI v3 documents, or the document of a group version. Built-in types have no descriptions, except for
 * apiVersion, kind and metadata.
 *
 * @param below - the segments after `/openapi/v3`
 * @returns undefined for a group version that is not served
 */
export const openApiAt = ({ all }: ApiCatalogue, below: readonly string[]): JsonObject | undefined => {
  if (below.length === 0) {
    const paths = [...new Set(all.map(pathOf))];
    return { paths: Object.fromEntries(paths.map((path) => [path, { serverRelativeURL: `/openapi/v3/${path}` }])) };
  }
  const own = all.filter((resource) => pathOf(resource) === below.join('/'));
  return own.length === 0 ? undefined : documentOf(own);
};
