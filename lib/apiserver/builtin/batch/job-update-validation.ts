import { invalidValue } from '#lib/apiserver/machinery/field-error.ts';
import { listIn, numberIn, objectIn, optionalIn, textIn, withMember } from '#lib/apiserver/machinery/members.ts';
import type { ServerObject } from '#lib/apiserver/machinery/object.ts';
import { goStruct } from '#lib/apiserver/machinery/text/go-text.ts';
import { type FieldErrors, fine } from '#lib/apiserver/machinery/validation/field.ts';
import { equalJson, type JsonObject } from '#lib/json.ts';
import { checkImmutable, checkMetadataUpdate } from '../validation/object-meta.ts';
import { selectorValue } from '../validation/shown-values.ts';
import { podFailurePolicyValue, successPolicyValue } from './job-policies.ts';
import { checkJobSpec, isIndexed } from './job-spec-validation.ts';

const podSpecIn = (spec: JsonObject): JsonObject => objectIn(objectIn(spec, 'template'), 'spec');

const isSuspended = (job: ServerObject): boolean => objectIn(job, 'spec')['suspend'] === true;

/** @see k8s.io/kubernetes v1.36.4 pkg/registry/batch/job/strategy.go (`shouldAllowMutablePodTemplate`) */
const isTemplateMutable = (job: ServerObject): boolean => {
  const status = objectIn(job, 'status');
  const hasStopped = listIn(status, 'conditions').some(
    (condition) => condition['type'] === 'Suspended' && condition['status'] === 'True',
  );
  return isSuspended(job) && (status['startTime'] === undefined || hasStopped) && numberIn(status, 'active') === 0;
};

/** The old affinity with the new node affinity. */
const withNodeAffinity = (old: JsonObject | undefined, next: JsonObject | undefined): JsonObject | undefined => {
  if (old === undefined && next === undefined) return undefined;
  const merged = withMember(old ?? {}, 'nodeAffinity', next?.['nodeAffinity']);
  return next === undefined && Object.keys(merged).length === 0 ? undefined : merged;
};

/**
 * The old containers with new resources. A container of another position or name, or in a list of another length, stays
 * unchanged.
 */
const withResources = (old: readonly JsonObject[], next: readonly JsonObject[]): readonly JsonObject[] =>
  old.length === next.length
    ? old.map((container, i) =>
        textIn(container, 'name') === textIn(next[i], 'name')
          ? withMember(container, 'resources', next[i]?.['resources'])
          : container,
      )
    : old;

/** The old pod spec, with the new values of all fields that may change while a Job is suspended. */
const withMutableFields = (old: JsonObject, next: JsonObject): JsonObject => {
  const kept: JsonObject = {
    ...old,
    affinity: withNodeAffinity(optionalIn(old, 'affinity'), optionalIn(next, 'affinity')),
  };
  const scheduled = ['nodeSelector', 'tolerations', 'schedulingGates'].reduce(
    (spec, name) => withMember(spec, name, next[name]),
    kept['affinity'] === undefined ? withMember(kept, 'affinity', undefined) : kept,
  );
  return ['containers', 'initContainers'].reduce(
    (spec, name) =>
      spec[name] === undefined ? spec : withMember(spec, name, withResources(listIn(spec, name), listIn(next, name))),
    scheduled,
  );
};

const immutable = (path: string, value: unknown): FieldErrors => [invalidValue(path, value, 'field is immutable')];

const checkTemplateUpdate = (job: ServerObject, old: ServerObject): FieldErrors => {
  const [spec, before] = [objectIn(job, 'spec'), objectIn(old, 'spec')];
  if (!isTemplateMutable(old)) {
    return equalJson(spec['template'], before['template']) ? fine : immutable('spec.template', spec['template']);
  }
  const [next, allowed] = [podSpecIn(spec), withMutableFields(podSpecIn(before), podSpecIn(spec))];
  return equalJson(next, allowed) ? fine : immutable('spec.template.spec', next);
};

const checkCompletions = (spec: JsonObject, old: JsonObject): FieldErrors => {
  const { completions, parallelism } = spec;
  if (!isIndexed(spec)) return checkImmutable('spec.completions', completions, old['completions']);
  if (equalJson(completions, old['completions']) || completions === undefined) return fine;
  const detail = 'can only be modified in tandem with spec.parallelism';
  return completions === parallelism ? fine : [invalidValue('spec.completions', completions, detail)];
};

const shownSelector = (value: JsonObject | undefined): unknown =>
  value === undefined ? null : goStruct(selectorValue(value));

/** Checks that a field did not change. The error contains the field in the form of Go's internal type. */
const checkSame = (
  { spec, old }: { readonly spec: JsonObject; readonly old: JsonObject },
  name: string,
  shown: (value: JsonObject | undefined) => unknown,
): FieldErrors => (equalJson(spec[name], old[name]) ? fine : immutable(`spec.${name}`, shown(optionalIn(spec, name))));

/**
 * Validates an update of a Job: its metadata, its spec, and the fields that may not change.
 *
 * @see k8s.io/kubernetes v1.36.4 pkg/apis/batch/validation/validation.go (`ValidateJobUpdate`)
 */
export const checkJobUpdate = (job: ServerObject, previous: ServerObject): FieldErrors => {
  const [spec, old] = [objectIn(job, 'spec'), objectIn(previous, 'spec')];
  const same = (name: string): FieldErrors => checkImmutable(`spec.${name}`, spec[name], old[name]);
  return [
    ...checkMetadataUpdate(job, previous),
    ...checkJobSpec(spec),
    ...checkCompletions(spec, old),
    ...checkSame({ spec, old }, 'selector', shownSelector),
    ...checkTemplateUpdate(job, previous),
    ...same('completionMode'),
    ...checkSame({ spec, old }, 'podFailurePolicy', podFailurePolicyValue),
    ...same('backoffLimitPerIndex'),
    ...same('managedBy'),
    ...checkSame({ spec, old }, 'successPolicy', successPolicyValue),
  ];
};
