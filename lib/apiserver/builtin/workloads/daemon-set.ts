import { invalidValue, notSupported, required } from '#lib/apiserver/machinery/field-error.ts';
import { withGeneration } from '#lib/apiserver/machinery/generation.ts';
import { mapMember, objectIn, optionalIn, textIn, withDefaults, withMember } from '#lib/apiserver/machinery/members.ts';
import type { ServerObject } from '#lib/apiserver/machinery/object.ts';
import { goStruct } from '#lib/apiserver/machinery/text/go-text.ts';
import { isDns1123Subdomain } from '#lib/apiserver/machinery/validation/content.ts';
import { checkNonNegative, type FieldErrors, fine } from '#lib/apiserver/machinery/validation/field.ts';
import { equalJson, type JsonObject } from '#lib/json.ts';
import { WrongType } from '../codec/wrong-type.ts';
import {
  checkImmutableSelector,
  checkPodTemplate,
  checkRunsForever,
  checkTemplateLabels,
  NO_MATCH,
  sizeOfSelector,
  templateDefaults,
} from '../pods/pod-template.ts';
import { type BuiltinKind, type BuiltinStrategy, prepareSpecUpdate } from '../strategy.ts';
import { checkAtMostAll, checkIntOrPercent, isZero } from '../validation/int-or-percent.ts';
import { checkLabelSelector } from '../validation/label-selector.ts';
import { checkMetadata, checkMetadataUpdate } from '../validation/object-meta.ts';
import { internal, selectorValue } from '../validation/shown-values.ts';
import { checkCollisionCount, checkReplicaCounts } from './replica-counts.ts';

/** The annotation with the generation of the template. Go's internal type has this generation in the spec. */
const TEMPLATE_GENERATION = 'deprecated.daemonset.template.generation';

const withTemplateGeneration = (set: ServerObject, generation: string): ServerObject => ({
  ...set,
  metadata: { ...set.metadata, annotations: { ...set.metadata.annotations, [TEMPLATE_GENERATION]: generation } },
});

const templateGenerationOf = ({ metadata }: ServerObject): number =>
  Number(metadata.annotations?.[TEMPLATE_GENERATION]);

/** @see k8s.io/kubernetes v1.36.4 pkg/apis/apps/v1/conversion.go (`Convert_v1_DaemonSet_To_apps_DaemonSet`) */
const convert = (object: JsonObject): JsonObject => {
  const set = object as unknown as ServerObject;
  const text = set.metadata.annotations?.[TEMPLATE_GENERATION] ?? '0';
  if (!/^[-+]?\d+$/.test(text))
    throw new WrongType(`strconv.ParseInt: parsing ${JSON.stringify(text)}: invalid syntax`, '');
  return withTemplateGeneration(set, String(Number(text)));
};

const strategyDefaults = (strategy: JsonObject): JsonObject => {
  const typed = withDefaults(strategy, { type: 'RollingUpdate' });
  if (typed['type'] !== 'RollingUpdate') return typed;
  return mapMember(withDefaults(typed, { rollingUpdate: {} }), 'rollingUpdate', (rollingUpdate) =>
    withDefaults(rollingUpdate, { maxUnavailable: 1, maxSurge: 0 }),
  );
};

/** @see k8s.io/kubernetes v1.36.4 pkg/apis/apps/v1/defaults.go (`SetDefaults_DaemonSet`) */
const setDefaults = (set: ServerObject): ServerObject =>
  mapMember(set, 'spec', (spec) =>
    templateDefaults(mapMember(withDefaults(spec, { revisionHistoryLimit: 10 }), 'updateStrategy', strategyDefaults)),
  ) as ServerObject;

const checkRollingUpdate = (path: string, { maxUnavailable, maxSurge }: JsonObject): FieldErrors => {
  const [unavailable, surge] = [`${path}.maxUnavailable`, `${path}.maxSurge`];
  const both = !isZero(maxUnavailable) && !isZero(maxSurge);
  const none = isZero(maxUnavailable) && isZero(maxSurge);
  return [
    ...checkIntOrPercent(unavailable, maxUnavailable),
    ...checkIntOrPercent(surge, maxSurge),
    ...checkAtMostAll(unavailable, maxUnavailable),
    ...checkAtMostAll(surge, maxSurge),
    ...(both ? [invalidValue(surge, maxSurge, 'may not be set when maxUnavailable is non-zero')] : fine),
    ...(none ? [required(unavailable, 'cannot be 0 when maxSurge is 0')] : fine),
  ];
};

const checkStrategy = (strategy: JsonObject): FieldErrors => {
  const [type, rollingUpdate] = [textIn(strategy, 'type'), optionalIn(strategy, 'rollingUpdate')];
  const path = 'spec.updateStrategy';
  if (type === 'OnDelete') return fine;
  if (type === 'RollingUpdate')
    return rollingUpdate === undefined
      ? [required(`${path}.rollingUpdate`)]
      : checkRollingUpdate(`${path}.rollingUpdate`, rollingUpdate);
  const shown = { Type: type, RollingUpdate: internal(rollingUpdate, ['MaxUnavailable', 'MaxSurge']) };
  return [notSupported(path, goStruct(shown), ['RollingUpdate', 'OnDelete'])];
};

const checkSpec = (spec: JsonObject): FieldErrors => {
  const [selector, template] = [optionalIn(spec, 'selector'), objectIn(spec, 'template')];
  const errors = checkLabelSelector('spec.selector', selector);
  const isEmpty = selector !== undefined && sizeOfSelector(selector) === 0;
  return [
    ...errors,
    ...(errors.length === 0 ? checkTemplateLabels('spec.template', template, selector ?? NO_MATCH) : fine),
    ...(isEmpty
      ? [invalidValue('spec.selector', goStruct(selectorValue(selector)), 'empty selector is invalid for daemonset')]
      : fine),
    ...checkPodTemplate('spec.template', template),
    ...checkRunsForever('spec.template', template, 'DaemonSet'),
    ...checkNonNegative('spec.minReadySeconds', spec['minReadySeconds']),
    ...checkStrategy(objectIn(spec, 'updateStrategy')),
    ...checkNonNegative('spec.revisionHistoryLimit', spec['revisionHistoryLimit']),
  ];
};

const counts = [
  'currentNumberScheduled',
  'numberMisscheduled',
  'desiredNumberScheduled',
  'numberReady',
  'observedGeneration',
  'updatedNumberScheduled',
  'numberAvailable',
  'numberUnavailable',
  'collisionCount',
];

const checkStatusUpdate = (set: ServerObject, old: ServerObject): FieldErrors => {
  const [status, before] = [objectIn(set, 'status'), objectIn(old, 'status')];
  return [
    ...checkMetadataUpdate(set, old),
    ...checkReplicaCounts(status, { counts, bounded: [] }),
    ...checkCollisionCount(status, before),
  ];
};

const templateIn = (set: ServerObject): unknown => objectIn(set, 'spec')['template'];

const prepareForUpdate: NonNullable<BuiltinStrategy['prepareForUpdate']> = (set, old, where) => {
  const next = prepareSpecUpdate(set, old, where);
  const isNewTemplate = !equalJson(templateIn(next), templateIn(old));
  return withTemplateGeneration(next, String(templateGenerationOf(old) + (isNewTemplate ? 1 : 0)));
};

/** The counts of a DaemonSet without pods. The server writes these counts even when they are 0. */
const NO_PODS = { currentNumberScheduled: 0, numberMisscheduled: 0, desiredNumberScheduled: 0, numberReady: 0 };

/**
 * The built-in kind DaemonSet.
 *
 * @see k8s.io/kubernetes v1.36.4 pkg/registry/apps/daemonset/strategy.go
 */
export const daemonSetKind: BuiltinKind = {
  group: 'apps',
  kind: 'DaemonSet',
  plural: 'daemonsets',
  hasStatus: true,
  strategy: {
    convert,
    setDefaults,
    prepareForCreate: (set) => {
      const first = withTemplateGeneration(set, String(Math.max(templateGenerationOf(set), 1)));
      return withMember(withGeneration(first, 1), 'status', NO_PODS) as ServerObject;
    },
    prepareForUpdate,
    check: (set) => [...checkMetadata(set, { check: isDns1123Subdomain }), ...checkSpec(objectIn(set, 'spec'))],
    checkUpdate: (set, old) => {
      const [spec, before] = [objectIn(set, 'spec'), objectIn(old, 'spec')];
      return [...checkMetadataUpdate(set, old), ...checkImmutableSelector(spec, before), ...checkSpec(spec)];
    },
    checkStatusUpdate,
  },
};
