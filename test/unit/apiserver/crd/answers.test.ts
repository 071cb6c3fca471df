import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { definitionKind } from '#lib/apiserver/crd/definition-kind.ts';
import { definitionStrategy } from '#lib/apiserver/crd/definition-strategy.ts';
import type { FieldError } from '#lib/apiserver/machinery/field-error.ts';
import type { ServerObject } from '#lib/apiserver/machinery/object.ts';
import { judged } from '#test/unit/apiserver/crd/definitions.ts';
import { baseShape, RULE_CASES } from '#test/unit/kind/rule-cases.ts';
import { uncheckedCrd } from '#test/unit/kind/unchecked-crd.ts';

/** The answer of kube-apiserver 1.36.4 to a dry-run creation. */
interface Answer {
  /** Without a CRD: the rule and the reason of a case of test/unit/kind/rule-cases.ts, whose refused shape was sent. */
  readonly name: string;
  readonly code: number;
  readonly crd?: object;
  readonly causes?: readonly FieldError[];
  readonly message?: string;
  readonly unknown?: readonly string[];
}

const answers: readonly Answer[] = readFileSync(new URL('answers.jsonl', import.meta.url), 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as Answer);

/** Errors in the metadata's name are not compared: the server validates it with the metadata of all objects. */
const isOurs = ({ field, message }: FieldError): boolean => field !== 'metadata.name' || !message.includes('RFC 1123');

const textOf = ({ field, reason, message }: FieldError): string => `${field} | ${reason} | ${message}`;
const sorted = (causes: readonly FieldError[] = []): string[] => causes.filter(isOurs).map(textOf).toSorted();

const fieldsOf = (causes: readonly FieldError[] = []): string[] =>
  causes.map(({ field, reason }) => `${field} | ${reason}`);

const crdOf = ({ crd, name }: Answer): object => {
  const { refused } = RULE_CASES.find(({ rule, reason }) => `${rule}: ${reason}` === name) ?? {};
  return crd ?? uncheckedCrd({ ...baseShape, ...refused });
};

/** Ids of cases that this server refuses, and that a real server implements. */
const NOT_IMPLEMENTED = ['webhook', 'rule optional syntax', 'rule two variables', 'rule functions 2'];
/**
 * Names of cases that both servers refuse with different messages: those of another parser, or of a structure with an empty
 * map.
 */
const OTHER_WORDS = [
  'rule syntax',
  'rule syntax 2',
  'rule message expression syntax',
  'two storage',
  'duplicate versions',
];
/** The cost of rules is not estimated. */
const ACCEPTED = ['rule expensive'];

const exceptions = new Set([...NOT_IMPLEMENTED, ...OTHER_WORDS, ...ACCEPTED]);
const named = (names: readonly string[]): readonly Answer[] => answers.filter(({ name }) => names.includes(name));

describe('definitions, as a real API server judges them', () => {
  it.each(answers.filter(({ name }) => !exceptions.has(name)))('judges like it: $name', (answer) => {
    const { code, causes, message } = judged(crdOf(answer));
    expect(code).toBe(answer.code);
    expect(sorted(causes)).toEqual(sorted(answer.causes));
    expect(message).toBe(answer.message);
  });

  it.each(answers.filter(({ unknown }) => unknown))('reports the unknown fields: $name', (answer) => {
    const { unknownFields } = definitionStrategy.decode(
      crdOf(answer) as ServerObject,
      definitionKind.versions[0] as never,
    );
    expect(unknownFields).toEqual(answer.unknown);
  });

  it.each(named(NOT_IMPLEMENTED))('refuses by name: $name', (answer) => {
    expect(judged(crdOf(answer))).toMatchObject({ code: 501 });
  });

  it.each(named(OTHER_WORDS))('refuses the same fields in other words: $name', (answer) => {
    const { causes = [] } = judged(crdOf(answer));
    expect(fieldsOf(causes)).toEqual(fieldsOf(answer.causes));
  });

  it.each(named(ACCEPTED))('accepts what a real server finds too expensive: $name', (answer) => {
    expect(judged(crdOf(answer))).toEqual({ code: 201 });
  });
});
