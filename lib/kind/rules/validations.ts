import { resolveFieldPath } from '../json-schema/field-path.ts';
import type { Validation } from '../json-schema/schema-options.ts';
import type { Visit } from '../json-schema/walk.ts';
import type { RuleFinding, SchemaRule } from './rule.ts';

const REASONS = ['FieldValueInvalid', 'FieldValueRequired', 'FieldValueForbidden', 'FieldValueDuplicate'];
const KEYS = new Set(['rule', 'message', 'messageExpression', 'reason', 'fieldPath', 'optionalOldSelf']);

/** Whether a text has a line break, as CEL defines it. */
const isMultiline = (text: string): boolean => /[\n\r]/.test(text);
const isBlank = (text: string | undefined): boolean => text !== undefined && text.trim() === '';

/** Makes a rule that applies a check to every CEL rule of a schema. */
const each = (id: string, check: (rule: Validation, visit: Visit) => Iterable<RuleFinding>): SchemaRule => ({
  id,
  *check(visit): Iterable<RuleFinding> {
    for (const rule of visit.schema['x-kubernetes-validations'] ?? []) yield* check(rule, visit);
  },
});

/**
 * A CEL rule has an expression, a known reason if any, no blank `messageExpression`, and only members that the API server
 * supports.
 */
export const celRule = each('cel-rule', function* ({ rule, reason, ...rest }): Iterable<RuleFinding> {
  if (isBlank(rule)) yield { message: 'a rule must not be blank', value: rule };
  if (reason !== undefined && !REASONS.includes(reason)) {
    yield { message: `the reason of a rule must be one of ${REASONS.join(', ')}`, value: reason };
  }
  if (isBlank(rest.messageExpression))
    yield { message: 'messageExpression must not be blank', value: rest.messageExpression };
  for (const key of Object.keys(rest).filter((name) => !KEYS.has(name))) {
    yield { message: `the API server ignores ${key} of a rule`, value: key };
  }
});

/**
 * The message of a CEL rule has one line, and not only spaces. A rule of several lines needs a message, because the API server
 * would otherwise show the rule to users.
 */
export const celMessage = each('cel-message', function* ({ rule, message }): Iterable<RuleFinding> {
  const text = message?.trim() ?? '';
  if (isBlank(message) && message !== '') yield { message: 'the message of a rule must not be blank', value: message };
  if (isMultiline(text)) yield { message: 'the message of a rule must be one line', value: message };
  if (isMultiline(rule.trim()) && text === '')
    yield { message: 'a rule of several lines needs a message', value: rule };
});

/** The `fieldPath` of a CEL rule names an existing field. */
export const celFieldPath = each('cel-field-path', function* ({ fieldPath }, { schema }): Iterable<RuleFinding> {
  if (fieldPath === undefined || fieldPath === '') return;
  const resolved = isMultiline(fieldPath) ? 'has a line break' : resolveFieldPath(schema, fieldPath);
  if (typeof resolved === 'string') yield { message: `the fieldPath of a rule ${resolved}`, value: fieldPath };
});

const WITHOUT_TEXT = /(?:r|R)?'''[\s\S]*?'''|(?:r|R)?"""[\s\S]*?"""|'(?:\\.|[^'\\])*'|"(?:\\.|[^"\\])*"|\/\/[^\n]*/g;

/** Whether an expression uses `oldSelf` as an identifier. A string or a field with this name does not count. */
const usesOldSelf = (rule: string): boolean => /(?<![\w.])oldSelf(?!\w)/.test(rule.replaceAll(WITHOUT_TEXT, ' '));

/** Names of fields that are reserved words in CEL. */
const RESERVED =
  /\.\s*(in|as|break|const|continue|else|for|function|if|import|let|loop|package|namespace|return|var|void|while|true|false|null)(?![\w(])/g;

/**
 * In a CEL rule, a field has underscores around its name if the name is a reserved word of CEL. This rule is stricter than the
 * API server. Since 1.31, the API server accepts the plain name, but estimates the cost of the rule without the bounds of the
 * field.
 *
 * @see https://github.com/kubernetes/apiserver/blob/master/pkg/cel/types.go (SetRecognizeKeywordAsFieldName)
 */
export const celReservedName = each('cel-reserved-name', function* ({ rule }): Iterable<RuleFinding> {
  for (const [, name = ''] of rule.replaceAll(WITHOUT_TEXT, ' ').matchAll(RESERVED)) {
    yield { message: `${name} is a word of CEL and cannot name a field`, value: rule, fix: `write __${name}__` };
  }
});

/**
 * `oldSelf` is used within a list only if the items have keys. Otherwise, the API server cannot find the old item.
 * `optionalOldSelf` is set only for a rule that uses `oldSelf`.
 */
export const celOldSelf = each('cel-old-self', function* (validation, { uncorrelated }): Iterable<RuleFinding> {
  const { rule, optionalOldSelf } = validation;
  const uses = usesOldSelf(rule);
  if (uses && uncorrelated !== undefined) {
    const message = `oldSelf is unknown within ${uncorrelated}: its items have no keys`;
    yield { message, value: rule, fix: 'use s.mapList, or move the rule to the list' };
  }
  if (!uses && optionalOldSelf !== undefined) {
    yield { message: 'optionalOldSelf needs a rule that uses oldSelf', value: rule };
  }
});
