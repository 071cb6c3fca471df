import { celList, isCelError } from '@bufbuild/cel';
import { isPlainObject, type JsonObject, memberOf } from '#lib/json.ts';
import {
  childOf,
  duplicate,
  type FieldError,
  type FieldPath,
  forbiddenField,
  invalidValue,
  keyOf,
  omitted,
  required,
} from '#lib/apiserver/machinery/field-error.ts';
import type { Schema } from '#lib/apiserver/machinery/schema.ts';
import { type Correlated, correlatedItem, correlatedMember, isUnchanged, lookupIn } from '../correlation.ts';
import { type CompiledRule, problemOf, type Variables } from './compile.ts';
import { type RuleTree, rulesOf } from './rule-tree.ts';
import { celRootOf, celValueOf } from './values.ts';

/** What a value was before the update. A value without a past is judged by the nearest ancestor that has one. */
interface Past {
  readonly current?: Correlated | undefined;
  readonly nearest?: Correlated | undefined;
}

interface Place {
  readonly path: FieldPath;
  readonly value: unknown;
  readonly old: unknown;
  readonly past: Past;
}

const NONE: Past = {};

const memberPast = (past: Past, name: string): Past => {
  if (past.current === undefined) return past;
  if (past.nearest === undefined && (name === 'apiVersion' || name === 'kind')) return NONE;
  return { current: correlatedMember(past.current, name), nearest: past.current };
};

const itemPast = (past: Past, index: number): Past =>
  past.current === undefined ? past : { current: correlatedItem(past.current, index), nearest: past.current };

const isRatcheted = ({ current, nearest }: Past): boolean => isUnchanged(current ?? nearest);

const textOf = ({ message = '', rule }: CompiledRule['rule']): string => (message === '' ? rule : message).trim();

const messageOf = ({ message = '', rule }: CompiledRule['rule']): string =>
  message === '' ? `failed rule: ${rule.trim()}` : message.trim();

const MAX_MESSAGE = 5 * 1024;

const evaluatedMessage = (compiled: CompiledRule, variables: Variables): string | undefined => {
  const text = compiled.messageProgram?.(variables);
  if (typeof text !== 'string') return undefined;
  const trimmed = text.trim();
  return trimmed === '' || trimmed.includes('\n') || Buffer.byteLength(trimmed) > MAX_MESSAGE ? undefined : trimmed;
};

const errorFor = (
  reason: string | undefined,
  path: FieldPath,
  { value, detail }: { value: unknown; detail: string },
): FieldError => {
  if (reason === 'FieldValueForbidden') return forbiddenField(path, detail);
  if (reason === 'FieldValueRequired') return required(path, detail);
  return reason === 'FieldValueDuplicate' ? duplicate(path, value) : invalidValue(path, value, detail);
};

/** Appends the path of a rule; one that starts with a bracket as well, as the server does. */
const belowOf = (path: FieldPath, fieldPath: string): FieldPath => (fieldPath === '' ? path : childOf(path, fieldPath));

const failureText = (problem: string, rule: CompiledRule['rule']): string => {
  if (problem.startsWith('no such overload')) {
    return `'${problem}': call arguments did not match a supported operator, function or macro signature for rule: ${textOf(rule)}`;
  }
  if (problem.startsWith('operation cancelled')) {
    return `'${problem}': no further validation rules will be run due to call cost exceeds limit for rule: ${textOf(rule)}`;
  }
  return `${problem} evaluating rule: ${textOf(rule)}`;
};

const evaluate = (compiled: CompiledRule, place: Place, context: Context): FieldError[] => {
  const { path, past } = place;
  const { program, rule } = compiled;
  const type = context.schema.type ?? '';
  if (compiled.error !== undefined) return [invalidValue(path, type, `rule compile error: ${compiled.error}`)];
  const noPast = place.old === undefined || place.old === null;
  const optional = rule.optionalOldSelf === true;
  if (program === undefined || (compiled.usesOldSelf && noPast && !optional)) return [];
  const result = program(context.variables(optional));
  if (isCelError(result)) return [invalidValue(path, type, failureText(problemOf(result), rule))];
  if (result === true || (!compiled.usesOldSelf && isRatcheted(past))) return [];
  const detail = evaluatedMessage(compiled, context.variables(optional)) ?? messageOf(rule);
  const value = type === 'object' || type === 'array' ? omitted : place.value;
  return [errorFor(rule.reason, belowOf(path, compiled.fieldPath), { value, detail })];
};

interface Context {
  readonly schema: Schema;
  /** With `optional`, the old value is an optional value. */
  variables(optional: boolean): Variables;
}

const contextOf = ({ schema, isRoot }: RuleTree, { value, old }: Place): Context => {
  let variables: Variables | undefined;
  const convert = isRoot ? celRootOf : celValueOf;
  const isAbsent = old === undefined || old === null;
  return {
    schema,
    variables(optional) {
      variables ??= { self: convert(value, schema), oldSelf: convert(old, schema) };
      return optional ? { ...variables, oldSelf: celList(isAbsent ? [] : [variables.oldSelf]) } : variables;
    },
  };
};

const validateMembers = (tree: RuleTree, place: Place & { readonly value: JsonObject }): FieldError[] => {
  const { path, value, old, past } = place;
  const before = isPlainObject(old) ? old : undefined;
  const into = (child: RuleTree, name: string, at: FieldPath): FieldError[] =>
    validateNode(child, { path: at, value: value[name], old: memberOf(before, name), past: memberPast(past, name) });
  const errors: FieldError[] = [];
  const { values, properties } = tree;
  if (values) for (const name of Object.keys(value)) errors.push(...into(values, name, keyOf(path, name)));
  for (const [name, child] of properties) {
    if (Object.hasOwn(value, name)) errors.push(...into(child, name, childOf(path, name)));
  }
  return errors;
};

const validateItems = (tree: RuleTree, place: Place & { readonly value: readonly unknown[] }): FieldError[] => {
  const { items } = tree;
  if (items === undefined) return [];
  const lookup = lookupIn(tree.schema, place.old);
  return place.value.flatMap((value, index) =>
    validateNode(items, {
      path: keyOf(place.path, index),
      value,
      old: lookup(value),
      past: itemPast(place.past, index),
    }),
  );
};

const validateNode = (tree: RuleTree, place: Place): FieldError[] => {
  const { value } = place;
  if (value === null || value === undefined) return [];
  const context = contextOf(tree, place);
  const errors = tree.rules.flatMap((compiled) => evaluate(compiled, place, context));
  if (Array.isArray(value)) errors.push(...validateItems(tree, { ...place, value }));
  else if (isPlainObject(value)) errors.push(...validateMembers(tree, { ...place, value }));
  return errors;
};

/** How rules are evaluated. */
export interface RuleValidation {
  /** The object before the update. */
  readonly old?: unknown;
  /** The path of the value. */
  readonly at?: FieldPath;
  /** False for a value that is no resource, such as a default. @default true */
  readonly isRoot?: boolean;
  /** True when the object has errors that keep rules from being evaluated. */
  readonly skip?: boolean;
}

/**
 * Evaluates the rules of a schema on a value.
 *
 * @returns the errors; `skipped` when there are rules and they had to be skipped
 * @throws {StatusError} 501 for rules that a real server compiles and this one cannot
 * @see k8s.io/apiextensions-apiserver v0.36.4 pkg/apiserver/schema/cel/validation.go
 */
export const validateRules = (
  schema: Schema,
  value: unknown,
  { old, at = '', isRoot = true, skip = false }: RuleValidation = {},
): readonly FieldError[] | 'skipped' => {
  const tree = rulesOf(schema, isRoot);
  if (tree === undefined) return [];
  if (skip) return 'skipped';
  const past = old === undefined ? NONE : { current: { value, old, schema } };
  return validateNode(tree, { path: at, value, old, past });
};
