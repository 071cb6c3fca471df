import { equalJson, type JsonObject } from '#lib/kind/json.ts';
import type { FieldError } from '#lib/sim/machinery/field-error.ts';
import type { ServerObject } from '#lib/sim/machinery/object.ts';
import { forbiddenField, invalidValue, required, tooLong } from '#lib/sim/schema/field-errors.ts';
import { checkNonNegative, checkText, type FieldErrors, fine, forItems } from './field.ts';
import { invalidStruct, ownerValue } from './go-values.ts';
import { entriesIn, listIn, objectIn, textIn, textsIn } from './members.ts';
import { isDns1123Label, isLabelValue, isQualifiedName, nameChecks, type StringCheck } from './names.ts';

const annotationsLimit = 256 * 1024;

/** Keys and values of labels, also of selectors. */
export const checkLabels = (path: string, labels: readonly (readonly [string, string])[]): FieldErrors =>
  labels.flatMap(([name, value]) => [
    ...checkText(path, name, isQualifiedName),
    ...checkText(path, value, isLabelValue),
  ]);

/** Keys and size of annotations. */
export const checkAnnotations = (path: string, annotations: readonly (readonly [string, string])[]): FieldErrors => {
  const size = annotations.reduce((sum, [name, value]) => sum + Buffer.byteLength(name) + Buffer.byteLength(value), 0);
  return [
    ...annotations.flatMap(([name]) =>
      isQualifiedName(name.toLowerCase()).map((text) => invalidValue(path, name, text)),
    ),
    ...(size > annotationsLimit ? [tooLong(path, annotationsLimit)] : []),
  ];
};

const standardFinalizers = new Set(['kubernetes', 'orphan', 'foregroundDeletion']);

/** Names without a domain are the system's own. */
export const checkFinalizer = (path: string, name: string): FieldErrors =>
  name.includes('/') || standardFinalizers.has(name)
    ? fine
    : [invalidValue(path, name, 'name is neither a standard finalizer name nor is it fully qualified')];

const checkFinalizers = (path: string, names: readonly string[]): FieldErrors => [
  ...names.flatMap((name) => checkText(path, name, isQualifiedName)),
  ...(names.includes('orphan') && names.includes('foregroundDeletion')
    ? [invalidValue(path, names, 'finalizer orphan and foregroundDeletion cannot be both set')]
    : []),
];

const checkOwner = (path: string, owner: JsonObject): FieldErrors => {
  const apiVersion = textIn(owner, 'apiVersion');
  const isVersioned = apiVersion !== '' && !apiVersion.endsWith('/') && apiVersion.split('/').length <= 2;
  const isEvent = apiVersion === 'v1' && owner['kind'] === 'Event';
  return [
    ...(isVersioned ? [] : [invalidValue(`${path}.apiVersion`, apiVersion, 'version must not be empty')]),
    ...['kind', 'name', 'uid']
      .filter((name) => textIn(owner, name) === '')
      .map((name) => invalidValue(`${path}.${name}`, '', 'must not be empty')),
    ...(isEvent ? [invalidStruct(path, ownerValue(owner), '/v1, Kind=Event is disallowed from being an owner')] : []),
  ];
};

const named = (owner: JsonObject | undefined): string => `${textIn(owner, 'kind')}/${textIn(owner, 'name')}`;

const checkOwners = (path: string, owners: readonly JsonObject[]): FieldErrors => {
  const [first, ...others] = owners.filter((owner) => owner['controller'] === true);
  const detail = (other: JsonObject): string =>
    `Only one reference can have Controller set to true. Found "true" in references for ${named(first)} and ${named(other)}`;
  return [
    ...owners.flatMap((owner) => checkOwner(path, owner)),
    ...others.map((other) => invalidStruct(path, owners.map(ownerValue), detail(other))),
  ];
};

const checkContent = (metadata: JsonObject): FieldErrors => [
  ...checkLabels('metadata.labels', entriesIn(metadata, 'labels')),
  ...checkAnnotations('metadata.annotations', entriesIn(metadata, 'annotations')),
  ...checkOwners('metadata.ownerReferences', listIn(metadata, 'ownerReferences')),
];

const checkNamespace = (namespace: string, isNamespaced: boolean): FieldErrors => {
  if (!isNamespaced) {
    return namespace === '' ? fine : [forbiddenField('metadata.namespace', 'not allowed on this type')];
  }
  if (namespace === '') return [required('metadata.namespace')];
  return checkText('metadata.namespace', namespace, isDns1123Label);
};

const checkNames = (metadata: JsonObject, check: StringCheck): FieldErrors => {
  const { name: checkName, prefix: checkPrefix } = nameChecks(check);
  const [name, generateName] = [textIn(metadata, 'name'), textIn(metadata, 'generateName')];
  return [
    ...(generateName === '' ? [] : checkText('metadata.generateName', generateName, checkPrefix)),
    ...(name === ''
      ? [required('metadata.name', 'name or generateName is required')]
      : checkText('metadata.name', name, checkName)),
  ];
};

const checkKubeFinalizers = (metadata: JsonObject): FieldErrors =>
  forItems('metadata.finalizers', textsIn(metadata, 'finalizers'), (name, path) => checkFinalizer(path, name));

/** How names are checked, and whether there is a namespace. */
export interface MetadataRules {
  readonly check: StringCheck;
  readonly isNamespaced?: boolean;
}

/**
 * The metadata of a new object of any kind.
 *
 * @see k8s.io/apimachinery v0.36.4 pkg/api/validation/objectmeta.go (`ValidateObjectMetaAccessor`)
 */
export const checkAnyMetadata = (object: ServerObject, { check, isNamespaced = true }: MetadataRules): FieldErrors => {
  const metadata = objectIn(object, 'metadata');
  return [
    ...checkNames(metadata, check),
    ...checkNamespace(textIn(metadata, 'namespace'), isNamespaced),
    ...checkNonNegative('metadata.generation', metadata['generation']),
    ...checkContent(metadata),
    ...checkFinalizers('metadata.finalizers', textsIn(metadata, 'finalizers')),
  ];
};

/**
 * The metadata of a new object of the kinds of the core and apps groups.
 *
 * @see k8s.io/kubernetes v1.36.4 pkg/apis/core/validation/validation.go (`ValidateObjectMeta`)
 */
export const checkMetadata = (object: ServerObject, rules: MetadataRules): FieldErrors => [
  ...checkAnyMetadata(object, rules),
  ...checkKubeFinalizers(objectIn(object, 'metadata')),
];

/** What `newValue` is not: equal to what is stored. */
export const checkImmutable = (path: string, newValue: unknown, oldValue: unknown): readonly FieldError[] =>
  equalJson(newValue, oldValue) ? fine : [invalidValue(path, newValue ?? null, 'field is immutable')];

const checkNewFinalizers = (metadata: JsonObject, old: JsonObject): FieldErrors => {
  if (old['deletionTimestamp'] === undefined) return fine;
  const before = textsIn(old, 'finalizers');
  const added = [...new Set(textsIn(metadata, 'finalizers'))].filter((name) => !before.includes(name)).toSorted();
  if (added.length === 0) return fine;
  const list = `[]string{${added.map((name) => JSON.stringify(name)).join(', ')}}`;
  const detail = `no new finalizers can be added if the object is being deleted, found new finalizers ${list}`;
  return [forbiddenField('metadata.finalizers', detail)];
};

const fixedMembers = ['name', 'namespace', 'uid', 'creationTimestamp', 'deletionTimestamp'];

const checkFixed = (metadata: JsonObject, old: JsonObject): FieldErrors =>
  [...fixedMembers, 'deletionGracePeriodSeconds'].flatMap((name) => {
    const isText = name === 'name' || name === 'namespace' || name === 'uid';
    const empty = isText ? '' : null;
    return checkImmutable(`metadata.${name}`, metadata[name] ?? empty, old[name] ?? empty);
  });

/**
 * The metadata of a changed object of any kind.
 *
 * @see k8s.io/apimachinery v0.36.4 pkg/api/validation/objectmeta.go (`ValidateObjectMetaAccessorUpdate`)
 */
export const checkAnyMetadataUpdate = (object: ServerObject, oldObject: ServerObject): FieldErrors => {
  const [metadata, old] = [objectIn(object, 'metadata'), objectIn(oldObject, 'metadata')];
  const generation = metadata['generation'] ?? 0;
  return [
    ...checkNewFinalizers(metadata, old),
    ...(textIn(metadata, 'resourceVersion') === ''
      ? [invalidValue('metadata.resourceVersion', '', 'must be specified for an update')]
      : []),
    ...(Number(generation) < Number(old['generation'] ?? 0)
      ? [invalidValue('metadata.generation', generation, 'must not be decremented')]
      : []),
    ...checkFixed(metadata, old),
    ...checkContent(metadata),
  ];
};

/** The metadata of a changed object of the kinds of the core and apps groups. */
export const checkMetadataUpdate = (object: ServerObject, oldObject: ServerObject): FieldErrors => [
  ...checkAnyMetadataUpdate(object, oldObject),
  ...checkKubeFinalizers(objectIn(object, 'metadata')),
];
