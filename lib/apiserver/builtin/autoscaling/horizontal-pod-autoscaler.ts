import { forbiddenField, invalidValue, required } from '#lib/apiserver/machinery/field-error.ts';
import {
  listIn,
  mapMember,
  numberIn,
  objectIn,
  optionalIn,
  textIn,
  withDefaults,
  withMember,
} from '#lib/apiserver/machinery/members.ts';
import type { ServerObject } from '#lib/apiserver/machinery/object.ts';
import { isDns1123Subdomain } from '#lib/apiserver/machinery/validation/content.ts';
import { checkNonNegative, type FieldErrors, fine, forItems } from '#lib/apiserver/machinery/validation/field.ts';
import type { JsonObject } from '#lib/json.ts';
import type { BuiltinKind } from '../strategy.ts';
import { checkKnown, checkQuantity } from '../validation/field.ts';
import { checkMetadata, checkMetadataUpdate } from '../validation/object-meta.ts';
import { checkMetricSpec, checkTargetReference, isValidReference, type ReferenceRules } from './metric-spec.ts';

const PERIOD_SECONDS = 15;
const MAX_PERIOD_SECONDS = 1800;
const MAX_WINDOW_SECONDS = 3600;

/** @see k8s.io/kubernetes v1.36.4 pkg/apis/autoscaling/v2/defaults.go */
const SCALE_UP: JsonObject = {
  stabilizationWindowSeconds: 0,
  selectPolicy: 'Max',
  policies: [
    { type: 'Pods', value: 4, periodSeconds: PERIOD_SECONDS },
    { type: 'Percent', value: 100, periodSeconds: PERIOD_SECONDS },
  ],
};

const SCALE_DOWN: JsonObject = {
  selectPolicy: 'Max',
  policies: [{ type: 'Percent', value: 100, periodSeconds: PERIOD_SECONDS }],
};

const CPU_METRIC: JsonObject = {
  type: 'Resource',
  resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 80 } },
};

const withDefaultSpec = (spec: JsonObject): JsonObject => {
  const filled = withDefaults(spec, { minReplicas: 1 });
  const measured = listIn(filled, 'metrics').length === 0 ? { ...filled, metrics: [CPU_METRIC] } : filled;
  return mapMember(measured, 'behavior', (behavior) => {
    const up = withMember(behavior, 'scaleUp', withDefaults(objectIn(behavior, 'scaleUp'), SCALE_UP));
    return withMember(up, 'scaleDown', withDefaults(objectIn(behavior, 'scaleDown'), SCALE_DOWN));
  });
};

const EMPTY_STATUS: JsonObject = { currentMetrics: null, desiredReplicas: 0 };

/** Adds the fields of the status that the real server shows even if they are empty. */
const withStatusFields = (object: JsonObject): JsonObject =>
  object['status'] === undefined
    ? { ...object, status: EMPTY_STATUS }
    : mapMember(object, 'status', (status) => withDefaults(status, EMPTY_STATUS));

const MEASURED_AT_ZERO: ReadonlySet<string> = new Set(['Object', 'External']);

/** A target with zero replicas has no pods to measure. So a metric must exist that does not measure pods. */
const checkZero = (spec: JsonObject): FieldErrors => {
  const isMeasured = listIn(spec, 'metrics').some((metric) => MEASURED_AT_ZERO.has(textIn(metric, 'type')));
  if (spec['minReplicas'] !== 0 || isMeasured) return fine;
  const detail = 'must specify at least one Object or External metric to support scaling to zero replicas';
  return [forbiddenField('spec.metrics', detail)];
};

const checkReplicas = (spec: JsonObject, old: JsonObject | undefined): FieldErrors => {
  const [min, max] = [numberIn(spec, 'minReplicas'), numberIn(spec, 'maxReplicas')];
  const lowest = old !== undefined && old['minReplicas'] === 0 ? 0 : 1;
  return [
    ...(min < lowest ? [invalidValue('spec.minReplicas', min, `must be greater than or equal to ${lowest}`)] : fine),
    ...(max === 0 ? [required('spec.maxReplicas', 'must be set and greater than 0')] : fine),
    ...(max < 0 ? [invalidValue('spec.maxReplicas', max, 'must be greater than or equal to 1')] : fine),
    ...(max < min ? [invalidValue('spec.maxReplicas', max, 'must be greater than or equal to `minReplicas`')] : fine),
  ];
};

const checkPolicy = (policy: JsonObject, at: string): FieldErrors => {
  const [type, value, period] = [textIn(policy, 'type'), numberIn(policy, 'value'), numberIn(policy, 'periodSeconds')];
  const tooLongText = `must be less than or equal to ${MAX_PERIOD_SECONDS}`;
  return [
    ...checkKnown(`${at}.type`, type, ['Percent', 'Pods']),
    ...(value > 0 ? fine : [invalidValue(`${at}.value`, value, 'must be greater than zero')]),
    ...(period > 0 ? fine : [invalidValue(`${at}.periodSeconds`, period, 'must be greater than zero')]),
    ...(period > MAX_PERIOD_SECONDS ? [invalidValue(`${at}.periodSeconds`, period, tooLongText)] : fine),
  ];
};

const checkRules = (path: string, rules: JsonObject): FieldErrors => {
  const [seconds, policy] = [numberIn(rules, 'stabilizationWindowSeconds'), textIn(rules, 'selectPolicy')];
  const at = `${path}.stabilizationWindowSeconds`;
  const policies = listIn(rules, 'policies');
  const { tolerance } = rules;
  return [
    ...(seconds < 0 ? [invalidValue(at, seconds, 'must be greater than or equal to zero')] : fine),
    ...(seconds > MAX_WINDOW_SECONDS
      ? [invalidValue(at, seconds, `must be less than or equal to ${MAX_WINDOW_SECONDS}`)]
      : fine),
    ...checkKnown(`${path}.selectPolicy`, policy, ['Disabled', 'Max', 'Min']),
    ...(policies.length === 0 ? [required(`${path}.policies`, 'must specify at least one Policy')] : fine),
    ...forItems(`${path}.policies`, policies, checkPolicy),
    ...(tolerance === undefined ? fine : checkQuantity(`${path}.tolerance`, tolerance, false)),
  ];
};

const checkBehavior = (spec: JsonObject): FieldErrors => {
  const behavior = optionalIn(spec, 'behavior');
  if (behavior === undefined) return fine;
  return ['scaleUp', 'scaleDown'].flatMap((name) => checkRules(`spec.behavior.${name}`, objectIn(behavior, name)));
};

const targetOf = (spec: JsonObject | undefined): JsonObject => objectIn(spec, 'scaleTargetRef');

const isSameTarget = (a: JsonObject, b: JsonObject): boolean =>
  a['apiVersion'] === b['apiVersion'] && a['kind'] === b['kind'];

const CORE_ALLOWED: ReferenceRules = { allowsCore: true, allowsAnyVersion: false };

/** Whether the old object measures an object with an invalid API version, which may then stay. */
const hasInvalidMetric = (old: JsonObject | undefined): boolean =>
  listIn(old, 'metrics').some((metric) => {
    const described = optionalIn(optionalIn(metric, 'object'), 'describedObject');
    return described !== undefined && !isValidReference(described, CORE_ALLOWED);
  });

const checkSpec = (spec: JsonObject, old?: JsonObject): FieldErrors => {
  const target = targetOf(spec);
  const allowsAnyVersion = old !== undefined && isSameTarget(target, targetOf(old));
  const ofMetrics = { allowsCore: true, allowsAnyVersion: hasInvalidMetric(old) };
  return [
    ...checkReplicas(spec, old),
    ...checkTargetReference('spec.scaleTargetRef', target, {
      allowsCore: target['kind'] === 'ReplicationController',
      allowsAnyVersion,
    }),
    ...forItems('spec.metrics', listIn(spec, 'metrics'), (metric, at) => checkMetricSpec(at, metric, ofMetrics)),
    ...checkZero(spec),
    ...checkBehavior(spec),
  ];
};

/**
 * HorizontalPodAutoscalers of `autoscaling/v2`. The clusters in memory have no metrics, so no controller scales.
 *
 * @see k8s.io/kubernetes v1.36.4 pkg/apis/autoscaling/validation/validation.go
 */
export const horizontalPodAutoscalerKind: BuiltinKind = {
  group: 'autoscaling',
  version: 'v2',
  kind: 'HorizontalPodAutoscaler',
  plural: 'horizontalpodautoscalers',
  hasStatus: true,
  strategy: {
    setDefaults: (object) => withStatusFields(mapMember(object, 'spec', withDefaultSpec)) as ServerObject,
    prepareForCreate: (object) => withStatusFields(withMember(object, 'status', undefined)) as ServerObject,
    check: (object) => [
      ...checkMetadata(object, { check: isDns1123Subdomain }),
      ...checkSpec(objectIn(object, 'spec')),
    ],
    checkUpdate: (object, old) => [
      ...checkMetadataUpdate(object, old),
      ...checkSpec(objectIn(object, 'spec'), objectIn(old, 'spec')),
    ],
    checkStatusUpdate: (object, old) => [
      ...checkMetadataUpdate(object, old),
      ...['currentReplicas', 'desiredReplicas'].flatMap((name) =>
        checkNonNegative(`status.${name}`, objectIn(object, 'status')[name]),
      ),
    ],
  },
};
