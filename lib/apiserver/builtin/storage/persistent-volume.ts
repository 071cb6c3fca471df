import { forbiddenField, invalidValue, notSupported, required, tooLong } from '#lib/apiserver/machinery/field-error.ts';
import {
  entriesIn,
  listIn,
  mapMember,
  objectIn,
  optionalIn,
  textIn,
  textsIn,
  withDefaults,
  withMember,
} from '#lib/apiserver/machinery/members.ts';
import type { ServerObject } from '#lib/apiserver/machinery/object.ts';
import { isDns1123LabelText, isDns1123Subdomain } from '#lib/apiserver/machinery/validation/content.ts';
import { checkText, type FieldErrors, fine } from '#lib/apiserver/machinery/validation/field.ts';
import { equalJson, type JsonObject } from '#lib/json.ts';
import { formatQuantity, type Quantity, storedQuantity } from '../codec/quantity.ts';
import { checkNoBacksteps } from '../pods/validation/path-validation.ts';
import { checkNodeSelector } from '../pods/validation/scheduling-validation.ts';
import { checkHostPath } from '../pods/validation/volume-validation.ts';
import type { BuiltinKind } from '../strategy.ts';
import { checkKnown } from '../validation/field.ts';
import { checkImmutable, checkMetadata, checkMetadataUpdate } from '../validation/object-meta.ts';
import { internal } from '../validation/shown-values.ts';
import { checkAccessModes, VOLUME_MODES } from './claim-spec.ts';
import { protectedBy } from './in-use-protection.ts';

/**
 * The finalizer of every new volume. For a terminating volume that is not bound to a claim, the controller removes this
 * finalizer.
 */
export const VOLUME_PROTECTION = 'kubernetes.io/pv-protection';

const MOUNT_OPTIONS = 'volume.beta.kubernetes.io/mount-options';
const RECYCLE = 'Recycle';
const RECLAIM_POLICIES = ['Delete', RECYCLE, 'Retain'];
const MAX_DRIVER_LENGTH = 63;

const NANOS_PER_UNIT = 1_000_000_000n;

/** The integer part of a quantity. */
const wholeOf = ({ nano }: Quantity): number => Number(nano / NANOS_PER_UNIT);

const checkCapacity = (spec: JsonObject): FieldErrors => {
  const at = 'spec.capacity';
  const capacity = entriesIn(spec, 'capacity');
  const isStorage = capacity.length === 1 && capacity[0]?.[0] === 'storage';
  return [
    ...(capacity.length === 0 ? [required(at)] : fine),
    ...(isStorage ? fine : [notSupported(at, spec['capacity'] ?? null, ['storage'])]),
    ...capacity.flatMap(([name, text]) => {
      const quantity = storedQuantity(text);
      if (quantity.nano > 0n) return fine;
      const shown = formatQuantity(quantity);
      return [
        ...(quantity.nano < 0n
          ? [invalidValue(`${at}[${name}]`, wholeOf(quantity), 'must be a valid resource quantity')]
          : fine),
        invalidValue(`${at}[${name}]`, shown, 'must be greater than zero'),
      ];
    }),
  ];
};

const checkSecret = (path: string, secret: JsonObject): FieldErrors => {
  const [name, namespace] = [textIn(secret, 'name'), textIn(secret, 'namespace')];
  return [
    ...(name === '' ? [required(`${path}.name`)] : checkText(`${path}.name`, name, isDns1123Subdomain)),
    ...(namespace === ''
      ? [required(`${path}.namespace`)]
      : checkText(`${path}.namespace`, namespace, isDns1123LabelText)),
  ];
};

const checkDriver = (path: string, driver: string): FieldErrors =>
  driver === ''
    ? [required(path)]
    : [
        ...(driver.length > MAX_DRIVER_LENGTH ? [tooLong(path, MAX_DRIVER_LENGTH)] : fine),
        ...isDns1123Subdomain(driver.toLowerCase()).map((text) => invalidValue(path, driver, text)),
      ];

const SECRETS = ['controllerPublish', 'controllerExpand', 'nodePublish', 'nodeExpand'].map((use) => `${use}SecretRef`);

const checkCsi = (path: string, source: JsonObject): FieldErrors => [
  ...checkDriver(`${path}.driver`, textIn(source, 'driver')),
  ...(textIn(source, 'volumeHandle') === '' ? [required(`${path}.volumeHandle`)] : fine),
  ...SECRETS.flatMap((name) => {
    const secret = optionalIn(source, name);
    return secret === undefined ? fine : checkSecret(`${path}.${name}`, secret);
  }),
];

const checkNfs = (path: string, source: JsonObject): FieldErrors => {
  const target = textIn(source, 'path');
  return [
    ...(textIn(source, 'server') === '' ? [required(`${path}.server`)] : fine),
    ...(target === '' ? [required(`${path}.path`)] : fine),
    ...(target.startsWith('/') ? fine : [invalidValue(`${path}.path`, target, 'must be an absolute path')]),
  ];
};

const checkLocal = (path: string, source: JsonObject): FieldErrors => {
  const target = textIn(source, 'path');
  return target === '' ? [required(`${path}.path`)] : checkNoBacksteps(`${path}.path`, target);
};

/** The checks of the sources that the server stores, in the order of the real server. Other sources get 501. */
const SOURCES: Readonly<Record<string, (path: string, source: JsonObject) => FieldErrors>> = {
  hostPath: checkHostPath,
  nfs: checkNfs,
  local: checkLocal,
  csi: checkCsi,
};

const sourcesIn = (spec: JsonObject): readonly string[] =>
  Object.keys(SOURCES).filter((name) => spec[name] !== undefined);

const checkSources = (spec: JsonObject): FieldErrors => {
  const [first, ...others] = sourcesIn(spec);
  if (first === undefined) return [required('spec', 'must specify a volume type')];
  const isUnplaced = first === 'local' && spec['nodeAffinity'] === undefined;
  return [
    ...(SOURCES[first]?.(`spec.${first}`, objectIn(spec, first)) ?? fine),
    ...(isUnplaced ? [required('spec.nodeAffinity', 'Local volume requires node affinity')] : fine),
    ...others.map((name) => forbiddenField(`spec.${name}`, 'may not specify more than 1 volume type')),
  ];
};

const checkAffinity = (spec: JsonObject): FieldErrors => {
  const affinity = optionalIn(spec, 'nodeAffinity');
  if (affinity === undefined) return fine;
  const selector = optionalIn(affinity, 'required');
  return selector === undefined
    ? [required('spec.nodeAffinity.required', 'must specify required node constraints')]
    : checkNodeSelector('spec.nodeAffinity.required', selector);
};

const isRootPath = (path: string): boolean => path.startsWith('/') && /^(?:\/|\/\.)+$/.test(path);

const checkClasses = (spec: JsonObject): FieldErrors => {
  const storageClass = textIn(spec, 'storageClassName');
  const { volumeAttributesClassName: attributes } = spec;
  const at = 'spec.volumeAttributesClassName';
  return [
    ...(storageClass === '' ? fine : checkText('spec.storageClassName', storageClass, isDns1123Subdomain)),
    ...checkKnown('spec.volumeMode', spec['volumeMode'], VOLUME_MODES),
    ...(attributes === '' ? [required(at, 'an empty string is disallowed')] : fine),
    ...(typeof attributes === 'string' && attributes !== '' ? checkText(at, attributes, isDns1123Subdomain) : fine),
    ...(attributes !== undefined && spec['csi'] === undefined
      ? [required('spec.csi', 'has to be specified when using volumeAttributesClassName')]
      : fine),
  ];
};

const checkSpec = (spec: JsonObject): FieldErrors => {
  const policy = spec['persistentVolumeReclaimPolicy'];
  const isRecycledRoot = policy === RECYCLE && isRootPath(textIn(objectIn(spec, 'hostPath'), 'path'));
  const at = 'spec.persistentVolumeReclaimPolicy';
  return [
    ...checkAccessModes('spec', textsIn(spec, 'accessModes'), ''),
    ...checkCapacity(spec),
    ...checkKnown(at, policy, RECLAIM_POLICIES),
    ...checkAffinity(spec),
    ...checkSources(spec),
    ...(isRecycledRoot ? [forbiddenField(at, "may not be 'recycle' for a hostPath mount of '/'")] : fine),
    ...checkClasses(spec),
  ];
};

const checkMountOptions = ({ metadata, ...volume }: ServerObject): FieldErrors => {
  const isMounted = objectIn(volume, 'spec')['nfs'] !== undefined;
  if (isMounted || metadata.annotations?.[MOUNT_OPTIONS] === undefined) return fine;
  const at = `metadata.annotations.${MOUNT_OPTIONS}`;
  return [forbiddenField(at, 'may not specify mount options for this volume type')];
};

const check = (volume: ServerObject): FieldErrors => [
  ...checkMetadata(volume, { check: isDns1123Subdomain, isNamespaced: false }),
  ...checkSpec(objectIn(volume, 'spec')),
  ...checkMountOptions(volume),
];

/** The sources of a volume, without a secret for expansion that the update adds, which is permitted. */
const fixedSources = (spec: JsonObject, old: JsonObject): JsonObject => {
  const sources = Object.fromEntries(sourcesIn(spec).map((name) => [name, spec[name]]));
  const isAdded =
    optionalIn(old, 'csi') !== undefined && objectIn(old, 'csi')['controllerExpandSecretRef'] === undefined;
  return isAdded
    ? mapMember(sources, 'csi', (csi) => withMember(csi, 'controllerExpandSecretRef', undefined))
    : sources;
};

/** The message of the real server, without the comparison of both sources at its end. */
const SOURCE_FIXED = 'spec.persistentvolumesource is immutable after creation\n';

const AFFINITY_FIXED = 'field is immutable, except for updating from beta label to GA';

const requirementsOf = (term: JsonObject, name: string): readonly (JsonObject | null)[] | null =>
  term[name] === undefined ? null : listIn(term, name).map((each) => internal(each, ['Key', 'Operator', 'Values']));

/** Converts the selection of nodes to the form of Go's internal types, for messages. */
const affinityValue = (affinity: JsonObject | undefined): JsonObject | null =>
  affinity === undefined
    ? null
    : {
        Required: {
          NodeSelectorTerms: listIn(objectIn(affinity, 'required'), 'nodeSelectorTerms').map((term) => ({
            MatchExpressions: requirementsOf(term, 'matchExpressions'),
            MatchFields: requirementsOf(term, 'matchFields'),
          })),
        },
      };

const checkUpdate = (volume: ServerObject, old: ServerObject): FieldErrors => {
  const [spec, before] = [objectIn(volume, 'spec'), objectIn(old, 'spec')];
  const isMoved = !equalJson(fixedSources(spec, before), fixedSources(before, before));
  const affinity = before['nodeAffinity'];
  const isUnset = before['volumeAttributesClassName'] !== undefined && spec['volumeAttributesClassName'] === undefined;
  return [
    ...checkMetadataUpdate(volume, old),
    ...check(volume),
    ...(isMoved ? [forbiddenField('spec.persistentvolumesource', SOURCE_FIXED)] : fine),
    ...checkImmutable('volumeMode', spec['volumeMode'], before['volumeMode']),
    ...(affinity === undefined || equalJson(affinity, spec['nodeAffinity'])
      ? fine
      : [invalidValue('nodeAffinity', affinityValue(optionalIn(spec, 'nodeAffinity')), AFFINITY_FIXED)]),
    ...(isUnset
      ? [forbiddenField('spec.volumeAttributesClassName', 'update from non-nil value to nil is forbidden')]
      : fine),
  ];
};

/**
 * PersistentVolumes with the sources hostPath, nfs, local and csi. No controller binds them, so they stay pending until a client
 * changes their status.
 *
 * @see k8s.io/kubernetes v1.36.4 pkg/apis/core/validation/validation.go (`ValidatePersistentVolumeSpec`)
 */
export const persistentVolumeKind: BuiltinKind = {
  group: '',
  kind: 'PersistentVolume',
  plural: 'persistentvolumes',
  scope: 'Cluster',
  hasStatus: true,
  strategy: {
    setDefaults: (volume) =>
      mapMember(
        mapMember(withDefaults(volume, { status: { phase: 'Pending' } }), 'spec', (spec) =>
          mapMember(
            withDefaults(spec, { persistentVolumeReclaimPolicy: 'Retain', volumeMode: 'Filesystem' }),
            'hostPath',
            (path) => withDefaults(path, { type: '' }),
          ),
        ),
        'status',
        (status) => withDefaults(status, { phase: 'Pending' }),
      ) as ServerObject,
    prepareForCreate: (volume) => ({
      ...volume,
      status: { phase: 'Pending', lastPhaseTransitionTime: volume.metadata.creationTimestamp },
    }),
    mutate: (request) => protectedBy(VOLUME_PROTECTION, request),
    check,
    checkUpdate,
    checkStatusUpdate: checkMetadataUpdate,
  },
};
