import { childPath, equalJson, isPlainObject, type JsonObject, memberOf } from '#lib/json.ts';
import { type JsonSchema, readSchema } from './json-schema.ts';

/** The position of a schema in its parent. */
export type SchemaRole = 'root' | 'field' | 'item' | 'value' | 'alternative';

/** A schema in a definition, with the information that the rules need. */
export interface Visit {
  /** The path from the root of the resource: `spec.steps[].percent`. `[*]` stands for the values of a map. */
  readonly path: string;
  readonly role: SchemaRole;
  /** The supported keywords. The value of each keyword has the right type. */
  readonly schema: JsonSchema;
  /** The schema as the developer of the kind wrote it. */
  readonly raw: JsonObject;
  /** Whether the schema is under `allOf`, `anyOf`, `oneOf` or `not`, at any depth. Such a schema may only restrict values. */
  readonly restricting: boolean;
  /**
   * For a restricting schema, the schema outside of `allOf`, `anyOf`, `oneOf` and `not` that declares the same values; undefined
   * if there is none. For any other schema, the schema itself.
   */
  readonly declared: JsonSchema | undefined;
  /** The path of the enclosing list, if its old and new items cannot be matched; absent if there is no such list. */
  readonly uncorrelated: string | undefined;
  /** Whether the schema is within apiVersion, kind or metadata of the resource or of an embedded resource. */
  readonly insideMetadata: boolean;
}

const INT_OR_STRING = [{ type: 'integer' }, { type: 'string' }];

/**
 * Whether `anyOf` of a schema is `[{type: integer}, {type: string}]`. Only these alternatives may have a type.
 *
 * @see https://github.com/kubernetes/apiextensions-apiserver/blob/master/pkg/apiserver/schema/validation.go
 */
const isIntOrString = (schema: JsonSchema): boolean => equalJson(schema.anyOf, INT_OR_STRING);

type Step = Pick<Visit, 'path' | 'role' | 'raw' | 'restricting' | 'uncorrelated' | 'insideMetadata'> & {
  /** For a restricting schema, the schema that declares the same values. */
  readonly declared?: JsonSchema | undefined;
  /** The schema at this position of the parsed parent; absent if the parent has a value of the wrong type there. */
  readonly schema: JsonSchema | undefined;
};

const IDENTITY_FIELDS = new Set(['apiVersion', 'kind', 'metadata']);

const objectsIn = (value: unknown): JsonObject[] => (Array.isArray(value) ? value.filter(isPlainObject) : []);

const fieldSteps = (visit: Visit): Step[] => {
  const { path, raw, restricting, declared, uncorrelated, schema } = visit;
  const isResource = visit.role === 'root' || schema['x-kubernetes-embedded-resource'] === true;
  const fields = isPlainObject(raw['properties']) ? Object.entries(raw['properties']) : [];
  return fields.flatMap(([name, field]): Step[] => {
    if (!isPlainObject(field)) return [];
    const insideMetadata = visit.insideMetadata || (isResource && IDENTITY_FIELDS.has(name));
    const counterpart = restricting ? memberOf(declared?.properties, name) : undefined;
    const place = { path: childPath(path, name), role: 'field' as const, declared: counterpart };
    const read = memberOf(schema.properties, name);
    return [{ ...place, raw: field, schema: read, restricting, uncorrelated, insideMetadata }];
  });
};

/**
 * The nested fields, map values and items. In a restricting schema, fields and items get the schema that declares their values.
 */
const structuralSteps = (visit: Visit): Step[] => {
  const { path, schema, raw, restricting, declared, uncorrelated, insideMetadata } = visit;
  const steps = fieldSteps(visit);
  const inherited = { restricting, insideMetadata };
  const values = schema.additionalProperties;
  if (isPlainObject(raw['additionalProperties'])) {
    const place = { path: `${path}[*]`, role: 'value' as const, schema: isPlainObject(values) ? values : undefined };
    steps.push({ ...inherited, ...place, raw: raw['additionalProperties'], uncorrelated });
  }
  if (isPlainObject(raw['items'])) {
    const within = schema['x-kubernetes-list-type'] === 'map' ? uncorrelated : (uncorrelated ?? path);
    const counterpart = restricting ? declared?.items : undefined;
    const place = { path: `${path}[]`, role: 'item' as const, schema: schema.items, declared: counterpart };
    steps.push({ ...place, ...inherited, raw: raw['items'], uncorrelated: within });
  }
  return steps;
};

const alternativeSteps = (visit: Visit, exempt: boolean): Step[] => {
  const { raw, path, schema, declared, uncorrelated, insideMetadata } = visit;
  const skipped = exempt || (!visit.restricting && isIntOrString(schema));
  const lists = (['allOf', 'anyOf', 'oneOf'] as const).flatMap((keyword) =>
    keyword === 'anyOf' && skipped
      ? []
      : objectsIn(raw[keyword]).map((item, at) => [`${keyword}[${at}]`, item, schema[keyword]?.[at]] as const),
  );
  const all = isPlainObject(raw['not']) ? [...lists, ['not', raw['not'], schema.not] as const] : lists;
  return all.map(([name, alternative, read]) => ({
    path: path === '' ? name : `${path}.${name}`,
    role: 'alternative',
    raw: alternative,
    schema: read,
    restricting: true,
    declared,
    uncorrelated,
    insideMetadata,
  }));
};

/** Takes the schema from the parsed parent, and parses the raw schema only if the parent lacks it. */
const visitOf = ({ declared, schema: read, ...step }: Step): Visit => {
  const schema = read ?? readSchema(step.raw);
  return { ...step, schema, declared: step.restricting ? declared : schema };
};

/**
 * Visits a schema and all nested schemas: each parent before its children, in the order of the schema.
 *
 * @param raw - the root schema of a resource
 */
export function* walkSchema(raw: JsonObject): Generator<Visit> {
  yield* walk(
    {
      path: '',
      role: 'root',
      raw,
      schema: undefined,
      restricting: false,
      uncorrelated: undefined,
      insideMetadata: false,
    },
    false,
  );
}

function* walk(step: Step, exempt: boolean): Generator<Visit> {
  const visit = visitOf(step);
  yield visit;
  for (const next of structuralSteps(visit)) yield* walk(next, false);
  for (const next of alternativeSteps(visit, exempt)) {
    const isFirstOfAll = !visit.restricting && next.path.endsWith('allOf[0]');
    yield* walk(next, isFirstOfAll && isIntOrString(next.schema ?? readSchema(next.raw)));
  }
}
