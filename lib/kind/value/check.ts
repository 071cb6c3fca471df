import type { Issue } from '#lib/errors.ts';
import { isPlainObject } from '#lib/json.ts';
import type { JsonSchema } from '../json-schema/json-schema.ts';
import { type Check, checkList, checkObject } from './collection.ts';
import { checkEnum, checkNumber, checkString, checkType, matchesInJavaScript, type PatternMatcher } from './scalar.ts';

/** Options of the check of a value. */
export interface ValueCheckOptions {
  /** The path of the value, with which the paths of issues begin. @default '' */
  readonly path?: string;
  /** Whether a value is a placeholder that is resolved later. Such a value is not checked. @default there are no placeholders */
  readonly isToken?: (value: unknown) => boolean;
  /** Checks whether a string matches a pattern. @default the engine of JavaScript */
  readonly matches?: PatternMatcher;
}

interface Mode {
  readonly isToken: (value: unknown) => boolean;
  readonly matches: PatternMatcher;
  readonly restricting: boolean;
}

/**
 * Checks a value against a structural schema, as the API server does after it has filled in defaults.
 *
 * Differences from the API server: unknown fields are issues here, but the API server drops them; CEL rules are not evaluated;
 * only the common string formats are checked.
 *
 * @param schema - the schema, as `readSchema` returns it
 * @param value - any value; members with the value undefined count as absent
 * @returns every issue, in the order of the value; empty when the value is valid
 */
export const checkValue = (schema: JsonSchema, value: unknown, options: ValueCheckOptions = {}): Issue[] =>
  checker({
    isToken: options.isToken ?? (() => false),
    matches: options.matches ?? matchesInJavaScript,
    restricting: false,
  })(schema, value, options.path ?? '');

const checker = (mode: Mode): Check => {
  const check: Check = (schema, value, path) => {
    if (mode.isToken(value)) return [];
    const wrongType = checkType(schema, value, path);
    if (wrongType.length > 0 || value === null) return wrongType;
    const inEnum = schema.enum === undefined ? [] : checkEnum(schema.enum, value, path);
    return [...inEnum, ...checkContent(schema, value, path), ...checkAlternatives(schema, value, path)];
  };
  const checkContent: Check = (schema, value, path) => {
    if (typeof value === 'number') return checkNumber(schema, value, path);
    if (typeof value === 'string') return checkString(schema, value, { path, matches: mode.matches });
    if (Array.isArray(value)) return checkList(schema, value, { path, check, isToken: mode.isToken });
    return isPlainObject(value) ? checkObject(schema, value, { path, check, restricting: mode.restricting }) : [];
  };
  const checkAlternatives: Check = (schema, value, path) => {
    const restricted = mode.restricting ? check : checker({ ...mode, restricting: true });
    const { allOf = [], anyOf = [], oneOf = [], not } = schema;
    const results = (alternatives: readonly JsonSchema[]) => alternatives.map((one) => restricted(one, value, path));
    const fitting = (alternatives: readonly JsonSchema[]) =>
      results(alternatives).filter((issues) => issues.length === 0).length;
    const issue = (rule: string, message: string): Issue[] => [{ path, rule, value, message }];
    return [
      ...results(allOf).flat(),
      ...(anyOf.length > 0 && fitting(anyOf) === 0 ? issue('any-of', 'must fit at least one of the alternatives') : []),
      ...(oneOf.length > 0 && fitting(oneOf) !== 1 ? issue('one-of', 'must fit exactly one of the alternatives') : []),
      ...(not !== undefined && fitting([not]) === 1 ? issue('not', 'must not fit the excluded schema') : []),
    ];
  };
  return check;
};
