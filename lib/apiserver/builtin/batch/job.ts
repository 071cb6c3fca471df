import { invalidValue, required } from '#lib/apiserver/machinery/field-error.ts';
import { withGeneration } from '#lib/apiserver/machinery/generation.ts';
import { selects } from '#lib/apiserver/machinery/label-selector.ts';
import { mapItems, mapMember, numberIn, objectIn, optionalIn, withDefaults } from '#lib/apiserver/machinery/members.ts';
import type { ServerObject } from '#lib/apiserver/machinery/object.ts';
import { goStruct } from '#lib/apiserver/machinery/text/go-text.ts';
import { isDns1123LabelText, isDns1123Subdomain } from '#lib/apiserver/machinery/validation/content.ts';
import { type FieldErrors, fine } from '#lib/apiserver/machinery/validation/field.ts';
import type { JsonObject } from '#lib/json.ts';
import { templateDefaults } from '../pods/pod-template.ts';
import { type BuiltinKind, prepareSpecUpdate } from '../strategy.ts';
import { checkLabelSelector } from '../validation/label-selector.ts';
import { checkMetadata } from '../validation/object-meta.ts';
import { selectorValue } from '../validation/shown-values.ts';
import { checkJobSpec, isIndexed } from './job-spec-validation.ts';
import { checkJobStatusUpdate } from './job-status-validation.ts';
import { checkJobUpdate } from './job-update-validation.ts';

const JOB_NAME = 'batch.kubernetes.io/job-name';
const CONTROLLER_UID = 'batch.kubernetes.io/controller-uid';
const NAME_LABELS = ['job-name', JOB_NAME];
const UID_LABELS = ['controller-uid', CONTROLLER_UID];

const MAX_INT32 = 2 ** 31 - 1;

/** The name of a Job; '' if the Job has no name and will be refused. */
const nameOf = ({ name }: { readonly name?: string }): string => name ?? '';

const labelsOf = (spec: JsonObject): JsonObject => objectIn(objectIn(objectIn(spec, 'template'), 'metadata'), 'labels');

/** @see k8s.io/kubernetes v1.36.4 pkg/apis/batch/v1/defaults.go (`SetDefaults_PodFailurePolicyOnPodConditionsPattern`) */
const policyDefaults = (policy: JsonObject): JsonObject =>
  mapItems(policy, 'rules', (rule) =>
    mapItems(rule, 'onPodConditions', (pattern) =>
      pattern['status'] === '' ? { ...pattern, status: 'True' } : withDefaults(pattern, { status: 'True' }),
    ),
  );

/** Fills in the defaults that the spec of a Job and the template of a CronJob share. */
export const jobTemplateDefaults = (spec: JsonObject): JsonObject =>
  templateDefaults(mapMember(spec, 'podFailurePolicy', policyDefaults));

const specDefaults = (spec: JsonObject): JsonObject => {
  const isSingle = spec['completions'] === undefined && spec['parallelism'] === undefined;
  return jobTemplateDefaults(
    withDefaults(spec, {
      ...(isSingle && { completions: 1 }),
      parallelism: 1,
      backoffLimit: spec['backoffLimitPerIndex'] === undefined ? 6 : MAX_INT32,
      completionMode: 'NonIndexed',
      suspend: false,
      podReplacementPolicy: spec['podFailurePolicy'] === undefined ? 'TerminatingOrFailed' : 'Failed',
      manualSelector: false,
    }),
  );
};

/**
 * Labels of Jobs that were copied from the template. In Go, the Job and the template share one map. For this reason, labels that
 * are added to the template are also added to the Job.
 */
const copiedLabels = new WeakSet<object>();

/** @see k8s.io/kubernetes v1.36.4 pkg/apis/batch/v1/defaults.go (`SetDefaults_Job`) */
const setDefaults = (job: ServerObject): ServerObject => {
  const completed = mapMember(job, 'spec', specDefaults) as ServerObject;
  const { labels = {} } = job.metadata;
  const copy = { ...labelsOf(objectIn(job, 'spec')) } as Readonly<Record<string, string>>;
  if (Object.keys(labels).length > 0 || Object.keys(copy).length === 0) return completed;
  copiedLabels.add(copy);
  return { ...completed, metadata: { ...completed.metadata, labels: copy } };
};

/**
 * Adds labels with the name and the uid of the Job to its template, and the uid to its selector. A Job without labels gets the
 * labels of its template. With `manualSelector`, nothing changes.
 *
 * @see k8s.io/kubernetes v1.36.4 pkg/registry/batch/job/strategy.go (`generateSelector`)
 */
const withSelector = ({ metadata, ...job }: ServerObject): ServerObject => {
  const spec = objectIn(job, 'spec');
  if (spec['manualSelector'] === true) return { ...job, metadata };
  const [template, selector] = [objectIn(spec, 'template'), objectIn(spec, 'selector')];
  const given = objectIn(template, 'metadata');
  const labels = withDefaults(
    objectIn(given, 'labels'),
    Object.fromEntries([
      ...NAME_LABELS.map((name) => [name, nameOf(metadata)]),
      ...UID_LABELS.map((name) => [name, metadata.uid]),
    ]),
  );
  const matchLabels = withDefaults(objectIn(selector, 'matchLabels'), { [CONTROLLER_UID]: metadata.uid });
  const own = metadata.labels ?? {};
  const isMissing = Object.keys(own).length === 0;
  return {
    ...job,
    metadata:
      isMissing || copiedLabels.has(own) ? { ...metadata, labels: isMissing ? labels : { ...labels } } : metadata,
    spec: {
      ...spec,
      selector: { ...selector, matchLabels },
      template: { ...template, metadata: { ...given, labels } },
    },
  } as unknown as ServerObject;
};

const checkLabel = (labels: JsonObject, name: string, expected: string): FieldErrors => {
  const path = `spec.template.metadata.labels[${name}]`;
  const text = `must be '${expected}'`;
  if (labels[name] === undefined) return [required(path, text)];
  return labels[name] === expected ? fine : [invalidValue(path, labels, text)];
};

/** @see k8s.io/kubernetes v1.36.4 pkg/apis/batch/validation/validation.go (`validateGeneratedSelector`) */
const checkGeneratedSelector = ({ metadata, ...job }: ServerObject, hasPrefixes: boolean): FieldErrors => {
  const spec = objectIn(job, 'spec');
  const selector = optionalIn(spec, 'selector');
  if (spec['manualSelector'] === true || selector === undefined) return fine;
  const expected = {
    'controller-uid': metadata.uid,
    'job-name': nameOf(metadata),
    ...(hasPrefixes && { [CONTROLLER_UID]: metadata.uid, [JOB_NAME]: nameOf(metadata) }),
  };
  const labels = labelsOf(spec);
  const isComparable = checkLabelSelector('spec.selector', selector).length === 0;
  return [
    ...Object.entries(expected).flatMap(([name, value]) => checkLabel(labels, name, value)),
    ...(!isComparable || selects(selector, expected)
      ? fine
      : [invalidValue('spec.selector', goStruct(selectorValue(selector)), '`selector` not auto-generated')]),
  ];
};

/** Checks the name of an indexed Job, because the host names of its pods contain the name. */
const checkHostNames = ({ metadata, ...job }: ServerObject): FieldErrors => {
  const spec = objectIn(job, 'spec');
  const completions = numberIn(spec, 'completions');
  if (!isIndexed(spec) || completions <= 0) return fine;
  const host = `${nameOf(metadata)}-${completions - 1}`;
  return isDns1123LabelText(host).length === 0
    ? fine
    : [invalidValue('metadata.name', nameOf(metadata), `will not able to create pod with invalid DNS label: ${host}`)];
};

/** Removes labels that come from the template. The real server adds these labels after validation, to the stored Job. */
const withoutAddedLabels = ({ metadata, ...job }: ServerObject): ServerObject => {
  const isAdded = metadata.labels === labelsOf(objectIn(job, 'spec'));
  return { ...job, metadata: isAdded ? { ...metadata, labels: {} } : metadata };
};

/** @see k8s.io/kubernetes v1.36.4 pkg/apis/batch/validation/validation.go (`ValidateJob`) */
const checkJob = (job: ServerObject, hasPrefixes = true): FieldErrors => [
  ...checkMetadata(withoutAddedLabels(job), { check: isDns1123Subdomain }),
  ...checkGeneratedSelector(job, hasPrefixes),
  ...checkJobSpec(objectIn(job, 'spec')),
  ...checkHostNames(job),
];

/**
 * The built-in kind Job.
 *
 * @see k8s.io/kubernetes v1.36.4 pkg/registry/batch/job/strategy.go
 */
export const jobKind: BuiltinKind = {
  group: 'batch',
  kind: 'Job',
  plural: 'jobs',
  hasStatus: true,
  strategy: {
    setDefaults,
    prepareForCreate: (job) => ({ ...withGeneration(withSelector(job), 1), status: {} }),
    // The labels come from the template, so after an update of the status from that of the stored spec.
    prepareForUpdate: (job, old, where) => setDefaults(prepareSpecUpdate(job, old, where)),
    check: (job) => checkJob(job),
    checkUpdate: (job, old) => {
      const labels = labelsOf(objectIn(old, 'spec'));
      const hasPrefixes = labels[JOB_NAME] !== undefined && labels[CONTROLLER_UID] !== undefined;
      return [...checkJob(job, hasPrefixes), ...checkJobUpdate(job, old)];
    },
    checkStatusUpdate: checkJobStatusUpdate,
    isOrphaningByDefault: true,
    selectableFields: ['status.successful'],
    selectableValue: (job, field) =>
      field === 'status.successful' ? String(numberIn(objectIn(job, 'status'), 'succeeded')) : undefined,
  },
};
