import {
  childOf,
  type FieldError,
  type FieldPath,
  internalError,
  invalidValue,
  keyOf,
  notSupported,
  required,
} from '#lib/apiserver/machinery/field-error.ts';
import type { Schema, ValidationRule } from '#lib/apiserver/machinery/schema.ts';
import { declTypeOf } from '#lib/apiserver/schema/cel/decl-type.ts';
import { followPath } from '#lib/apiserver/schema/cel/rule-field-path.ts';
import { compileRules } from '#lib/apiserver/schema/cel/rule-tree.ts';
import { shownRule } from './go-struct.ts';

const RULES = 'x-kubernetes-validations';
const REASONS = ['FieldValueDuplicate', 'FieldValueForbidden', 'FieldValueInvalid', 'FieldValueRequired'];

const hasLines = (text: string): boolean => /[\n\r]/.test(text);

const validateMessage = ({ rule = '', message = '' }: Partial<ValidationRule>, path: FieldPath): FieldError[] => {
  const at = childOf(path, 'message');
  if (rule.trim() === '') return [required(childOf(path, 'rule'), 'rule is not specified')];
  if (message !== '' && message.trim() === '') return [invalidValue(at, message, 'must be non-empty if specified')];
  if (hasLines(message.trim())) return [invalidValue(at, message, 'must not contain line breaks')];
  if (!hasLines(rule.trim()) || message.trim() !== '') return [];
  return [required(at, 'message must be specified if rule contains line breaks')];
};

const validateFieldPath = (fieldPath: string, schema: Schema, path: FieldPath): FieldError[] => {
  if (fieldPath === '') return [];
  const at = childOf(path, 'fieldPath');
  return [
    ...(fieldPath.trim() === '' ? [invalidValue(at, fieldPath, 'must be non-empty if specified')] : []),
    ...(hasLines(fieldPath) ? [invalidValue(at, fieldPath, 'must not contain line breaks')] : []),
    ...('problem' in followPath(fieldPath, schema) ? [invalidValue(at, fieldPath, 'must be a valid path')] : []),
  ];
};

const validateRule = (rule: ValidationRule, schema: Schema, path: FieldPath): FieldError[] => {
  const { messageExpression = '', reason, fieldPath = '' } = rule;
  const errors = validateMessage(rule, path);
  if (messageExpression !== '' && messageExpression.trim() === '') {
    errors.push(required(childOf(path, 'messageExpression'), 'messageExpression must be non-empty if specified'));
  }
  if (reason !== undefined && !REASONS.includes(reason)) {
    errors.push(notSupported(childOf(path, 'reason'), reason, REASONS));
  }
  return [...errors, ...validateFieldPath(fieldPath, schema, path)];
};

const pathOfRule = (path: FieldPath, index: number): FieldPath => keyOf(childOf(path, RULES), index);

/** Checks what rules of one node say besides their expressions. */
export const validateRuleKeywords = (schema: Schema, path: FieldPath): FieldError[] =>
  (schema[RULES] ?? []).flatMap((rule, index) => validateRule(rule, schema, pathOfRule(path, index)));

/** Where rules stand that are compiled. */
export interface RulePlace {
  readonly path: FieldPath;
  readonly isRoot: boolean;
  /** The list below which old and new values cannot be told to belong together. */
  readonly uncorrelatable: FieldPath | undefined;
}

const UNSEEN =
  'internal error: failed to construct type information for x-kubernetes-validations rules: unable to convert structural schema to CEL declarations';

/**
 * Compiles the rules of one node.
 *
 * @throws {StatusError} 501 for rules that a real server compiles and this one cannot
 */
export const validateExpressions = (schema: Schema, { path, isRoot, uncorrelatable }: RulePlace): FieldError[] => {
  const rules = schema[RULES] ?? [];
  if (rules.length === 0) return [];
  if (declTypeOf(schema, isRoot) === undefined) return [internalError(childOf(path, RULES), UNSEEN)];
  return compileRules(schema, isRoot).flatMap((compiled, index) => {
    const at = pathOfRule(path, index);
    const { rule, error, messageError, usesOldSelf } = compiled;
    const errors: FieldError[] = [];
    if (error !== undefined) errors.push(invalidValue(childOf(at, 'rule'), shownRule(rule), error));
    if (messageError !== undefined) {
      errors.push(invalidValue(childOf(at, 'messageExpression'), shownRule(rule), messageError));
    }
    if (usesOldSelf && uncorrelatable !== undefined) {
      const why = `oldSelf cannot be used on the uncorrelatable portion of the schema within ${uncorrelatable}`;
      errors.push(invalidValue(childOf(at, 'rule'), rule.rule, why));
    }
    if (!usesOldSelf && rule.optionalOldSelf !== undefined) {
      const why = 'may not be set if oldSelf is not used in rule';
      errors.push(invalidValue(childOf(at, 'optionalOldSelf'), rule.optionalOldSelf, why));
    }
    return errors;
  });
};
