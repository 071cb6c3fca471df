import {
  forbiddenField,
  invalidValue,
  memberPath,
  notSupported,
  required,
} from '#lib/apiserver/machinery/field-error.ts';
import { selects } from '#lib/apiserver/machinery/label-selector.ts';
import { listIn, mapMember, objectIn, optionalIn, textIn } from '#lib/apiserver/machinery/members.ts';
import { goStruct } from '#lib/apiserver/machinery/text/go-text.ts';
import type { FieldErrors } from '#lib/apiserver/machinery/validation/field.ts';
import { checkAnnotations, checkLabels } from '#lib/apiserver/machinery/validation/object-meta.ts';
import { equalJson, type JsonObject } from '#lib/json.ts';
import { checkLabelSelector } from '../validation/label-selector.ts';
import { selectorValue } from '../validation/shown-values.ts';
import { checkPodAnnotations } from './pod-annotations.ts';
import { podSpecDefaults } from './pod-defaults.ts';
import { checkPodSpec } from './validation/pod-spec-validation.ts';

/** Fills in the defaults of the pod template in a spec. */
export const templateDefaults = (spec: JsonObject): JsonObject =>
  mapMember(spec, 'template', (template) => mapMember(template, 'spec', podSpecDefaults));

/**
 * Validates a pod template.
 *
 * @see k8s.io/kubernetes v1.36.4 pkg/apis/core/validation/validation.go (`ValidatePodTemplateSpec`)
 */
export const checkPodTemplate = (path: string, template: JsonObject): FieldErrors => {
  const metadata = objectIn(template, 'metadata');
  const annotations = memberPath(path, 'annotations');
  return [
    ...checkLabels(memberPath(path, 'labels'), objectIn(metadata, 'labels')),
    ...checkAnnotations(annotations, objectIn(metadata, 'annotations')),
    ...checkPodAnnotations(annotations, metadata),
    ...checkPodSpec(memberPath(path, 'spec'), objectIn(template, 'spec'), { isPod: false }),
  ];
};

/** Checks that a selector matches the labels of a template. */
export const checkTemplateLabels = (path: string, template: JsonObject, selector: JsonObject): FieldErrors => {
  const labels = objectIn(objectIn(template, 'metadata'), 'labels');
  if (selects(selector, labels as Readonly<Record<string, string>>)) return [];
  const shown = Object.keys(labels).length === 0 ? null : labels;
  return [invalidValue(memberPath(path, 'metadata.labels'), shown, '`selector` does not match template `labels`')];
};

/** Checks that the pods of a template run until they are deleted: their containers always restart, and they have no deadline. */
export const checkRunsForever = (path: string, template: JsonObject, kind: string): FieldErrors => {
  const spec = objectIn(template, 'spec');
  const restartPolicy = textIn(spec, 'restartPolicy');
  const deadline = memberPath(path, 'spec.activeDeadlineSeconds');
  return [
    ...(restartPolicy === 'Always'
      ? []
      : [notSupported(memberPath(path, 'spec.restartPolicy'), restartPolicy, ['Always'])]),
    ...(spec['activeDeadlineSeconds'] === undefined
      ? []
      : [forbiddenField(deadline, `activeDeadlineSeconds in ${kind} is not Supported`)]),
  ];
};

/** Returns the number of labels and expressions in a selector. */
export const sizeOfSelector = (selector: JsonObject): number =>
  Object.keys(objectIn(selector, 'matchLabels')).length + listIn(selector, 'matchExpressions').length;

/** A selector that matches no labels. */
export const NO_MATCH: JsonObject = { matchExpressions: [{ key: 'a', operator: 'In', values: [] }] };

const checkForReplicas = (path: string, template: JsonObject, selector: JsonObject): FieldErrors => [
  ...checkTemplateLabels(path, template, selector),
  ...checkPodTemplate(path, template),
  ...checkRunsForever(path, template, 'ReplicaSet'),
];

/**
 * Validates that a Deployment or a ReplicaSet has a valid selector and template, and that the selector matches the template.
 *
 * @see k8s.io/kubernetes v1.36.4 pkg/apis/apps/validation/validation.go (`ValidateReplicaSetSpec`)
 */
export const checkSelectorAndTemplate = (spec: JsonObject): FieldErrors => {
  const selector = optionalIn(spec, 'selector');
  const template = objectIn(spec, 'template');
  if (selector === undefined) {
    // Without a selector, no template matches.
    return [required('spec.selector'), ...checkForReplicas('spec.template', template, NO_MATCH)];
  }
  const errors = checkLabelSelector('spec.selector', selector);
  return [
    ...errors,
    ...(sizeOfSelector(selector) === 0
      ? [invalidValue('spec.selector', goStruct(selectorValue(selector)), 'empty selector is invalid for deployment')]
      : []),
    ...(errors.length === 0
      ? checkForReplicas('spec.template', template, selector)
      : [invalidValue('spec.selector', goStruct(selectorValue(selector)), 'invalid label selector')]),
  ];
};

/** Checks that the selector of a Deployment or a ReplicaSet did not change. */
export const checkImmutableSelector = (spec: JsonObject, old: JsonObject): FieldErrors =>
  equalJson(spec['selector'], old['selector'])
    ? []
    : [invalidValue('spec.selector', goStruct(selectorValue(objectIn(spec, 'selector'))), 'field is immutable')];
