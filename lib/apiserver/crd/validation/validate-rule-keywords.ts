import {
  type FieldError,
  type FieldPath,
  internalError,
  invalidValue,
  keyPath,
  memberPath,
  notSupported,
  required,
} from '#lib/apiserver/machinery/field-error.ts';
import type { StructuralSchema, ValidationRule } from '#lib/apiserver/machinery/schema.ts';
import { declTypeOf } from '#lib/cel/decl-type.ts';
import { followPath } from '#lib/cel/rule-field-path.ts';
import { compileRules } from '#lib/cel/rule-tree.ts';
import { shownRule } from './go-struct.ts';

const RULES = 'x-kubernetes-validations';
const REASONS = ['FieldValueDuplicate', 'FieldValueForbidden', 'FieldValueInvalid', 'FieldValueRequired'];

const hasLines = (text: string): boolean => /[\n\r]/.test(text);

const validateMessage = ({ rule = '', message = '' }: Partial<ValidationRule>, path: FieldPath): FieldError[] => {
  const at = memberPath(path, 'message');
  if (rule.trim() === '') return [required(memberPath(path, 'rule'), 'rule is not specified')];
  if (message !== '' && message.trim() === '') return [invalidValue(at, message, 'must be non-empty if specified')];
  if (hasLines(message.trim())) return [invalidValue(at, message, 'must not contain line breaks')];
  if (!hasLines(rule.trim()) || message.trim() !== '') return [];
  return [required(at, 'message must be specified if rule contains line breaks')];
};

const validateFieldPath = (fieldPath: string, schema: StructuralSchema, path: FieldPath): FieldError[] => {
  if (fieldPath === '') return [];
  const at = memberPath(path, 'fieldPath');
  return [
    ...(fieldPath.trim() === '' ? [invalidValue(at, fieldPath, 'must be non-empty if specified')] : []),
    ...(hasLines(fieldPath) ? [invalidValue(at, fieldPath, 'must not contain line breaks')] : []),
    ...('problem' in followPath(fieldPath, schema) ? [invalidValue(at, fieldPath, 'must be a valid path')] : []),
  ];
};

const validateRule = (rule: ValidationRule, schema: StructuralSchema, path: FieldPath): FieldError[] => {
  const { messageExpression = '', reason, fieldPath = '' } = rule;
  const errors = validateMessage(rule, path);
  if (messageExpression !== '' && messageExpression.trim() === '') {
    errors.push(required(memberPath(path, 'messageExpression'), 'messageExpression must be non-empty if specified'));
  }
  if (reason !== undefined && !REASONS.includes(reason)) {
    errors.push(notSupported(memberPath(path, 'reason'), reason, REASONS));
  }
  return [...errors, ...validateFieldPath(fieldPath, schema, path)];
};

const pathOfRule = (path: FieldPath, index: number): FieldPath => keyPath(memberPath(path, RULES), index);

/** Checks the rules of one schema node, except their expressions. */
export const validateRuleKeywords = (schema: StructuralSchema, path: FieldPath): FieldError[] =>
  (schema[RULES] ?? []).flatMap((rule, index) => validateRule(rule, schema, pathOfRule(path, index)));

/** The position of a schema node with rules. */
export interface RulePlace {
  readonly path: FieldPath;
  readonly isRoot: boolean;
  /** The enclosing list in which an update does not preserve the identity of items; undefined if there is none. */
  readonly uncorrelatable: FieldPath | undefined;
}

const UNSEEN =
  'internal error: failed to construct type information for x-kubernetes-validations rules: unable to convert structural schema to CEL declarations';

/**
 * Compiles the rules of one schema node, and returns the errors.
 *
 * @throws {StatusError} 501 for rules that only the real server can compile
 */
export const validateExpressions = (
  schema: StructuralSchema,
  { path, isRoot, uncorrelatable }: RulePlace,
): FieldError[] => {
  const rules = schema[RULES] ?? [];
  if (rules.length === 0) return [];
  if (declTypeOf(schema, isRoot) === undefined) return [internalError(memberPath(path, RULES), UNSEEN)];
  return compileRules(schema, isRoot).flatMap((compiled, index) => {
    const at = pathOfRule(path, index);
    const { rule, error, missing, messageError, usesOldSelf } = compiled;
    if (missing !== undefined) throw missing;
    const errors: FieldError[] = [];
    if (error !== undefined) errors.push(invalidValue(memberPath(at, 'rule'), shownRule(rule), error));
    if (messageError !== undefined) {
      errors.push(invalidValue(memberPath(at, 'messageExpression'), shownRule(rule), messageError));
    }
    if (usesOldSelf && uncorrelatable !== undefined) {
      const why = `oldSelf cannot be used on the uncorrelatable portion of the schema within ${uncorrelatable}`;
      errors.push(invalidValue(memberPath(at, 'rule'), rule.rule, why));
    }
    if (!usesOldSelf && rule.optionalOldSelf !== undefined) {
      const why = 'may not be set if oldSelf is not used in rule';
      errors.push(invalidValue(memberPath(at, 'optionalOldSelf'), rule.optionalOldSelf, why));
    }
    return errors;
  });
};
