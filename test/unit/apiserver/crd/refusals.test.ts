import { describe, expect, it } from 'vitest';
import { definitionStrategy } from '#lib/apiserver/crd/definition-strategy.ts';
import { statusOf } from '#test/unit/apiserver/support/strategies.ts';
import { definition, definitionOf, judged, stored, version } from './definitions.ts';

const PREFIX = 'CustomResourceDefinition in version "v1" cannot be handled as a CustomResourceDefinition: ';

/** A stored definition with a column of this priority. */
const withPriority = (priority: number) => {
  const column = { name: 'a', type: 'string', jsonPath: '.a', priority };
  return stored(definition({ versions: [{ name: 'v1', additionalPrinterColumns: [column] }] }));
};

// Answers of kube-apiserver 1.36.4.
describe('definitionStrategy', () => {
  it.each([
    [
      { labels: 5 },
      'json: cannot unmarshal number into Go struct field ObjectMeta.metadata.labels of type map[string]string',
    ],
    [
      { labels: { a: 1 } },
      'json: cannot unmarshal number into Go struct field ObjectMeta.metadata.labels of type string',
    ],
    [
      { finalizers: 'x' },
      'json: cannot unmarshal string into Go struct field ObjectMeta.metadata.finalizers of type []string',
    ],
    [{ creationTimestamp: 'x' }, 'parsing time "x" as "2006-01-02T15:04:05Z07:00": cannot parse "x" as "2006"'],
    ['x', 'json: cannot unmarshal string into Go struct field CustomResourceDefinition.metadata of type v1.ObjectMeta'],
  ])('decode() refuses the metadata %j', (metadata, problem) => {
    const status = statusOf(() => stored({ ...definitionOf({ type: 'object' }), metadata }));
    expect(status).toEqual({ code: 400, message: `${PREFIX}${problem}` });
  });

  it.each([
    ['enum', '[]v1.JSON'],
    ['dependencies', 'v1.JSONSchemaDependencies'],
    ['definitions', 'v1.JSONSchemaDefinitions'],
    ['patternProperties', 'map[string]v1.JSONSchemaProps'],
  ])('decode() names the Go type when %s is a string', (keyword, goType) => {
    const status = statusOf(() => stored(definitionOf({ type: 'object', properties: { a: { [keyword]: 'x' } } })));
    const field = `JSONSchemaProps.spec.versions.schema.openAPIV3Schema.properties.${keyword}`;
    const problem = `json: cannot unmarshal string into Go struct field ${field} of type ${goType}`;
    expect(status).toEqual({ code: 400, message: `${PREFIX}${problem}` });
  });

  it('decode() accepts exactly the numbers that fit when a member is an int32', () => {
    const field = 'CustomResourceColumnDefinition.spec.versions.additionalPrinterColumns.priority';
    const refusal = (priority: number) => ({
      code: 400,
      message: `${PREFIX}json: cannot unmarshal number ${priority} into Go struct field ${field} of type int32`,
    });
    for (const priority of [-2_147_483_648, 2_147_483_647]) {
      const columns = [expect.objectContaining({ priority })];
      const versions = [expect.objectContaining({ additionalPrinterColumns: columns })];
      expect(withPriority(priority)).toMatchObject({ spec: { versions } });
    }
    for (const priority of [-2_147_483_649, 2_147_483_648]) {
      expect(statusOf(() => withPriority(priority))).toEqual(refusal(priority));
    }
  });

  it.each([
    ['a version without a name', definition({ versions: [{}] }), 'spec.versions[0].name'],
    ['no kind', definition({ names: { plural: 'things' } }), 'spec.names.kind'],
    [
      'a validation without a rule',
      definitionOf({
        type: 'object',
        properties: { text: { type: 'string', default: 'a', 'x-kubernetes-validations': [{}] } },
      }),
      'spec.validation.openAPIV3Schema.properties[text].x-kubernetes-validations[0].rule',
    ],
  ])('validateCreate() names the field when a definition has %s', (_, crd, field) => {
    const { code, causes = [] } = judged(crd);
    expect(code).toBe(422);
    expect(causes.map((cause) => cause.field)).toContain(field);
  });

  it.each([
    [undefined, []],
    [{ strategy: 'None' }, []],
    [{}, ['Required value']],
    [{ strategy: '' }, ['Required value']],
    [{ strategy: 'Other' }, ['Unsupported value: "Other": supported values: "None", "Webhook"']],
  ])('validateCreate() validates the conversion %j', (conversion, problems) => {
    const crd = stored(definition());
    const spec = { ...(crd['spec'] as object), conversion };
    const causes = definitionStrategy.validateCreate({ ...crd, status: { storedVersions: ['v1'] }, spec }, version);
    expect(causes.map(({ field, message }) => `${field}: ${message}`)).toEqual(
      problems.map((problem) => `spec.conversion.strategy: ${problem}`),
    );
  });

  it('validateCreate() refuses fields in alternatives that the schema does not declare', () => {
    const crd = definitionOf({
      type: 'object',
      properties: { spec: { type: 'object', properties: { list: { type: 'array', items: { type: 'string' } } } } },
      not: { properties: { a: {} } },
      oneOf: [
        { required: ['b'] },
        {
          properties: {
            spec: { properties: { list: { items: { properties: { c: {} } } }, d: { properties: { e: {} } } } },
          },
        },
      ],
    });
    const path = 'spec.validation.openAPIV3Schema';
    const missing = (at: string, from: string) => ({
      reason: 'FieldValueRequired',
      field: `${path}.${at}`,
      message: `Required value: because it is defined in ${path}.${from}`,
    });
    const spec = 'properties[spec].properties';
    expect(judged(crd)).toEqual({
      code: 422,
      causes: [
        missing('properties[a]', 'not.properties[a]'),
        missing(`${spec}[d]`, `oneOf[1].${spec}[d]`),
        missing(`${spec}[list].items.properties[c]`, `oneOf[1].${spec}[list].items.properties[c]`),
      ],
    });
  });
});
