import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { decodeCustomResource } from '#lib/apiserver/crd/custom-resource-decode.ts';
import type { FieldError } from '#lib/apiserver/machinery/field-error.ts';
import type { StructuralSchema } from '#lib/apiserver/machinery/schema.ts';
import { StatusError } from '#lib/apiserver/machinery/status.ts';
import { setDefaults } from '#lib/apiserver/schema/defaults.ts';
import { validateEmbedded } from '#lib/apiserver/schema/embedded.ts';
import { validateListTypes } from '#lib/apiserver/schema/list-types.ts';
import { validateSchema } from '#lib/apiserver/schema/validate.ts';

/** The answer of kube-apiserver 1.36.4 to a dry-run creation or update with this `spec`. */
interface Answer {
  readonly value: unknown;
  readonly old?: unknown;
  /** The spec that the server would have stored. */
  readonly spec?: unknown;
  readonly causes?: readonly FieldError[];
  /** The message of a refusal with code 400. */
  readonly refused?: string;
  /** Fields that the server refused with `fieldValidation=Strict`. */
  readonly unknown?: readonly string[];
}

interface Case {
  readonly name: string;
  readonly schema: StructuralSchema;
  readonly values: readonly Answer[];
  readonly updates: readonly Answer[];
}

const cases: readonly Case[] = readFileSync(new URL('answers.jsonl', import.meta.url), 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as Case);

const textOf = ({ field, reason, message }: FieldError): string => `${field} | ${reason} | ${message}`;
const sorted = (causes: readonly FieldError[] = []): string[] => causes.map(textOf).toSorted();

const rootOf = (schema: StructuralSchema): StructuralSchema => ({ type: 'object', properties: { spec: schema } });
const objectOf = (spec: unknown) => ({ apiVersion: 'x/v1', kind: 'Thing', metadata: { name: 'x' }, spec });

const judge = (schema: StructuralSchema, spec: unknown) => {
  const root = rootOf(schema);
  try {
    const { object, unknownFields } = decodeCustomResource(objectOf(spec), {
      group: 'x',
      kind: 'Thing',
      version: 'v1',
      schema: root,
    });
    const filled = setDefaults(object, root);
    const causes = [
      ...validateSchema(root, filled),
      ...validateEmbedded(filled, root),
      ...validateListTypes(filled, root),
    ];
    return { spec: filled['spec'], causes, unknown: unknownFields.toSorted() };
  } catch (error) {
    if (error instanceof StatusError) return { refused: error.message, causes: [], unknown: [] };
    throw error;
  }
};

const values = cases.flatMap(({ name, schema, values: all }) =>
  all.map((answer) => ({ name, schema, answer, value: JSON.stringify(answer.value) })),
);
const updates = cases.flatMap(({ name, schema, updates: all }) =>
  all.map((answer) => ({
    name,
    schema,
    answer,
    change: `${JSON.stringify(answer.old)} -> ${JSON.stringify(answer.value)}`,
  })),
);

describe('values, as a real API server judges them', () => {
  it.each(values)('$name: $value', ({ schema, answer }) => {
    const judged = judge(schema, answer.value);
    expect(sorted(judged.causes)).toEqual(sorted(answer.causes));
    expect(judged.refused).toEqual(answer.refused);
    expect('spec' in answer ? judged.spec : undefined).toEqual(answer.spec);
    expect(judged.unknown).toEqual(answer.unknown ?? []);
  });

  it.each(updates)('$name: $change', ({ schema, answer }) => {
    const root = rootOf(schema);
    const [old, next] = [objectOf(answer.old), objectOf(answer.value)];
    const lists = validateListTypes(old, root).length > 0 ? [] : validateListTypes(next, root);
    expect(sorted([...validateSchema(root, next, { old }), ...lists])).toEqual(sorted(answer.causes));
  });
});
