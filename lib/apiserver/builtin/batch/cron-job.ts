import { invalidValue, notSupported, required } from '#lib/apiserver/machinery/field-error.ts';
import { withGeneration } from '#lib/apiserver/machinery/generation.ts';
import { mapMember, objectIn, optionalIn, textIn, withDefaults } from '#lib/apiserver/machinery/members.ts';
import type { ServerObject } from '#lib/apiserver/machinery/object.ts';
import { goStruct } from '#lib/apiserver/machinery/text/go-text.ts';
import { isDns1123Subdomain } from '#lib/apiserver/machinery/validation/content.ts';
import { checkNonNegative, type FieldErrors, fine } from '#lib/apiserver/machinery/validation/field.ts';
import type { JsonObject } from '#lib/json.ts';
import { type BuiltinKind, prepareSpecUpdate } from '../strategy.ts';
import { checkOneOf } from '../validation/field.ts';
import { checkMetadata, checkMetadataUpdate } from '../validation/object-meta.ts';
import { selectorValue } from '../validation/shown-values.ts';
import { parseCronSchedule, timeZoneProblem } from './cron-schedule.ts';
import { jobTemplateDefaults } from './job.ts';
import { checkJobTemplateSpec } from './job-spec-validation.ts';

/** Maximum length of the name of a CronJob. For the name of a Job, the controller appends 11 characters to this name. */
const MAX_NAME_LENGTH = 52;

/** @see k8s.io/kubernetes v1.36.4 pkg/apis/batch/v1/defaults.go (`SetDefaults_CronJob`) */
const setDefaults = (cronJob: ServerObject): ServerObject =>
  mapMember(cronJob, 'spec', (spec) =>
    mapMember(
      withDefaults(spec, {
        concurrencyPolicy: 'Allow',
        suspend: false,
        successfulJobsHistoryLimit: 3,
        failedJobsHistoryLimit: 1,
      }),
      'jobTemplate',
      (template) => mapMember(template, 'spec', jobTemplateDefaults),
    ),
  ) as ServerObject;

const checkSchedule = (spec: JsonObject, old: JsonObject | undefined): FieldErrors => {
  const [schedule, path] = [textIn(spec, 'schedule'), 'spec.schedule'];
  if (schedule === '') return [required(path)];
  const parsed = parseCronSchedule(schedule);
  const [hasZone, hadZone] = [schedule.includes('TZ'), textIn(old, 'schedule').includes('TZ')];
  const both = 'cannot use both timeZone field and TZ or CRON_TZ in schedule';
  const instead = 'cannot use TZ or CRON_TZ in schedule, use timeZone field instead';
  return [
    ...(typeof parsed === 'string' ? [invalidValue(path, schedule, parsed)] : fine),
    ...(hasZone && hadZone && spec['timeZone'] !== undefined ? [invalidValue(path, schedule, both)] : fine),
    ...(hasZone && !hadZone ? [invalidValue(path, schedule, instead)] : fine),
  ];
};

/** @see k8s.io/kubernetes v1.36.4 pkg/apis/batch/validation/validation.go (`validateTimeZone`) */
const checkTimeZone = (name: unknown): FieldErrors => {
  const path = 'spec.timeZone';
  if (typeof name !== 'string') return fine;
  if (name === '') return [invalidValue(path, name, 'timeZone must be nil or non-empty string')];
  const isWrong = name
    .split('/')
    .some((part) => part === '.' || part === '..' || part.startsWith('-') || !/^[A-Za-z.\-_0-9+]{1,14}$/.test(part));
  if (isWrong) return [invalidValue(path, name, `unknown time zone ${name}`)];
  const problem = timeZoneProblem(name);
  const explicit = 'timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones';
  return [
    ...(name.toLowerCase() === 'local' ? [invalidValue(path, name, explicit)] : fine),
    ...(problem === undefined ? fine : [invalidValue(path, name, problem)]),
  ];
};

/** @see k8s.io/kubernetes v1.36.4 pkg/apis/batch/validation/validation.go (`ValidateJobTemplateSpec`) */
const checkTemplate = (template: JsonObject): FieldErrors => {
  const [path, spec] = ['spec.jobTemplate.spec', objectIn(template, 'spec')];
  const selector = optionalIn(spec, 'selector');
  const generated = '`selector` will be auto-generated';
  return [
    ...checkJobTemplateSpec(path, spec),
    ...(selector === undefined
      ? fine
      : [invalidValue(`${path}.selector`, goStruct(selectorValue(selector)), generated)]),
    ...(spec['manualSelector'] === true ? [notSupported(`${path}.manualSelector`, true, ['nil', 'false'])] : fine),
  ];
};

/** @see k8s.io/kubernetes v1.36.4 pkg/apis/batch/validation/validation.go (`validateCronJobSpec`) */
const checkSpec = (spec: JsonObject, old?: JsonObject): FieldErrors => [
  ...checkSchedule(spec, old),
  ...checkNonNegative('spec.startingDeadlineSeconds', spec['startingDeadlineSeconds']),
  ...(old === undefined || old['timeZone'] !== spec['timeZone'] ? checkTimeZone(spec['timeZone']) : fine),
  ...checkOneOf('spec.concurrencyPolicy', textIn(spec, 'concurrencyPolicy'), ['Allow', 'Forbid', 'Replace']),
  ...checkTemplate(objectIn(spec, 'jobTemplate')),
  ...checkNonNegative('spec.successfulJobsHistoryLimit', spec['successfulJobsHistoryLimit']),
  ...checkNonNegative('spec.failedJobsHistoryLimit', spec['failedJobsHistoryLimit']),
];

/**
 * The built-in kind CronJob.
 *
 * @see k8s.io/kubernetes v1.36.4 pkg/registry/batch/cronjob/strategy.go
 */
export const cronJobKind: BuiltinKind = {
  group: 'batch',
  kind: 'CronJob',
  plural: 'cronjobs',
  hasStatus: true,
  strategy: {
    setDefaults,
    prepareForCreate: (cronJob) => ({ ...withGeneration(cronJob, 1), status: {} }),
    prepareForUpdate: prepareSpecUpdate,
    check: (cronJob) => {
      const name = textIn(objectIn(cronJob, 'metadata'), 'name');
      const tooLong = `must be no more than ${MAX_NAME_LENGTH} characters`;
      return [
        ...checkMetadata(cronJob, { check: isDns1123Subdomain }),
        ...checkSpec(objectIn(cronJob, 'spec')),
        ...(name.length > MAX_NAME_LENGTH ? [invalidValue('metadata.name', name, tooLong)] : fine),
      ];
    },
    checkUpdate: (cronJob, old) => [
      ...checkMetadataUpdate(cronJob, old),
      ...checkSpec(objectIn(cronJob, 'spec'), objectIn(old, 'spec')),
    ],
    checkStatusUpdate: () => fine,
  },
};
