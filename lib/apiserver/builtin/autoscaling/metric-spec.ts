import { forbiddenField, invalidValue, notSupported, required } from '#lib/apiserver/machinery/field-error.ts';
import { objectIn, optionalIn, textIn } from '#lib/apiserver/machinery/members.ts';
import { isDns1123LabelText, isPathSegmentName } from '#lib/apiserver/machinery/validation/content.ts';
import { checkText, type FieldErrors, fine } from '#lib/apiserver/machinery/validation/field.ts';
import type { JsonObject } from '#lib/json.ts';
import { formatQuantity, storedQuantity } from '../codec/quantity.ts';
import { checkContainerResourceName } from '../validation/resources-validation.ts';

/** Options of {@link checkTargetReference}. */
export interface ReferenceRules {
  /** Whether the reference may name a kind of the core group. */
  readonly allowsCore: boolean;
  /** Whether any API version is permitted. */
  readonly allowsAnyVersion: boolean;
}

const checkName = (at: string, name: string, detail = ''): FieldErrors =>
  name === '' ? [required(at, detail)] : checkText(at, name, isPathSegmentName);

/** The problem of an API version; `undefined` if there is none. */
const versionProblem = (apiVersion: string, { allowsCore, allowsAnyVersion }: ReferenceRules): string | undefined => {
  if (allowsAnyVersion) return undefined;
  const parts = apiVersion === '/' ? [''] : apiVersion.split('/');
  if (parts.length > 2) return `unexpected GroupVersion string: ${apiVersion}`;
  const hasGroup = parts.length === 2 && parts[0] !== '';
  return hasGroup || allowsCore ? undefined : 'apiVersion must specify API group';
};

/** Whether the API version of a reference is valid under the rules. An absent version means the core group. */
export const isValidReference = (reference: JsonObject, rules: ReferenceRules): boolean =>
  versionProblem(textIn(reference, 'apiVersion'), rules) === undefined;

/** Checks a reference to an object that an autoscaler scales or measures. */
export const checkTargetReference = (path: string, reference: JsonObject, rules: ReferenceRules): FieldErrors => {
  const apiVersion = textIn(reference, 'apiVersion');
  const problem = versionProblem(apiVersion, rules);
  return [
    ...checkName(`${path}.kind`, textIn(reference, 'kind')),
    ...checkName(`${path}.name`, textIn(reference, 'name')),
    ...(problem === undefined ? fine : [invalidValue(`${path}.apiVersion`, apiVersion, problem)]),
  ];
};

const checkPositive = (at: string, value: unknown): FieldErrors => {
  if (value === undefined) return fine;
  const quantity = storedQuantity(value);
  return quantity.nano > 0n ? fine : [invalidValue(at, formatQuantity(quantity), 'must be positive')];
};

const TARGET_TYPES: ReadonlySet<string> = new Set(['Utilization', 'Value', 'AverageValue']);

const checkTarget = (path: string, target: JsonObject): FieldErrors => {
  const { averageUtilization } = target;
  const type = textIn(target, 'type');
  const isLow = typeof averageUtilization === 'number' && averageUtilization < 1;
  return [
    ...(type === '' ? [required(`${path}.type`, 'must specify a metric target type')] : fine),
    ...(TARGET_TYPES.has(type)
      ? fine
      : [invalidValue(`${path}.type`, type, 'must be either Utilization, Value, or AverageValue')]),
    ...checkPositive(`${path}.value`, target['value']),
    ...checkPositive(`${path}.averageValue`, target['averageValue']),
    ...(isLow ? [invalidValue(`${path}.averageUtilization`, averageUtilization, 'must be greater than 0')] : fine),
  ];
};

const has = (target: JsonObject, name: string): boolean => target[name] !== undefined;

const checkMetric = (path: string, source: JsonObject): FieldErrors =>
  checkName(`${path}.metric.name`, textIn(objectIn(source, 'metric'), 'name'), 'must specify a metric name');

const checkMetricTarget = (path: string, source: JsonObject): FieldErrors =>
  checkTarget(`${path}.target`, objectIn(source, 'target'));

const checkUtilization = (path: string, source: JsonObject): FieldErrors => {
  const target = objectIn(source, 'target');
  const [hasUse, hasValue] = [has(target, 'averageUtilization'), has(target, 'averageValue')];
  const rawOrUse = 'a target raw value';
  return [
    ...checkMetricTarget(path, source),
    ...(hasUse || hasValue
      ? fine
      : [required(`${path}.target.averageUtilization`, `must set either ${rawOrUse} or a target utilization`)]),
    ...(hasUse && hasValue
      ? [forbiddenField(`${path}.target.averageValue`, `may not set both ${rawOrUse} and a target utilization`)]
      : fine),
  ];
};

type CheckSource = (path: string, source: JsonObject, rules: ReferenceRules) => FieldErrors;

const checkObject: CheckSource = (path, source, rules) => {
  const target = objectIn(source, 'target');
  const isMissing = !has(target, 'value') && !has(target, 'averageValue');
  return [
    ...checkTargetReference(`${path}.describedObject`, objectIn(source, 'describedObject'), rules),
    ...checkMetric(path, source),
    ...checkMetricTarget(path, source),
    ...(isMissing ? [required(`${path}.target.averageValue`, 'must set either a target value or averageValue')] : fine),
  ];
};

const checkExternal: CheckSource = (path, source) => {
  const target = objectIn(source, 'target');
  const [hasValue, hasAverage] = [has(target, 'value'), has(target, 'averageValue')];
  const either = 'a target value for metric';
  return [
    ...checkMetric(path, source),
    ...checkMetricTarget(path, source),
    ...(hasValue || hasAverage
      ? fine
      : [required(`${path}.target.averageValue`, `must set either ${either} or a per-pod target`)]),
    ...(hasValue && hasAverage
      ? [forbiddenField(`${path}.target.value`, `may not set both ${either} and a per-pod target`)]
      : fine),
  ];
};

const checkPods: CheckSource = (path, source) => [
  ...checkMetric(path, source),
  ...checkMetricTarget(path, source),
  ...(has(objectIn(source, 'target'), 'averageValue')
    ? fine
    : [required(`${path}.target.averageValue`, 'must specify a positive target averageValue')]),
];

const NO_RESOURCE = 'must specify a resource name';

const checkResource: CheckSource = (path, source) => [
  ...(textIn(source, 'name') === '' ? [required(`${path}.name`, NO_RESOURCE)] : fine),
  ...checkUtilization(path, source),
];

const checkContainerResource: CheckSource = (path, source) => {
  const [name, container] = [textIn(source, 'name'), textIn(source, 'container')];
  return [
    ...(name === '' ? [required(`${path}.name`, NO_RESOURCE)] : checkContainerResourceName(`${path}.name`, name)),
    ...(container === ''
      ? [required(`${path}.container`, 'must specify a container')]
      : checkText(`${path}.container`, container, isDns1123LabelText)),
    ...checkUtilization(path, source),
  ];
};

/** The field of each type of metric, and its check, in the order of the checks of the real server. */
const SOURCES: Readonly<Record<string, { readonly field: string; readonly check: CheckSource }>> = {
  Object: { field: 'object', check: checkObject },
  External: { field: 'external', check: checkExternal },
  Pods: { field: 'pods', check: checkPods },
  Resource: { field: 'resource', check: checkResource },
  ContainerResource: { field: 'containerResource', check: checkContainerResource },
};

const TYPES = Object.keys(SOURCES).toSorted();

/** @see k8s.io/kubernetes v1.36.4 pkg/apis/autoscaling/validation/validation.go (`validateMetricSpec`) */
export const checkMetricSpec = (path: string, spec: JsonObject, rules: ReferenceRules): FieldErrors => {
  const type = textIn(spec, 'type');
  const expected = SOURCES[type]?.field;
  const present = Object.values(SOURCES).filter(({ field }) => spec[field] !== undefined);
  const [first] = present;
  const unsupported = expected === undefined ? [notSupported(`${path}.type`, type, TYPES)] : fine;
  const isMissing = expected !== undefined && spec[expected] === undefined;
  const others = present.length === 1 ? [] : present.filter(({ field }) => field !== expected);
  return [
    ...(type === '' ? [required(`${path}.type`, 'must specify a metric source type')] : fine),
    ...unsupported,
    ...(first === undefined ? fine : first.check(`${path}.${first.field}`, optionalIn(spec, first.field) ?? {}, rules)),
    ...(isMissing ? [required(`${path}.${expected}`, 'must populate information for the given metric source')] : fine),
    ...unsupported,
    ...others.map(({ field }) => forbiddenField(`${path}.${field}`, 'must populate the given metric source only')),
  ];
};
