import {
  forbiddenField,
  invalidValue,
  keyPath,
  memberPath,
  notSupported,
  required,
} from '#lib/apiserver/machinery/field-error.ts';
import { mapMember, objectIn, optionalIn, textIn, textsIn, withDefaults } from '#lib/apiserver/machinery/members.ts';
import { isDns1123LabelText, isDns1123Subdomain } from '#lib/apiserver/machinery/validation/content.ts';
import { checkText, type FieldErrors, fine } from '#lib/apiserver/machinery/validation/field.ts';
import type { JsonObject } from '#lib/json.ts';
import { storedQuantity } from '../codec/quantity.ts';
import { checkLabelSelector } from '../validation/label-selector.ts';

const ALONE = 'ReadWriteOncePod';
/** The access modes of claims and volumes. */
const ACCESS_MODES = ['ReadOnlyMany', 'ReadWriteMany', 'ReadWriteOnce', ALONE];
/** The volume modes of claims and volumes. */
export const VOLUME_MODES = ['Block', 'Filesystem'];
const CLAIM = 'PersistentVolumeClaim';

/** @see k8s.io/kubernetes v1.36.4 pkg/apis/core/v1/defaults.go (`SetDefaults_PersistentVolumeClaim`) */
export const claimDefaults = (claim: JsonObject): JsonObject =>
  mapMember(mapMember(withDefaults(claim, { status: {} }), 'spec', specDefaults), 'status', (status) =>
    withDefaults(status, { phase: 'Pending' }),
  );

const specDefaults = (spec: JsonObject): JsonObject => withDefaults(spec, { volumeMode: 'Filesystem' });

/** Checks the access modes in a spec. @param missing - the detail of the error for an empty list */
export const checkAccessModes = (path: string, modes: readonly string[], missing: string): FieldErrors => {
  const at = memberPath(path, 'accessModes');
  const isMixed = modes.includes(ALONE) && modes.some((mode) => mode !== ALONE && ACCESS_MODES.includes(mode));
  return [
    ...(modes.length === 0 ? [required(at, missing)] : fine),
    ...modes.flatMap((mode) => (ACCESS_MODES.includes(mode) ? fine : [notSupported(at, mode, ACCESS_MODES)])),
    ...(isMixed ? [forbiddenField(at, 'may not use ReadWriteOncePod with other access modes')] : fine),
  ];
};

const checkStorage = (path: string, requests: JsonObject): FieldErrors => {
  const [at, storage] = [keyPath(memberPath(path, 'resources'), 'storage'), requests['storage']];
  if (storage === undefined) return [required(at)];
  return storedQuantity(storage).nano <= 0n ? [invalidValue(at, storage, 'must be greater than zero')] : fine;
};

const checkSource = (path: string, source: JsonObject | undefined): FieldErrors => {
  if (source === undefined) return fine;
  const [group, kind, name] = [textIn(source, 'apiGroup'), textIn(source, 'kind'), textIn(source, 'name')];
  const namespace = textIn(source, 'namespace');
  const wrongKind = "must be 'PersistentVolumeClaim' when referencing the default apiGroup";
  return [
    ...(name === '' ? [required(memberPath(path, 'name'))] : fine),
    ...(kind === '' ? [required(memberPath(path, 'kind'))] : fine),
    ...(group === '' && kind !== CLAIM ? [invalidValue(path, kind, wrongKind)] : fine),
    ...(group === '' ? fine : checkText(memberPath(path, 'apiGroup'), group, isDns1123Subdomain)),
    ...(namespace === '' ? fine : checkText(memberPath(path, 'namespace'), namespace, isDns1123LabelText)),
  ];
};

const checkName = (path: string, name: string): FieldErrors =>
  name === '' ? fine : checkText(path, name, isDns1123Subdomain);

/**
 * Validates the spec of a PersistentVolumeClaim.
 *
 * @see k8s.io/kubernetes v1.36.4 pkg/apis/core/validation/validation.go (`ValidatePersistentVolumeClaimSpec`)
 */
export const checkClaimSpec = (path: string, spec: JsonObject): FieldErrors => {
  const [volumeMode, selector] = [spec['volumeMode'], optionalIn(spec, 'selector')];
  const [source, reference] = [optionalIn(spec, 'dataSource'), optionalIn(spec, 'dataSourceRef')];
  return [
    ...checkAccessModes(path, textsIn(spec, 'accessModes'), 'at least 1 access mode is required'),
    ...(selector === undefined ? fine : checkLabelSelector(memberPath(path, 'selector'), selector)),
    ...checkStorage(path, objectIn(objectIn(spec, 'resources'), 'requests')),
    ...checkName(memberPath(path, 'storageClassName'), textIn(spec, 'storageClassName')),
    ...(volumeMode === undefined || VOLUME_MODES.includes(textIn(spec, 'volumeMode'))
      ? fine
      : [notSupported(memberPath(path, 'volumeMode'), volumeMode, VOLUME_MODES)]),
    ...checkSource(memberPath(path, 'dataSource'), source),
    ...checkSource(memberPath(path, 'dataSourceRef'), reference),
    ...checkName(memberPath(path, 'volumeAttributesClassName'), textIn(spec, 'volumeAttributesClassName')),
  ];
};
