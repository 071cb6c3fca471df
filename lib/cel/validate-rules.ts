import { celList, isCelError } from '@bufbuild/cel';
import {
  duplicate,
  type FieldError,
  type FieldPath,
  forbiddenField,
  invalidValue,
  keyPath,
  memberPath,
  omitted,
  required,
} from '#lib/apiserver/machinery/field-error.ts';
import type { StructuralSchema } from '#lib/apiserver/machinery/schema.ts';
import { unlessNotImplemented } from '#lib/apiserver/machinery/status.ts';
import { isPlainObject, type JsonObject, memberOf } from '#lib/json.ts';
import { type CompiledRule, compileProblem, type Variables } from './compile.ts';
import { type Correlated, correlatedItem, correlatedMember, isUnchanged, lookupIn } from './correlation.ts';
import { compiledRules, type RuleTree } from './rule-tree.ts';
import { celRootOf, celValueOf } from './values.ts';

/**
 * A value with its state before the update (`current`), and its nearest ancestor with such a state. A failed rule without
 * `oldSelf` is ignored if the value is unchanged. A value without an earlier state counts as unchanged if the ancestor is
 * unchanged.
 */
interface Past {
  readonly current?: Correlated | undefined;
  readonly nearest?: Correlated | undefined;
}

interface RulePosition {
  readonly path: FieldPath;
  readonly value: unknown;
  readonly old: unknown;
  readonly past: Past;
  /** See `RuleValidation.ignoresMissing`. */
  readonly ignoresMissing: boolean;
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

const ruleText = ({ message = '', rule }: CompiledRule['rule']): string => (message === '' ? rule : message).trim();

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

/** Appends the field path of a rule. As on the real API server, a dot also precedes a field path that starts with a bracket. */
const belowOf = (path: FieldPath, fieldPath: string): FieldPath =>
  fieldPath === '' ? path : memberPath(path, fieldPath);

const failureText = (problem: string, rule: CompiledRule['rule']): string => {
  if (problem.startsWith('no such overload')) {
    return `'${problem}': call arguments did not match a supported operator, function or macro signature for rule: ${ruleText(rule)}`;
  }
  if (problem.startsWith('operation cancelled')) {
    return `'${problem}': no further validation rules will be run due to call cost exceeds limit for rule: ${ruleText(rule)}`;
  }
  return `${problem} evaluating rule: ${ruleText(rule)}`;
};

const evaluate = (compiled: CompiledRule, place: RulePosition, context: Context): FieldError[] => {
  const { path, past, ignoresMissing } = place;
  const { program, rule, missing } = compiled;
  if (missing !== undefined && !ignoresMissing) throw missing;
  const type = context.schema.type ?? '';
  if (compiled.error !== undefined) return [invalidValue(path, type, `rule compile error: ${compiled.error}`)];
  const noPast = place.old === undefined || place.old === null;
  const optional = rule.optionalOldSelf === true;
  if (program === undefined || (compiled.usesOldSelf && noPast && !optional)) return [];
  const result = program(context.variables(optional));
  if (isCelError(result)) return [invalidValue(path, type, failureText(compileProblem(result), rule))];
  if (result === true || (!compiled.usesOldSelf && isRatcheted(past))) return [];
  const detail = evaluatedMessage(compiled, context.variables(optional)) ?? messageOf(rule);
  const value = type === 'object' || type === 'array' ? omitted : place.value;
  return [errorFor(rule.reason, belowOf(path, compiled.fieldPath), { value, detail })];
};

interface Context {
  readonly schema: StructuralSchema;
  /** Returns the variables of an evaluation. If `optional` is true, `oldSelf` is an optional value. */
  variables(optional: boolean): Variables;
}

const contextOf = ({ schema, isRoot }: RuleTree, { value, old }: RulePosition): Context => {
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

const validateMembers = (tree: RuleTree, place: RulePosition & { readonly value: JsonObject }): FieldError[] => {
  const { path, value, old, past, ignoresMissing } = place;
  const before = isPlainObject(old) ? old : undefined;
  const into = (child: RuleTree, name: string, at: FieldPath): FieldError[] =>
    validateNode(child, {
      path: at,
      value: value[name],
      old: memberOf(before, name),
      past: memberPast(past, name),
      ignoresMissing,
    });
  const errors: FieldError[] = [];
  const { values, properties } = tree;
  if (values) for (const name of Object.keys(value)) errors.push(...into(values, name, keyPath(path, name)));
  for (const [name, child] of properties) {
    if (Object.hasOwn(value, name)) errors.push(...into(child, name, memberPath(path, name)));
  }
  return errors;
};

const validateItems = (tree: RuleTree, place: RulePosition & { readonly value: readonly unknown[] }): FieldError[] => {
  const { items } = tree;
  if (items === undefined) return [];
  const lookup = lookupIn(tree.schema, place.old);
  return place.value.flatMap((value, index) =>
    validateNode(items, {
      path: keyPath(place.path, index),
      value,
      old: lookup(value),
      past: itemPast(place.past, index),
      ignoresMissing: place.ignoresMissing,
    }),
  );
};

const validateNode = (tree: RuleTree, place: RulePosition): FieldError[] => {
  const { value, ignoresMissing } = place;
  if (value === null || value === undefined) return [];
  const context = contextOf(tree, place);
  const errors = tree.rules.flatMap((compiled) =>
    ignoresMissing
      ? unlessNotImplemented([], () => evaluate(compiled, place, context))
      : evaluate(compiled, place, context),
  );
  if (Array.isArray(value)) errors.push(...validateItems(tree, { ...place, value }));
  else if (isPlainObject(value)) errors.push(...validateMembers(tree, { ...place, value }));
  return errors;
};

/** Options of {@link validateRules}. */
export interface RuleValidation {
  /** The object before the update; absent for a creation. */
  readonly old?: unknown;
  /** The path of the value, for errors. */
  readonly at?: FieldPath;
  /** Whether the value is a whole object, and not a part such as a default. @default true */
  readonly isRoot?: boolean;
  /** Whether earlier errors prevent the evaluation of rules. */
  readonly skip?: boolean;
  /** Whether to ignore rules that only the real API server can evaluate. @default false */
  readonly ignoresMissing?: boolean;
}

/**
 * Evaluates the rules of a schema on a value.
 *
 * @returns the errors; `skipped` if there are rules that were not evaluated
 * @throws {StatusError} 501 for rules that only the real API server can evaluate, unless the options ignore them
 * @see k8s.io/apiextensions-apiserver v0.36.4 pkg/apiserver/schema/cel/validation.go
 */
export const validateRules = (
  schema: StructuralSchema,
  value: unknown,
  { old, at = '', isRoot = true, skip = false, ignoresMissing = false }: RuleValidation = {},
): readonly FieldError[] | 'skipped' => {
  const tree = compiledRules(schema, isRoot);
  if (tree === undefined) return [];
  if (skip) return 'skipped';
  const past = old === undefined ? NONE : { current: { value, old, schema } };
  return validateNode(tree, { path: at, value, old, past, ignoresMissing });
};
