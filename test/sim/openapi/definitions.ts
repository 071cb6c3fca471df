import { isPlainObject, type JsonObject } from '#lib/json.ts';

/** Definitions by short name; references are `{ "$ref": "<short name>" }`. */
export type Definitions = Readonly<Record<string, JsonObject>>;

/** `io.k8s.api.core.v1.Pod` becomes `core.v1.Pod`, `io.k8s.apimachinery.pkg.apis.meta.v1.Time` becomes `meta.v1.Time`. */
const shortName = (name: string): string =>
  name.replace(/^(?:.*\/)?io\.k8s\./, '').replace(/^(?:api|apimachinery\.pkg\.(?:apis?|util)|apimachinery\.pkg)\./, '');

/**
 * The keywords of a schema that the virtual cluster reads; descriptions and lists of values are left out, since the
 * server does not validate by them.
 */
const keptWords = new Set([
  'type',
  'format',
  'default',
  'required',
  'x-kubernetes-list-type',
  'x-kubernetes-list-map-keys',
  'x-kubernetes-map-type',
  'x-kubernetes-patch-merge-key',
  'x-kubernetes-patch-strategy',
]);

const membersOf = (object: JsonObject): [string, unknown][] =>
  Object.entries(object).toSorted(([a], [b]) => (a < b ? -1 : 1));

const asObject = (value: unknown): JsonObject => (isPlainObject(value) ? value : {});

/** A reference to one definition is published as `allOf` with one member, which allows a default. */
const referenceIn = (schema: JsonObject): string | undefined => {
  const [only] = Array.isArray(schema['allOf']) ? (schema['allOf'] as unknown[]) : [schema];
  const reference = asObject(only)['$ref'];
  return typeof reference === 'string' ? shortName(reference) : undefined;
};

const compact = (schema: JsonObject): JsonObject => {
  const reference = referenceIn(schema);
  return Object.fromEntries([
    ...(reference === undefined ? [] : [['$ref', reference] as const]),
    ...membersOf(schema).filter(([word]) => keptWords.has(word)),
    ...Object.entries(schema)
      .filter(([word]) => word === 'items' || word === 'additionalProperties')
      .map(([word, value]) => [word, isPlainObject(value) ? compact(value) : value] as const),
    ...(isPlainObject(schema['properties'])
      ? [
          [
            'properties',
            Object.fromEntries(
              membersOf(schema['properties']).map(([name, value]) => [name, compact(asObject(value))]),
            ),
          ] as const,
        ]
      : []),
  ]);
};

const referencesOf = (value: unknown): readonly string[] => {
  if (Array.isArray(value)) return value.flatMap(referencesOf);
  if (!isPlainObject(value)) return [];
  return Object.entries(value).flatMap(([word, member]) =>
    word === '$ref' && typeof member === 'string' ? [member] : referencesOf(member),
  );
};

/**
 * The definitions of these kinds and of all that they refer to, compact and sorted by name.
 *
 * @param schemas - `components.schemas` of OpenAPI documents, by full name
 */
export const definitionsOf = (schemas: JsonObject, kinds: readonly string[]): Definitions => {
  const all = new Map(Object.entries(schemas).map(([name, schema]) => [shortName(name), asObject(schema)]));
  const found = new Map<string, JsonObject>();
  const queue = [...kinds];
  for (let name = queue.pop(); name !== undefined; name = queue.pop()) {
    const schema = all.get(name);
    if (schema === undefined) throw new Error(`Cannot find the definition "${name}": the API server has none of it`);
    if (found.has(name)) continue;
    found.set(name, compact(schema));
    queue.push(...referencesOf(found.get(name)));
  }
  return Object.fromEntries([...found].toSorted(([a], [b]) => (a < b ? -1 : 1)));
};
