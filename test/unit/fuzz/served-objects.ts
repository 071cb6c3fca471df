import * as fc from 'fast-check';
import type { ServedKind, ServedVersion } from '#lib/apiserver/machinery/served-kind.ts';
import type { Json, JsonObject } from '#lib/json.ts';
import type { JsonSchema } from '#lib/kind/json-schema/json-schema.ts';
import { servedKinds } from '#lib/sim/served-kinds.ts';
import { definitions } from '#test/differential/definitions.ts';
import { memberNames, oddJson, oddTexts, usually } from './odd-json.ts';

/** The members of a kind on which its requests depend. */
export interface FuzzedKind extends Pick<ServedKind, 'group' | 'kind' | 'plural' | 'scope'> {
  readonly versions: readonly Pick<ServedVersion, 'name' | 'schema'>[];
}

interface Definition {
  readonly spec: {
    readonly group: string;
    readonly scope: FuzzedKind['scope'];
    readonly names: { readonly kind: string; readonly plural: string };
    readonly versions: readonly { readonly name: string; readonly schema: { readonly openAPIV3Schema: JsonSchema } }[];
  };
}

/** The kinds that the CustomResourceDefinitions of the differential tests define. */
const definedKinds: readonly FuzzedKind[] = (definitions as unknown as readonly Definition[]).map(({ spec }) => ({
  group: spec.group,
  ...spec.names,
  scope: spec.scope,
  versions: spec.versions.map(({ name, schema }) => ({ name, schema: schema.openAPIV3Schema })),
}));

/** Kinds of an embedded cluster with these CRDs. */
export const fuzzedKinds: fc.Arbitrary<FuzzedKind> = usually(
  5,
  fc.constantFrom<FuzzedKind>(...servedKinds),
  fc.constantFrom(...definedKinds),
);

/** Deeper members are odd values or absent: schemas of CustomResourceDefinitions contain themselves. */
const DEPTH = 5;

const objectIn = (schema: JsonSchema, depth: number): fc.Arbitrary<Json> => {
  const { properties = {}, additionalProperties } = schema;
  if (typeof additionalProperties === 'object')
    return fc.dictionary(memberNames, valueIn(additionalProperties, depth - 1), { maxKeys: 2 });
  // At most some members of an object: a request with every member of a pod template would be slow and no better test.
  const all = Object.entries(properties);
  return fc
    .subarray(all, { maxLength: Math.min(6, all.length) })
    .chain((some) => fc.record(Object.fromEntries(some.map(([name, member]) => [name, valueIn(member, depth - 1)]))));
};

const typedValue = (schema: JsonSchema, depth: number): fc.Arbitrary<Json> => {
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum);
  if (schema.type === 'string') return oddTexts;
  if (schema.type === 'integer' || schema.type === 'number') return fc.integer({ min: -2, max: 70_000 });
  if (schema.type === 'boolean') return fc.boolean();
  if (schema.type === 'array') return fc.array(valueIn(schema.items ?? {}, depth - 1), { maxLength: 3 });
  return schema.type === 'object' ? objectIn(schema, depth) : oddJson;
};

const valueIn = (schema: JsonSchema, depth: number): fc.Arbitrary<Json> =>
  depth <= 0
    ? oddJson
    : fc.oneof({ weight: 12, arbitrary: typedValue(schema, depth) }, { weight: 1, arbitrary: oddJson });

/** Objects of a kind by the schema of one of its versions, with fields of the right types and odd values. */
export const objectsOf = ({ kind, group, versions }: FuzzedKind): fc.Arbitrary<JsonObject> =>
  fc.constantFrom(...versions).chain(({ name: version, schema }) => {
    const { metadata: _, ...properties } = schema.properties ?? {};
    const apiVersion = group === '' ? version : `${group}/${version}`;
    return objectIn({ ...schema, properties }, DEPTH).map((members) => ({
      ...(members as JsonObject),
      apiVersion,
      kind,
    }));
  });
