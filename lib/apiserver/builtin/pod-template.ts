import { equalJson, type JsonObject } from '#lib/json.ts';
import { childOf, forbiddenField, invalidValue, notSupported, required } from '#lib/apiserver/machinery/field-error.ts';
import { goStruct } from '#lib/apiserver/machinery/go-text.ts';
import { selects } from '#lib/apiserver/machinery/label-selector.ts';
import { listIn, mapMember, objectIn, optionalIn, textIn } from '#lib/apiserver/machinery/members.ts';
import type { FieldErrors } from '#lib/apiserver/machinery/validation/field.ts';
import { checkAnnotations, checkLabels } from '#lib/apiserver/machinery/validation/object-meta.ts';
import { checkLabelSelector } from './label-selector.ts';
import { checkPodAnnotations } from './pod-annotations.ts';
import { podSpecDefaults } from './pod-defaults.ts';
import { checkPodSpec } from './pod-spec-validation.ts';
import { selectorValue } from './shown-values.ts';

/** Completes the template of pods in a spec. */
export const templateDefaults = (spec: JsonObject): JsonObject =>
  mapMember(spec, 'template', (template) => mapMember(template, 'spec', podSpecDefaults));

/**
 * A template of pods, whatever it is in.
 *
 * @see k8s.io/kubernetes v1.36.4 pkg/apis/core/validation/validation.go (`ValidatePodTemplateSpec`)
 */
export const checkTemplate = (path: string, template: JsonObject): FieldErrors => {
  const metadata = objectIn(template, 'metadata');
  const annotations = childOf(path, 'annotations');
  return [
    ...checkLabels(childOf(path, 'labels'), objectIn(metadata, 'labels')),
    ...checkAnnotations(annotations, objectIn(metadata, 'annotations')),
    ...checkPodAnnotations(annotations, metadata),
    ...checkPodSpec(childOf(path, 'spec'), objectIn(template, 'spec'), { isPod: false }),
  ];
};

const checkForReplicas = (path: string, template: JsonObject, selector: JsonObject): FieldErrors => {
  const [labels, spec] = [objectIn(objectIn(template, 'metadata'), 'labels'), objectIn(template, 'spec')];
  const restartPolicy = textIn(spec, 'restartPolicy');
  const deadline = childOf(path, 'spec.activeDeadlineSeconds');
  const mismatch = '`selector` does not match template `labels`';
  const shown = Object.keys(labels).length === 0 ? null : labels;
  return [
    ...(selects(selector, labels as Readonly<Record<string, string>>)
      ? []
      : [invalidValue(childOf(path, 'metadata.labels'), shown, mismatch)]),
    ...checkTemplate(path, template),
    ...(restartPolicy === 'Always'
      ? []
      : [notSupported(childOf(path, 'spec.restartPolicy'), restartPolicy, ['Always'])]),
    ...(spec['activeDeadlineSeconds'] === undefined
      ? []
      : [forbiddenField(deadline, 'activeDeadlineSeconds in ReplicaSet is not Supported')]),
  ];
};

/**
 * The selector and the template of a Deployment or a ReplicaSet, and that they belong together.
 *
 * @see k8s.io/kubernetes v1.36.4 pkg/apis/apps/validation/validation.go (`ValidateReplicaSetSpec`)
 */
export const checkSelectorAndTemplate = (spec: JsonObject): FieldErrors => {
  const selector = optionalIn(spec, 'selector');
  const template = objectIn(spec, 'template');
  if (selector === undefined) {
    // No selector selects nothing, so that the template does not match it either.
    return [required('spec.selector'), ...checkForReplicas('spec.template', template, { matchExpressions: [never] })];
  }
  const size = Object.keys(objectIn(selector, 'matchLabels')).length + listIn(selector, 'matchExpressions').length;
  const errors = checkLabelSelector('spec.selector', selector);
  const hasWrongOperator = errors.some(({ field }) => /\.(?:operator|values|key|matchLabels)(?:\[\d+\])?$/.test(field));
  return [
    ...errors,
    ...(size === 0
      ? [invalidValue('spec.selector', goStruct(selectorValue(selector)), 'empty selector is invalid for deployment')]
      : []),
    ...(hasWrongOperator
      ? [invalidValue('spec.selector', goStruct(selectorValue(selector)), 'invalid label selector')]
      : checkForReplicas('spec.template', template, selector)),
  ];
};

/** The selector of a Deployment or a ReplicaSet stays as it was. */
export const checkImmutableSelector = (spec: JsonObject, old: JsonObject): FieldErrors =>
  equalJson(spec['selector'], old['selector'])
    ? []
    : [invalidValue('spec.selector', goStruct(selectorValue(objectIn(spec, 'selector'))), 'field is immutable')];

/** Selects nothing. */
const never: JsonObject = { key: 'a', operator: 'In', values: [] };
