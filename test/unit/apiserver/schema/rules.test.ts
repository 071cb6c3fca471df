import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { kindOfDefinition } from '#lib/apiserver/crd/kind-of-definition.ts';
import type { FieldError } from '#lib/apiserver/machinery/field-error.ts';
import type { ServerObject } from '#lib/apiserver/machinery/object.ts';
import type { StructuralSchema, ValidationRule } from '#lib/apiserver/machinery/schema.ts';
import { validateRules } from '#lib/cel/validate-rules.ts';

/** The answer of kube-apiserver 1.36.4 to a dry-run creation or update with this `spec`. */
interface Answer {
  readonly value: unknown;
  readonly old?: unknown;
  readonly causes?: readonly FieldError[];
}

interface Case {
  readonly name: string;
  /** Added to the schema of the first line. */
  readonly rules?: readonly ValidationRule[];
  readonly schema?: StructuralSchema;
  readonly values?: readonly Answer[];
  readonly updates?: readonly Answer[];
}

const [base, ...cases] = readFileSync(new URL('rule-answers.jsonl', import.meta.url), 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as Case);

const textOf = ({ field, reason, message }: FieldError): string => `${field} | ${reason} | ${message}`;
const sorted = (causes: readonly FieldError[] = []): string[] => causes.map(textOf).toSorted();

const schemaOf = ({ rules, schema }: Case): StructuralSchema =>
  schema ?? { ...base?.schema, 'x-kubernetes-validations': rules ?? [] };

const objectOf = (spec: unknown) => ({ apiVersion: 'e.com/v1', kind: 'Thing', metadata: { name: 'x' }, spec });

const strategyOf = (spec: StructuralSchema) => {
  const schema = { openAPIV3Schema: { type: 'object', properties: { spec } } };
  const versions = [{ name: 'v1', served: true, storage: true, schema }];
  const crd = { spec: { group: 'e.com', names: { plural: 'things', kind: 'Thing' }, scope: 'Cluster', versions } };
  const kind = kindOfDefinition(crd as unknown as ServerObject);
  const version = kind.versions[0] ?? { name: 'v1', schema: {}, hasStatus: false };
  const { strategy } = kind;
  const decode = (value: unknown): ServerObject =>
    strategy.setDefaults(strategy.decode(objectOf(value), version).object as ServerObject, version);
  return { strategy, version, decode };
};

const values = cases.flatMap((row) =>
  (row.values ?? []).map((answer) => ({ name: row.name, row, answer, value: JSON.stringify(answer.value) })),
);
const updates = cases.flatMap((row) =>
  (row.updates ?? []).map((answer) => {
    const change = `${JSON.stringify(answer.old)} -> ${JSON.stringify(answer.value)}`;
    return { name: row.name, row, answer, change };
  }),
);

describe('rules, as a real API server evaluates them', () => {
  it.each(values)('$name: $value', ({ row, answer }) => {
    const { strategy, version, decode } = strategyOf(schemaOf(row));
    expect(sorted(strategy.validateCreate(decode(answer.value), version))).toEqual(sorted(answer.causes));
  });

  it.each(updates)('$name: $change', ({ row, answer }) => {
    const { strategy, version, decode } = strategyOf(schemaOf(row));
    const where = { subresource: '', version } as const;
    const causes = strategy.validateUpdate(decode(answer.value), decode(answer.old), where);
    expect(sorted(causes)).toEqual(sorted(answer.causes));
  });
});

const withRule = (rule: string): StructuralSchema => ({ type: 'integer', 'x-kubernetes-validations': [{ rule }] });

describe('validateRules()', () => {
  it('stops a rule that takes too many steps', () => {
    const loops = Array.from({ length: 9 }, (_, index) => `[0,1,2,3,4,5,6,7,8,9].all(v${index}, `);
    const schema = withRule(`${loops.join('')}v0 >= 0${')'.repeat(loops.length)}`);
    expect(validateRules(schema, 1)).toMatchObject([
      { message: expect.stringContaining('actual cost limit exceeded') },
    ]);
  });

  it('does not get lost in a regular expression', () => {
    const schema: StructuralSchema = {
      type: 'string',
      'x-kubernetes-validations': [{ rule: 'self.matches("^(a+)+$")' }],
    };
    expect(validateRules(schema, `${'a'.repeat(5000)}b`)).toHaveLength(1);
  });

  it('gives the same answer again', () => {
    const schema = withRule('self > 1');
    expect(validateRules(schema, 1)).toEqual(validateRules(schema, 1));
    expect(validateRules(schema, 2)).toEqual([]);
  });

  it('says that rules were skipped only when there are some', () => {
    expect(validateRules(withRule('true'), 1, { skip: true })).toBe('skipped');
    expect(validateRules({ type: 'integer' }, 1, { skip: true })).toEqual([]);
  });

  it.each([
    'self.?a == 1',
    'isURL("x")',
    'quantity("1") == quantity("1")',
    '[1].all(i, v, v > 0)',
    '[1].exists(i, v, v > 0)',
  ])('refuses %s by name', (rule) => {
    expect(() => validateRules(withRule(rule), 1)).toThrow('the virtual cluster does not implement');
  });
});
