import {
  duplicate,
  invalidValue,
  notSupported,
  omitted,
  required,
  tooLong,
  tooMany,
} from '#lib/apiserver/machinery/field-error.ts';
import { listIn, numberIn, objectIn, optionalIn, textIn } from '#lib/apiserver/machinery/members.ts';
import { goQuote, goStruct, type Verbatim } from '#lib/apiserver/machinery/text/go-text.ts';
import { isQualifiedName } from '#lib/apiserver/machinery/validation/content.ts';
import {
  checkNonNegative,
  checkText,
  type FieldErrors,
  fine,
  forItems,
} from '#lib/apiserver/machinery/validation/field.ts';
import type { JsonObject } from '#lib/json.ts';
import { internal } from '../validation/shown-values.ts';
import { countIndexes } from './index-intervals.ts';

const MAX_RULES = 20;
const MAX_EXIT_CODES = 255;
const MAX_PATTERNS = 20;
const MAX_SUCCEEDED_INDEXES_LENGTH = 64 * 1024;

const ACTIONS = ['Count', 'FailIndex', 'FailJob', 'Ignore'];
const OPERATORS = ['In', 'NotIn'];
const STATUSES = ['False', 'True', 'Unknown'];

/** Checks that a text is one of the known values. The error for an empty text lists these values as Go does. */
const checkChoice = (path: string, value: string, known: readonly string[]): FieldErrors => {
  if (value === '') return [required(path, `valid values: [${known.map(goQuote).join(' ')}]`)];
  return known.includes(value) ? fine : [notSupported(path, value, known)];
};

const checkAction = (path: string, action: string, spec: JsonObject): FieldErrors =>
  action === 'FailIndex' && spec['backoffLimitPerIndex'] === undefined
    ? [invalidValue(path, action, 'requires the backoffLimitPerIndex to be set')]
    : checkChoice(path, action, ACTIONS);

const checkExitCodes = (path: string, codes: JsonObject, names: ReadonlySet<string>): FieldErrors => {
  const [operator, name] = [textIn(codes, 'operator'), codes['containerName']];
  const values = Array.isArray(codes['values']) ? (codes['values'] as readonly number[]) : [];
  const at = `${path}.values`;
  const unknown = 'must be one of the container or initContainer names in the pod template';
  const isOrdered = values.every((value, i) => i === 0 || (values[i - 1] ?? 0) <= value);
  return [
    ...checkChoice(`${path}.operator`, operator, OPERATORS),
    ...(typeof name === 'string' && !names.has(name) ? [invalidValue(`${path}.containerName`, name, unknown)] : fine),
    ...(values.length === 0 ? [invalidValue(at, values, 'at least one value is required')] : fine),
    ...(values.length > MAX_EXIT_CODES ? [tooMany(at, values.length, MAX_EXIT_CODES)] : fine),
    ...forItems(at, values, (value, valuePath, i) => [
      ...(operator === 'In' && value === 0
        ? [invalidValue(valuePath, value, 'must not be 0 for the In operator')]
        : fine),
      ...(values.indexOf(value) < i ? [duplicate(valuePath, value)] : fine),
    ]),
    ...(isOrdered ? fine : [invalidValue(at, values, 'must be ordered')]),
  ];
};

const checkConditions = (path: string, patterns: readonly JsonObject[]): FieldErrors => [
  ...(patterns.length > MAX_PATTERNS ? [tooMany(path, patterns.length, MAX_PATTERNS)] : fine),
  ...forItems(path, patterns, (pattern, at) => [
    ...checkText(`${at}.type`, textIn(pattern, 'type'), isQualifiedName),
    ...checkChoice(`${at}.status`, textIn(pattern, 'status'), STATUSES),
  ]),
];

const containerNames = (spec: JsonObject): ReadonlySet<string> => {
  const pod = objectIn(objectIn(spec, 'template'), 'spec');
  return new Set([...listIn(pod, 'containers'), ...listIn(pod, 'initContainers')].map((item) => textIn(item, 'name')));
};

/**
 * Validates the field `podFailurePolicy` of a Job.
 *
 * @see k8s.io/kubernetes v1.36.4 pkg/apis/batch/validation/validation.go (`validatePodFailurePolicy`)
 */
export const checkPodFailurePolicy = (path: string, spec: JsonObject): FieldErrors => {
  const rules = listIn(objectIn(spec, 'podFailurePolicy'), 'rules');
  const names = containerNames(spec);
  return [
    ...(rules.length > MAX_RULES ? [tooMany(`${path}.rules`, rules.length, MAX_RULES)] : fine),
    ...forItems(`${path}.rules`, rules, (rule, at) => {
      const [codes, conditions] = [optionalIn(rule, 'onExitCodes'), listIn(rule, 'onPodConditions')];
      const [hasCodes, hasConditions] = [codes !== undefined, conditions.length > 0];
      const both = `${hasCodes ? 'both' : 'one of'} OnExitCodes and OnPodConditions is`;
      return [
        ...checkAction(`${at}.action`, textIn(rule, 'action'), spec),
        ...(codes === undefined ? fine : checkExitCodes(`${at}.onExitCodes`, codes, names)),
        ...checkConditions(`${at}.onPodConditions`, conditions),
        ...(hasCodes === hasConditions
          ? [invalidValue(at, omitted, `specifying ${both} ${hasCodes ? 'not supported' : 'required'}`)]
          : fine),
      ];
    }),
  ];
};

const most = (limit: number, what: string): string => `must be less than or equal to ${limit} (the number of ${what})`;

const checkCount = (path: string, count: number, { completions, indexes }: SuccessLimits): FieldErrors => {
  return [
    ...checkNonNegative(path, count),
    ...(count > completions ? [invalidValue(path, count, most(completions, 'specified completions'))] : fine),
    ...(indexes !== undefined && count > indexes
      ? [invalidValue(path, count, most(indexes, 'indexes in the specified succeededIndexes field'))]
      : fine),
  ];
};

interface SuccessLimits {
  readonly completions: number;
  /** The number of indexes in `succeededIndexes`; 0 for a malformed text, undefined without `succeededIndexes`. */
  readonly indexes: number | undefined;
}

const checkSuccessRule = (rule: JsonObject, at: string, completions: number): FieldErrors => {
  const { succeededCount: count, succeededIndexes: indexes } = rule;
  const path = `${at}.succeededIndexes`;
  const counted = typeof indexes === 'string' ? countIndexes(indexes, completions) : undefined;
  const total = counted && ('value' in counted ? counted.value : 0);
  return [
    ...(count === undefined && indexes === undefined
      ? [required(at, 'at least one of succeededCount or succeededIndexes must be specified')]
      : fine),
    ...(typeof indexes === 'string' && indexes.length > MAX_SUCCEEDED_INDEXES_LENGTH
      ? [tooLong(path, MAX_SUCCEEDED_INDEXES_LENGTH)]
      : fine),
    ...(counted && 'problem' in counted
      ? [invalidValue(path, indexes, `error parsing succeededIndexes: ${counted.problem}`)]
      : fine),
    ...(typeof count === 'number' ? checkCount(`${at}.succeededCount`, count, { completions, indexes: total }) : fine),
  ];
};

/**
 * Validates the field `successPolicy` of an indexed Job.
 *
 * @see k8s.io/kubernetes v1.36.4 pkg/apis/batch/validation/validation.go (`validateSuccessPolicy`)
 */
export const checkSuccessPolicy = (path: string, spec: JsonObject): FieldErrors => {
  const rules = listIn(objectIn(spec, 'successPolicy'), 'rules');
  const missing = 'at least one rules must be specified when the successPolicy is specified';
  return [
    ...(rules.length === 0 ? [required(`${path}.rules`, missing)] : fine),
    ...(rules.length > MAX_RULES ? [tooMany(`${path}.rules`, rules.length, MAX_RULES)] : fine),
    ...forItems(`${path}.rules`, rules, (rule, at) => checkSuccessRule(rule, at, numberIn(spec, 'completions'))),
  ];
};

const shownList = (items: readonly JsonObject[], names: readonly string[]): readonly unknown[] =>
  items.map((item) => internal(item, names));

/** Converts a success policy to the form in messages; null without a policy. */
export const successPolicyValue = (policy: JsonObject | undefined): Verbatim | null =>
  policy === undefined
    ? null
    : goStruct({ Rules: shownList(listIn(policy, 'rules'), ['SucceededIndexes', 'SucceededCount']) });

/** Converts a pod failure policy to the form in messages; null without a policy. */
export const podFailurePolicyValue = (policy: JsonObject | undefined): Verbatim | null =>
  policy === undefined
    ? null
    : goStruct({
        Rules: listIn(policy, 'rules').map((rule) => ({
          Action: textIn(rule, 'action'),
          OnExitCodes: internal(optionalIn(rule, 'onExitCodes'), ['ContainerName', 'Operator', 'Values']),
          OnPodConditions: Array.isArray(rule['onPodConditions'])
            ? shownList(listIn(rule, 'onPodConditions'), ['Type', 'Status'])
            : null,
        })),
      });
