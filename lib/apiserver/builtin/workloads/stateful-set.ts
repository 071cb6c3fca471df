import { forbiddenField, invalidValue, notSupported, required } from '#lib/apiserver/machinery/field-error.ts';
import { withGeneration } from '#lib/apiserver/machinery/generation.ts';
import {
  listIn,
  mapItems,
  mapMember,
  objectIn,
  optionalIn,
  textIn,
  withDefaults,
  withMember,
} from '#lib/apiserver/machinery/members.ts';
import type { ServerObject } from '#lib/apiserver/machinery/object.ts';
import { goStruct } from '#lib/apiserver/machinery/text/go-text.ts';
import { isDns1123LabelText } from '#lib/apiserver/machinery/validation/content.ts';
import {
  checkNonNegative,
  checkText,
  type FieldErrors,
  fine,
  forItems,
} from '#lib/apiserver/machinery/validation/field.ts';
import { checkAnnotations, checkLabels } from '#lib/apiserver/machinery/validation/object-meta.ts';
import { equalJson, type JsonObject } from '#lib/json.ts';
import { checkPodAnnotations } from '../pods/pod-annotations.ts';
import {
  checkPodTemplate,
  checkRunsForever,
  checkTemplateLabels,
  NO_MATCH,
  sizeOfSelector,
  templateDefaults,
} from '../pods/pod-template.ts';
import { checkClaimSpec, claimDefaults } from '../storage/claim-spec.ts';
import { type BuiltinKind, prepareSpecUpdate } from '../strategy.ts';
import { checkLabelSelector } from '../validation/label-selector.ts';
import { checkMetadata, checkMetadataUpdate } from '../validation/object-meta.ts';
import { internal, selectorValue } from '../validation/shown-values.ts';
import { checkCollisionCount, checkReplicaCounts, replicaScale } from './replica-counts.ts';

/** @see k8s.io/kubernetes v1.36.4 pkg/apis/apps/v1/conversion.go (`Convert_apps_StatefulSetSpec_To_v1_StatefulSetSpec`) */
const convert = (object: JsonObject): JsonObject =>
  mapMember(object, 'spec', (spec) =>
    mapItems(spec, 'volumeClaimTemplates', (claim) => ({ ...claim, apiVersion: 'v1', kind: 'PersistentVolumeClaim' })),
  );

const strategyDefaults = (strategy: JsonObject): JsonObject => {
  const typed =
    strategy['type'] === undefined ? withDefaults(strategy, { type: 'RollingUpdate', rollingUpdate: {} }) : strategy;
  if (typed['type'] !== 'RollingUpdate' || typed['rollingUpdate'] === undefined) return typed;
  return mapMember(typed, 'rollingUpdate', (rollingUpdate) => withDefaults(rollingUpdate, { partition: 0 }));
};

/** Drops `maxUnavailable`, because the feature gate MaxUnavailableStatefulSet is off by default. */
const withoutGatedFields = (set: ServerObject): ServerObject =>
  mapMember(set, 'spec', (spec) =>
    mapMember(spec, 'updateStrategy', (strategy) =>
      mapMember(strategy, 'rollingUpdate', (rollingUpdate) => withMember(rollingUpdate, 'maxUnavailable', undefined)),
    ),
  ) as ServerObject;

const retentionDefaults = (policy: JsonObject): JsonObject =>
  withDefaults(policy, { whenDeleted: 'Retain', whenScaled: 'Retain' });

/** @see k8s.io/kubernetes v1.36.4 pkg/apis/apps/v1/defaults.go (`SetDefaults_StatefulSet`) */
const setDefaults = (set: ServerObject): ServerObject =>
  mapMember(set, 'spec', (spec) => {
    const completed = withDefaults(spec, {
      podManagementPolicy: 'OrderedReady',
      replicas: 1,
      revisionHistoryLimit: 10,
      updateStrategy: {},
      persistentVolumeClaimRetentionPolicy: {},
    });
    const claims = mapItems(completed, 'volumeClaimTemplates', claimDefaults);
    const policy = mapMember(claims, 'persistentVolumeClaimRetentionPolicy', retentionDefaults);
    return templateDefaults(mapMember(policy, 'updateStrategy', strategyDefaults));
  }) as ServerObject;

const checkStrategy = (strategy: JsonObject): FieldErrors => {
  const [type, rollingUpdate] = [textIn(strategy, 'type'), optionalIn(strategy, 'rollingUpdate')];
  const [path, shown] = ['spec.updateStrategy', internal(rollingUpdate, ['Partition', 'MaxUnavailable'])];
  if (rollingUpdate === undefined && (type === 'OnDelete' || type === 'RollingUpdate')) return fine;
  if (type === 'RollingUpdate')
    return checkNonNegative(`${path}.rollingUpdate.partition`, rollingUpdate?.['partition']);
  if (type === 'OnDelete') {
    const detail = "only allowed for updateStrategy 'RollingUpdate'";
    return [invalidValue(`${path}.rollingUpdate`, goStruct(shown ?? {}), detail)];
  }
  return [invalidValue(path, goStruct({ Type: type, RollingUpdate: shown }), "must be 'RollingUpdate' or 'OnDelete'")];
};

const checkManagement = (policy: string): FieldErrors =>
  policy === 'OrderedReady' || policy === 'Parallel'
    ? fine
    : [invalidValue('spec.podManagementPolicy', policy, "must be 'OrderedReady' or 'Parallel'")];

const checkRetention = (policy: JsonObject): FieldErrors =>
  ['whenDeleted', 'whenScaled'].flatMap((name) => {
    const value = textIn(policy, name);
    const path = `spec.persistentVolumeClaimRetentionPolicy.${name}`;
    return value === 'Retain' || value === 'Delete' ? fine : [notSupported(path, value, ['Retain', 'Delete'])];
  });

/**
 * Returns the template without host name and subdomain, which the controller sets, and with a volume for each claim template.
 */
const templateToCheck = (spec: JsonObject): JsonObject => {
  const names = new Set(
    listIn(spec, 'volumeClaimTemplates').map((claim) => textIn(objectIn(claim, 'metadata'), 'name')),
  );
  const added = [...names].map((name) => ({ name, persistentVolumeClaim: { claimName: name } }));
  return mapMember(objectIn(spec, 'template'), 'spec', ({ hostname: _hostname, subdomain: _subdomain, ...pod }) => ({
    ...pod,
    ...(added.length > 0 && {
      volumes: [...added, ...listIn(pod, 'volumes').filter((volume) => !names.has(textIn(volume, 'name')))],
    }),
  }));
};

/** Checks the template. Labels and annotations are checked twice, as on the real server. */
const checkTemplate = (spec: JsonObject, selector: JsonObject): FieldErrors => {
  const [path, template] = ['spec.template', templateToCheck(spec)];
  const metadata = objectIn(template, 'metadata');
  return [
    ...(sizeOfSelector(selector) === 0 ? fine : checkTemplateLabels(path, template, selector)),
    ...checkPodTemplate(path, template),
    ...checkLabels(`${path}.labels`, objectIn(metadata, 'labels')),
    ...checkAnnotations(`${path}.annotations`, objectIn(metadata, 'annotations')),
    ...checkPodAnnotations(`${path}.annotations`, metadata),
  ];
};

const checkSelector = (spec: JsonObject): FieldErrors => {
  const selector = optionalIn(spec, 'selector');
  if (selector === undefined) return [required('spec.selector'), ...checkTemplate(spec, NO_MATCH)];
  const errors = checkLabelSelector('spec.selector', selector);
  const shown = goStruct(selectorValue(selector));
  return [
    ...errors,
    ...(sizeOfSelector(selector) === 0
      ? [invalidValue('spec.selector', shown, 'empty selector is invalid for statefulset')]
      : fine),
    ...(errors.length === 0 ? checkTemplate(spec, selector) : [invalidValue('spec.selector', shown, '')]),
  ];
};

/** Checks a spec. For an update, ignores claim templates and the name of the Service, because these fields are immutable. */
const checkSpec = (spec: JsonObject, { isNew }: { readonly isNew: boolean }): FieldErrors => {
  const claims = isNew ? listIn(spec, 'volumeClaimTemplates') : [];
  const serviceName = isNew ? textIn(spec, 'serviceName') : '';
  return [
    ...checkManagement(textIn(spec, 'podManagementPolicy')),
    ...checkStrategy(objectIn(spec, 'updateStrategy')),
    ...checkRetention(objectIn(spec, 'persistentVolumeClaimRetentionPolicy')),
    ...forItems('spec.volumeClaimTemplates', claims, (claim, path) =>
      checkClaimSpec(`${path}.spec`, objectIn(claim, 'spec')),
    ),
    ...checkNonNegative('spec.replicas', spec['replicas']),
    ...checkNonNegative('spec.minReadySeconds', spec['minReadySeconds']),
    ...checkNonNegative('spec.ordinals.start', objectIn(spec, 'ordinals')['start']),
    ...(serviceName === '' ? fine : checkText('spec.serviceName', serviceName, isDns1123LabelText)),
    ...checkSelector(spec),
    ...checkRunsForever('spec.template', objectIn(spec, 'template'), 'StatefulSet'),
  ];
};

const CHANGEABLE = [
  'replicas',
  'template',
  'updateStrategy',
  'minReadySeconds',
  'ordinals',
  'revisionHistoryLimit',
  'persistentVolumeClaimRetentionPolicy',
] as const;

const CANNOT_CHANGE =
  "updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', 'updateStrategy', 'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden";

const fixedPart = (spec: JsonObject): JsonObject =>
  CHANGEABLE.reduce((rest, name) => withMember(rest, name, undefined), spec);

const checkUpdate = (set: ServerObject, old: ServerObject): FieldErrors => {
  const [spec, before] = [objectIn(set, 'spec'), objectIn(old, 'spec')];
  return [
    ...checkMetadataUpdate(set, old),
    ...checkSpec(spec, { isNew: false }),
    ...(equalJson(fixedPart(spec), fixedPart(before)) ? fine : [forbiddenField('spec', CANNOT_CHANGE)]),
  ];
};

const counts = [
  'replicas',
  'readyReplicas',
  'currentReplicas',
  'updatedReplicas',
  'availableReplicas',
  'observedGeneration',
  'collisionCount',
];

const checkStatusUpdate = (set: ServerObject, old: ServerObject): FieldErrors => {
  const [status, before] = [objectIn(set, 'status'), objectIn(old, 'status')];
  return [
    ...checkReplicaCounts(status, {
      counts,
      bounded: ['readyReplicas', 'currentReplicas', 'updatedReplicas', 'availableReplicas'],
      ready: 'status.readyReplicas',
    }),
    ...checkMetadataUpdate(set, old),
    ...checkCollisionCount(status, before),
  ];
};

/**
 * The built-in kind StatefulSet.
 *
 * @see k8s.io/kubernetes v1.36.4 pkg/registry/apps/statefulset/strategy.go
 */
export const statefulSetKind: BuiltinKind = {
  group: 'apps',
  kind: 'StatefulSet',
  plural: 'statefulsets',
  hasStatus: true,
  scale: replicaScale,
  strategy: {
    convert,
    setDefaults,
    // The server writes these counts even when they are 0.
    prepareForCreate: (set) => ({
      ...withGeneration(withoutGatedFields(set), 1),
      status: { replicas: 0, availableReplicas: 0 },
    }),
    prepareForUpdate: (set, old, where) => prepareSpecUpdate(withoutGatedFields(set), old, where),
    check: (set) => [
      ...checkMetadata(set, { check: isDns1123LabelText }),
      ...checkSpec(objectIn(set, 'spec'), { isNew: true }),
    ],
    checkUpdate,
    checkStatusUpdate,
  },
};
