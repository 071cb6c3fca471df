import { writeFile } from 'node:fs/promises';
import openApi from '#lib/apiserver/builtin/codec/openapi.json' with { type: 'json' };
import { goPackages, goText } from './go-packages.ts';

/**
 * Writes the facts of Go's types that OpenAPI lacks: which scalars are pointers, and which optional fields have a tag without
 * `omitempty`. The facts come from the sources of Kubernetes in Go's module cache.
 */
interface OpenApiStruct {
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, { readonly $ref?: string }>>;
}

interface GoField {
  readonly isPointer: boolean;
  readonly isOmitted: boolean;
}

/** Types that are one JSON value although they are structs in Go. */
const scalarTypes = new Set([
  'intstr.IntOrString',
  'meta.v1.FieldsV1',
  'meta.v1.MicroTime',
  'meta.v1.Time',
  'resource.Quantity',
]);

const definitions = openApi.definitions as unknown as Readonly<Record<string, OpenApiStruct>>;

const fieldsIn = (body: string): ReadonlyMap<string, GoField> => {
  const fields = new Map<string, GoField>();
  for (const [, type = '', tag = ''] of body.matchAll(/^\t\w+\s+(\S+)\s+`(?:[^`]*\s)?json:"([^"]*)"[^`]*`/gm)) {
    const [name = '', ...options] = tag.split(',');
    fields.set(name, {
      isPointer: type.startsWith('*'),
      isOmitted: options.some((option) => option === 'omitempty' || option === 'omitzero'),
    });
  }
  return fields;
};

/** The structs of the same package that a struct embeds, so that it has their fields. */
const embeddedIn = (body: string): readonly string[] =>
  [...body.matchAll(/^\t(\w+)\s+`json:",inline"/gm)].map(([, name = '']) => name);

/** The fields of all structs of a package, by the name of the struct. */
const structsIn = (text: string): ReadonlyMap<string, ReadonlyMap<string, GoField>> => {
  const bodies = new Map(
    [...text.matchAll(/^type (\w+) struct \{\n(.*?)^\}/gms)].map(([, name = '', body = '']) => [name, body]),
  );
  const allIn = (body: string): ReadonlyMap<string, GoField> =>
    new Map([...embeddedIn(body).flatMap((name) => [...allIn(bodies.get(name) ?? '')]), ...fieldsIn(body)]);
  return new Map([...bodies].map(([name, body]) => [name, allIn(body)]));
};

const isScalar = ({ $ref }: { readonly $ref?: string }): boolean => $ref === undefined || scalarTypes.has($ref);

const structs = new Map<string, ReadonlyMap<string, GoField>>();
for (const own of Object.keys(goPackages)) {
  for (const [name, fields] of structsIn(await goText(own, 'types.go'))) structs.set(`${own}.${name}`, fields);
}

const chosen = (choose: (field: GoField, property: { readonly $ref?: string }, isRequired: boolean) => boolean) =>
  Object.fromEntries(
    Object.entries(definitions).flatMap(([type, { properties = {}, required = [] }]) => {
      const fields = Object.entries(properties).flatMap(([name, property]) => {
        const field = structs.get(type)?.get(name);
        return field !== undefined && choose(field, property, required.includes(name)) ? [name] : [];
      });
      return fields.length === 0 ? [] : [[type, fields] as const];
    }),
  );

const facts = {
  pointers: chosen((field, property) => field.isPointer && isScalar(property)),
  alwaysWritten: chosen((field, _, isRequired) => !field.isOmitted && !isRequired),
};
await writeFile(new URL('../../../lib/apiserver/builtin/codec/go-fields.json', import.meta.url), JSON.stringify(facts));
