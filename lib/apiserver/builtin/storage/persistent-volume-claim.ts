import { forbiddenField, invalidValue, keyPath, notSupported } from '#lib/apiserver/machinery/field-error.ts';
import { entriesIn, mapMember, objectIn, optionalIn, textIn, withMember } from '#lib/apiserver/machinery/members.ts';
import type { ServerObject } from '#lib/apiserver/machinery/object.ts';
import type { AdmissionRequest, ServerView } from '#lib/apiserver/machinery/served-kind.ts';
import { isDns1123Subdomain } from '#lib/apiserver/machinery/validation/content.ts';
import { type FieldErrors, fine } from '#lib/apiserver/machinery/validation/field.ts';
import { equalJson, type JsonObject } from '#lib/json.ts';
import { storedQuantity } from '../codec/quantity.ts';
import type { BuiltinKind, BuiltinStrategy } from '../strategy.ts';
import { checkImmutable, checkMetadata, checkMetadataUpdate } from '../validation/object-meta.ts';
import { annotatedClass, CLASS_ANNOTATION } from './claim-class.ts';
import { checkClaimSpec, claimDefaults } from './claim-spec.ts';
import { protectedBy } from './in-use-protection.ts';
import { defaultStorageClass } from './storage-class.ts';

/**
 * The finalizer of every new claim. For a terminating claim that no scheduled pod uses, the controller removes this finalizer.
 */
export const CLAIM_PROTECTION = 'kubernetes.io/pvc-protection';

/** Whether `dataSource` may contain a source of data. All other sources are only possible in `dataSourceRef`. */
const isOldSource = (source: JsonObject): boolean => {
  const [group, kind] = [textIn(source, 'apiGroup'), textIn(source, 'kind')];
  return group === ''
    ? kind === 'PersistentVolumeClaim'
    : group === 'snapshot.storage.k8s.io' && kind === 'VolumeSnapshot';
};

/** @see k8s.io/kubernetes v1.36.4 pkg/api/persistentvolumeclaim/util.go (`NormalizeDataSources`) */
const normalizeSources = (spec: JsonObject, old?: JsonObject): JsonObject => {
  const given = optionalIn(spec, 'dataSourceRef');
  const isElsewhere = given !== undefined && textIn(given, 'namespace') !== '' && old?.['dataSourceRef'] === undefined;
  const reference = isElsewhere ? undefined : given;
  const hadSource = old?.['dataSource'] !== undefined || old?.['dataSourceRef'] !== undefined;
  const first = optionalIn(spec, 'dataSource');
  const isDropped = !hadSource && reference === undefined && first !== undefined && !isOldSource(first);
  const source = isDropped ? undefined : first;
  const copied = reference !== undefined && textIn(reference, 'namespace') === '' ? reference : undefined;
  const sources = withMember(spec, 'dataSource', source ?? copied);
  return withMember(sources, 'dataSourceRef', reference ?? source);
};

const prepareForUpdate: NonNullable<BuiltinStrategy['prepareForUpdate']> = (claim, old, { subresource }) => {
  if (subresource === 'status') return withMember(claim, 'spec', old['spec']) as ServerObject;
  const next = withMember(claim, 'status', old['status']);
  return mapMember(next, 'spec', (spec) => normalizeSources(spec, objectIn(old, 'spec'))) as ServerObject;
};

/**
 * Sets the default class in a claim without a class.
 *
 * @see k8s.io/kubernetes v1.36.4 plugin/pkg/admission/storage/storageclass/setdefault/admission.go
 */
const withDefaultClass = (request: AdmissionRequest, view: ServerView): ServerObject => {
  const { operation, subresource, object } = request;
  const hasClass = annotatedClass(object) !== undefined || objectIn(object, 'spec')['storageClassName'] !== undefined;
  if (operation !== 'create' || subresource !== '' || hasClass) return object;
  const storageClassName = defaultStorageClass(view);
  return storageClassName === undefined
    ? object
    : { ...object, spec: { ...objectIn(object, 'spec'), storageClassName } };
};

const mutate = (request: AdmissionRequest, view: ServerView): ServerObject =>
  protectedBy(CLAIM_PROTECTION, { ...request, object: withDefaultClass(request, view) });

const check = (claim: ServerObject): FieldErrors => [
  ...checkMetadata(claim, { check: isDns1123Subdomain }),
  ...checkClaimSpec('spec', objectIn(claim, 'spec')),
];

/** Whether a claim without a class gets a class, which is permitted. @see validation.go (`validateStorageClassUpgradeFromNil`) */
const isClassAdded = (claim: ServerObject, old: ServerObject): boolean => {
  const [name, before] = [objectIn(claim, 'spec')['storageClassName'], objectIn(old, 'spec')['storageClassName']];
  const annotation = annotatedClass(old);
  return name !== undefined && before === undefined && (annotation === undefined || name === annotation);
};

/** Whether the class moves from the annotation to the field. @see validation.go (`validateStorageClassUpgradeFromAnnotation`) */
const isClassMoved = (claim: ServerObject, old: ServerObject): boolean =>
  isClassAdded(claim, old) &&
  annotatedClass(old) !== undefined &&
  [undefined, annotatedClass(old)].includes(annotatedClass(claim));

const requestsIn = (spec: JsonObject): JsonObject => objectIn(objectIn(spec, 'resources'), 'requests');

/** The new spec with all permitted changes undone. */
const withoutPermitted = (claim: ServerObject, old: ServerObject): JsonObject => {
  const before = objectIn(old, 'spec');
  let spec = objectIn(claim, 'spec');
  if (textIn(before, 'volumeName') === '') spec = withMember(spec, 'volumeName', before['volumeName']);
  if (isClassAdded(claim, old)) spec = withMember(spec, 'storageClassName', undefined);
  if (objectIn(claim, 'status')['phase'] !== 'Bound') return spec;
  const { storage } = requestsIn(before);
  return withMember(
    mapMember(spec, 'resources', (resources) =>
      mapMember(resources, 'requests', (requests) => withMember(requests, 'storage', storage)),
    ),
    'volumeAttributesClassName',
    before['volumeAttributesClassName'],
  );
};

/** The message of the real server, without the comparison of both specs at its end. */
const CANNOT_CHANGE =
  'spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims\n';

const checkSize = (spec: JsonObject, old: ServerObject): FieldErrors => {
  const size = storedQuantity(requestsIn(spec)['storage']).nano;
  const capacity = storedQuantity(objectIn(objectIn(old, 'status'), 'capacity')['storage']).nano;
  const isSmaller = size < storedQuantity(requestsIn(objectIn(old, 'spec'))['storage']).nano;
  if (!isSmaller || size > capacity) return fine;
  return [forbiddenField('spec.resources.requests.storage', 'field can not be less than status.capacity')];
};

const checkAttributesClass = (spec: JsonObject, old: ServerObject): FieldErrors => {
  const [name, before] = [spec['volumeAttributesClassName'], objectIn(old, 'spec')['volumeAttributesClassName']];
  const isApplied = objectIn(old, 'status')['currentVolumeAttributesClassName'] !== undefined;
  if (name === before || !isApplied || (name !== undefined && name !== '')) return fine;
  const what = name === undefined ? 'nil' : 'empty string';
  const detail = `update to ${what} is forbidden when status.currentVolumeAttributesClassName is not nil`;
  return [forbiddenField('spec.volumeAttributesClassName', detail)];
};

/** @see k8s.io/kubernetes v1.36.4 pkg/apis/core/validation/validation.go (`ValidatePersistentVolumeClaimUpdate`) */
const checkUpdate = (claim: ServerObject, old: ServerObject): FieldErrors => {
  const [spec, before] = [objectIn(claim, 'spec'), objectIn(old, 'spec')];
  const isKept = isClassMoved(claim, old) || annotatedClass(claim) === annotatedClass(old);
  const isFixed = equalJson(withoutPermitted(claim, old), before);
  return [
    ...checkMetadataUpdate(claim, old),
    ...check(claim),
    ...(isKept
      ? fine
      : [invalidValue(`metadata.annotations.${CLASS_ANNOTATION}`, annotatedClass(claim) ?? '', 'field is immutable')]),
    ...(isFixed ? fine : [forbiddenField('spec', CANNOT_CHANGE)]),
    ...checkSize(spec, old),
    ...checkImmutable('volumeMode', spec['volumeMode'], before['volumeMode']),
    ...checkAttributesClass(spec, old),
  ];
};

const RESIZE_STATES = [
  'ControllerResizeInProgress',
  'ControllerResizeInfeasible',
  'NodeResizeInProgress',
  'NodeResizeInfeasible',
  'NodeResizePending',
];

/** @see k8s.io/kubernetes v1.36.4 pkg/apis/core/validation/validation.go (`validateBasicResource`) */
const checkAmount = (path: string, amount: unknown): FieldErrors => {
  const value = Math.floor(Number(storedQuantity(amount).nano) / 1e9);
  return value < 0 ? [invalidValue(path, value, 'must be a valid resource quantity')] : fine;
};

/** @see k8s.io/kubernetes v1.36.4 pkg/apis/core/validation/validation.go (`ValidatePersistentVolumeClaimStatusUpdate`) */
const checkStatusUpdate = (claim: ServerObject, old: ServerObject): FieldErrors => {
  const status = objectIn(claim, 'status');
  const amounts = (member: string): FieldErrors =>
    entriesIn(status, member).flatMap(([name, amount]) => checkAmount(keyPath(`status.${member}`, name), amount));
  return [
    ...checkMetadataUpdate(claim, old),
    ...amounts('capacity'),
    ...entriesIn(status, 'allocatedResourceStatuses').flatMap(([name, state]) =>
      RESIZE_STATES.includes(state) ? fine : [notSupported('status.allocatedResourceStatuses', name, RESIZE_STATES)],
    ),
    ...amounts('allocatedResources'),
  ];
};

/**
 * PersistentVolumeClaims. No controller binds them, so they stay pending until a client changes their status.
 *
 * @see k8s.io/kubernetes v1.36.4 pkg/registry/core/persistentvolumeclaim/strategy.go
 */
export const persistentVolumeClaimKind: BuiltinKind = {
  group: '',
  kind: 'PersistentVolumeClaim',
  plural: 'persistentvolumeclaims',
  hasStatus: true,
  strategy: {
    setDefaults: (claim) => claimDefaults(claim) as unknown as ServerObject,
    prepareForCreate: (claim) =>
      mapMember({ ...claim, status: { phase: 'Pending' } }, 'spec', (spec) => normalizeSources(spec)) as ServerObject,
    prepareForUpdate,
    mutate,
    check,
    checkUpdate,
    checkStatusUpdate,
  },
};
