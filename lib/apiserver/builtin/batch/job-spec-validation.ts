import { invalidValue, notSupported, required, tooLong } from '#lib/apiserver/machinery/field-error.ts';
import { selects } from '#lib/apiserver/machinery/label-selector.ts';
import { numberIn, objectIn, optionalIn, textIn } from '#lib/apiserver/machinery/members.ts';
import { checkNonNegative, type FieldErrors, fine } from '#lib/apiserver/machinery/validation/field.ts';
import type { JsonObject } from '#lib/json.ts';
import { checkPodTemplate } from '../pods/pod-template.ts';
import { checkDomainPrefixedPath } from '../validation/domain-prefixed-path.ts';
import { checkLabelSelector } from '../validation/label-selector.ts';
import { checkPodFailurePolicy, checkSuccessPolicy, successPolicyValue } from './job-policies.ts';

const MAX_INDEXED_PARALLELISM = 100_000;
const MAX_FAILED_INDEXES = 100_000;
const MANY_COMPLETIONS = 100_000;
const LIMIT_WITH_MANY_COMPLETIONS = 10_000;
const MAX_MANAGED_BY_LENGTH = 63;

const COUNTS = [
  'parallelism',
  'completions',
  'activeDeadlineSeconds',
  'backoffLimit',
  'ttlSecondsAfterFinished',
  'backoffLimitPerIndex',
  'maxFailedIndexes',
];

/** Whether a Job has the completion mode Indexed. */
export const isIndexed = (spec: JsonObject): boolean => spec['completionMode'] === 'Indexed';

const when = (isWrong: boolean, error: FieldErrors[number]): FieldErrors => (isWrong ? [error] : fine);

const checkManagedBy = (path: string, managedBy: unknown): FieldErrors => {
  if (typeof managedBy !== 'string') return fine;
  return [
    ...checkDomainPrefixedPath(path, managedBy),
    ...when(managedBy.length > MAX_MANAGED_BY_LENGTH, tooLong(path, MAX_MANAGED_BY_LENGTH)),
  ];
};

const checkManyCompletions = (path: string, spec: JsonObject): FieldErrors => {
  const hasMany = numberIn(spec, 'completions') > MANY_COMPLETIONS && spec['backoffLimitPerIndex'] !== undefined;
  if (!hasMany) return fine;
  const rule = `must be less than or equal to ${LIMIT_WITH_MANY_COMPLETIONS} when completions are above ${MANY_COMPLETIONS} and used with backoff limit per index`;
  const missing = `must be specified when completions is above ${MANY_COMPLETIONS}`;
  return [
    ...when(spec['maxFailedIndexes'] === undefined, required(`${path}.maxFailedIndexes`, missing)),
    ...['parallelism', 'maxFailedIndexes'].flatMap((name) =>
      when(numberIn(spec, name) > LIMIT_WITH_MANY_COMPLETIONS, invalidValue(`${path}.${name}`, spec[name], rule)),
    ),
  ];
};

const checkIndexed = (path: string, spec: JsonObject): FieldErrors => {
  const { completions, maxFailedIndexes } = spec;
  const [parallelism, failed] = [numberIn(spec, 'parallelism'), numberIn(spec, 'maxFailedIndexes')];
  const most = `must be less than or equal to ${MAX_INDEXED_PARALLELISM} when completion mode is Indexed`;
  const at = `${path}.maxFailedIndexes`;
  return [
    ...when(completions === undefined, required(`${path}.completions`, 'when completion mode is Indexed')),
    ...when(parallelism > MAX_INDEXED_PARALLELISM, invalidValue(`${path}.parallelism`, parallelism, most)),
    ...when(
      typeof completions === 'number' && maxFailedIndexes !== undefined && failed > completions,
      invalidValue(at, failed, 'must be less than or equal to completions'),
    ),
    ...when(
      failed > MAX_FAILED_INDEXES,
      invalidValue(at, failed, `must be less than or equal to ${MAX_FAILED_INDEXES}`),
    ),
    ...checkManyCompletions(path, spec),
  ];
};

const checkMode = (path: string, spec: JsonObject): FieldErrors => {
  const mode = textIn(spec, 'completionMode');
  const at = `${path}.completionMode`;
  if (mode === 'Indexed') return checkIndexed(path, spec);
  if (mode !== 'NonIndexed' && spec['completionMode'] !== undefined) {
    return [notSupported(at, mode, ['NonIndexed', 'Indexed'])];
  }
  return ['backoffLimitPerIndex', 'maxFailedIndexes'].flatMap((name) =>
    when(spec[name] !== undefined, invalidValue(`${path}.${name}`, spec[name], 'requires indexed completion mode')),
  );
};

const checkPolicies = (path: string, spec: JsonObject): FieldErrors => {
  const { podFailurePolicy, successPolicy, podReplacementPolicy: replacement } = spec;
  const known = podFailurePolicy === undefined ? ['Failed', 'TerminatingOrFailed'] : ['Failed'];
  const at = `${path}.successPolicy`;
  const shown = successPolicyValue(optionalIn(spec, 'successPolicy'));
  return [
    ...(podFailurePolicy === undefined ? fine : checkPodFailurePolicy(`${path}.podFailurePolicy`, spec)),
    ...when(
      successPolicy !== undefined && !isIndexed(spec),
      invalidValue(at, shown, 'requires indexed completion mode'),
    ),
    ...(successPolicy !== undefined && isIndexed(spec) ? checkSuccessPolicy(at, spec) : fine),
    ...when(
      typeof replacement === 'string' && !known.includes(replacement),
      notSupported(`${path}.podReplacementPolicy`, replacement, known),
    ),
  ];
};

const checkRestartPolicy = (path: string, spec: JsonObject): FieldErrors => {
  const policy = textIn(objectIn(objectIn(spec, 'template'), 'spec'), 'restartPolicy');
  const known = ['OnFailure', 'Never'];
  if (policy === 'Always' || policy === '') return [required(path, 'valid values: "OnFailure", "Never"')];
  if (!known.includes(policy)) return [notSupported(path, policy, known)];
  const only = 'only "Never" is supported when podFailurePolicy is specified';
  return when(policy !== 'Never' && spec['podFailurePolicy'] !== undefined, invalidValue(path, policy, only));
};

/**
 * Validates the spec of a Job, or the spec in the template of a CronJob, without the selector.
 *
 * @see k8s.io/kubernetes v1.36.4 pkg/apis/batch/validation/validation.go (`validateJobSpec`)
 */
export const checkJobTemplateSpec = (path: string, spec: JsonObject): FieldErrors => {
  const hasNoLimit = spec['maxFailedIndexes'] !== undefined && spec['backoffLimitPerIndex'] === undefined;
  return [
    ...COUNTS.flatMap((name) => checkNonNegative(`${path}.${name}`, spec[name])),
    ...when(hasNoLimit, required(`${path}.backoffLimitPerIndex`, 'when maxFailedIndexes is specified')),
    ...checkManagedBy(`${path}.managedBy`, spec['managedBy']),
    ...checkMode(path, spec),
    ...checkPolicies(path, spec),
    ...checkPodTemplate(`${path}.template`, objectIn(spec, 'template')),
    ...checkRestartPolicy(`${path}.template.spec.restartPolicy`, spec),
  ];
};

/**
 * Validates the spec of a Job.
 *
 * @see k8s.io/kubernetes v1.36.4 pkg/apis/batch/validation/validation.go (`ValidateJobSpec`)
 */
export const checkJobSpec = (spec: JsonObject): FieldErrors => {
  const selector = optionalIn(spec, 'selector');
  const labels = objectIn(objectIn(objectIn(spec, 'template'), 'metadata'), 'labels');
  const errors = selector === undefined ? fine : checkLabelSelector('spec.selector', selector);
  // Without a selector, no labels match.
  const isMatch = selector !== undefined && selects(selector, labels as Record<string, string>);
  const shown = Object.keys(labels).length === 0 ? null : labels;
  return [
    ...checkJobTemplateSpec('spec', spec),
    ...(selector === undefined ? [required('spec.selector')] : errors),
    ...when(
      errors.length === 0 && !isMatch,
      invalidValue('spec.template.metadata.labels', shown, '`selector` does not match template `labels`'),
    ),
  ];
};
