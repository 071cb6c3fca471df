import { forbiddenField, invalidValue, notSupported } from '#lib/apiserver/machinery/field-error.ts';
import { withGeneration } from '#lib/apiserver/machinery/generation.ts';
import {
  mapMember,
  numberIn,
  objectIn,
  optionalIn,
  textIn,
  withDefaults,
  withMember,
} from '#lib/apiserver/machinery/members.ts';
import type { ServerObject } from '#lib/apiserver/machinery/object.ts';
import { goStruct } from '#lib/apiserver/machinery/text/go-text.ts';
import { isDns1123Subdomain } from '#lib/apiserver/machinery/validation/content.ts';
import { checkNonNegative, type FieldErrors, fine } from '#lib/apiserver/machinery/validation/field.ts';
import { equalJson, type JsonObject } from '#lib/json.ts';
import { checkImmutableSelector, checkSelectorAndTemplate, templateDefaults } from '../pods/pod-template.ts';
import { type BuiltinKind, countGeneration, hasChangedSpec } from '../strategy.ts';
import { checkAtMostAll, checkIntOrPercent, isZero } from '../validation/int-or-percent.ts';
import { checkMetadata, checkMetadataUpdate } from '../validation/object-meta.ts';
import { internal } from '../validation/shown-values.ts';
import { checkCollisionCount, checkReplicaCounts, replicaScale } from './replica-counts.ts';

const strategyDefaults = (strategy: JsonObject): JsonObject => {
  const typed = withDefaults(strategy, { type: 'RollingUpdate' });
  if (typed['type'] !== 'RollingUpdate') return typed;
  return mapMember(withDefaults(typed, { rollingUpdate: {} }), 'rollingUpdate', (rollingUpdate) =>
    withDefaults(rollingUpdate, { maxUnavailable: '25%', maxSurge: '25%' }),
  );
};

/** @see k8s.io/kubernetes v1.36.4 pkg/apis/apps/v1/defaults.go (`SetDefaults_Deployment`) */
const setDefaults = (deployment: ServerObject): ServerObject =>
  mapMember(deployment, 'spec', (spec) => {
    const completed = withDefaults(spec, { replicas: 1, revisionHistoryLimit: 10, progressDeadlineSeconds: 600 });
    return templateDefaults(mapMember(completed, 'strategy', strategyDefaults));
  }) as ServerObject;

const checkRollingUpdate = (path: string, rollingUpdate: JsonObject): FieldErrors => {
  const { maxUnavailable, maxSurge } = rollingUpdate;
  const at = `${path}.maxUnavailable`;
  return [
    ...checkIntOrPercent(at, maxUnavailable),
    ...checkIntOrPercent(`${path}.maxSurge`, maxSurge),
    ...(isZero(maxUnavailable) && isZero(maxSurge)
      ? [invalidValue(at, maxUnavailable, 'may not be 0 when `maxSurge` is 0')]
      : []),
    ...checkAtMostAll(at, maxUnavailable),
  ];
};

const checkStrategy = (strategy: JsonObject): FieldErrors => {
  const [type, rollingUpdate] = [textIn(strategy, 'type'), optionalIn(strategy, 'rollingUpdate')];
  const path = 'spec.strategy.rollingUpdate';
  if (type === 'Recreate') {
    const detail = "may not be specified when strategy `type` is 'Recreate'";
    return rollingUpdate === undefined ? fine : [forbiddenField(path, detail)];
  }
  if (type === 'RollingUpdate') return checkRollingUpdate(path, rollingUpdate ?? {});
  // Messages contain Go names, because the internal Go type has no JSON names.
  const shown = { Type: type, RollingUpdate: internal(rollingUpdate, ['MaxUnavailable', 'MaxSurge']) };
  return [notSupported('spec.strategy', goStruct(shown), ['Recreate', 'RollingUpdate'])];
};

const checkSpec = (spec: JsonObject): FieldErrors => {
  const deadline = spec['progressDeadlineSeconds'];
  const isShort = typeof deadline === 'number' && deadline <= numberIn(spec, 'minReadySeconds');
  return [
    ...checkNonNegative('spec.replicas', spec['replicas']),
    ...checkSelectorAndTemplate(spec),
    ...checkStrategy(objectIn(spec, 'strategy')),
    ...checkNonNegative('spec.minReadySeconds', spec['minReadySeconds']),
    ...checkNonNegative('spec.revisionHistoryLimit', spec['revisionHistoryLimit']),
    ...checkNonNegative('spec.progressDeadlineSeconds', deadline),
    ...(isShort
      ? [invalidValue('spec.progressDeadlineSeconds', deadline, 'must be greater than minReadySeconds')]
      : []),
  ];
};

const counts = [
  'observedGeneration',
  'replicas',
  'updatedReplicas',
  'readyReplicas',
  'availableReplicas',
  'unavailableReplicas',
  'terminatingReplicas',
  'collisionCount',
];

const checkStatusUpdate = (deployment: ServerObject, old: ServerObject): FieldErrors => {
  const [status, before] = [objectIn(deployment, 'status'), objectIn(old, 'status')];
  return [
    ...checkMetadataUpdate(deployment, old),
    ...checkReplicaCounts(status, { counts, bounded: ['updatedReplicas', 'readyReplicas', 'availableReplicas'] }),
    ...checkCollisionCount(status, before),
  ];
};

/**
 * The built-in kind Deployment.
 *
 * @see k8s.io/kubernetes v1.36.4 pkg/registry/apps/deployment/strategy.go
 */
export const deploymentKind: BuiltinKind = {
  group: 'apps',
  kind: 'Deployment',
  plural: 'deployments',
  hasStatus: true,
  scale: replicaScale,
  strategy: {
    setDefaults,
    prepareForCreate: (deployment) => ({ ...withGeneration(deployment, 1), status: {} }),
    prepareForUpdate: (deployment, old, { subresource }) => {
      if (subresource === 'status') {
        const { labels } = old.metadata;
        const metadata = withMember(deployment.metadata as unknown as JsonObject, 'labels', labels);
        return { ...deployment, metadata, spec: old['spec'] } as unknown as ServerObject;
      }
      // Changes of annotations also count, because annotations are copied to ReplicaSets.
      const isAnnotated = !equalJson(deployment.metadata.annotations ?? {}, old.metadata.annotations ?? {});
      const kept = withMember(deployment, 'status', old['status']) as ServerObject;
      return countGeneration(kept, old, isAnnotated || hasChangedSpec(deployment, old));
    },
    check: (deployment) => [
      ...checkMetadata(deployment, { check: isDns1123Subdomain }),
      ...checkSpec(objectIn(deployment, 'spec')),
    ],
    checkUpdate: (deployment, old) => {
      const [spec, before] = [objectIn(deployment, 'spec'), objectIn(old, 'spec')];
      return [...checkMetadataUpdate(deployment, old), ...checkSpec(spec), ...checkImmutableSelector(spec, before)];
    },
    checkStatusUpdate,
    resetFields: { '': [['status']], status: [['spec'], ['metadata', 'labels']] },
  },
};
