import type { JsonObject } from '#lib/json.ts';
import type { OwnerReference } from '#lib/kind/handles/reference.ts';
import { type FieldError, type FieldPath, forbiddenField, invalidValue, required, tooLong } from '../field-error.ts';
import type { ServerMeta } from '../object.ts';
import { goQuote, goStruct } from '../text/go-text.ts';
import {
  asPrefix,
  isDns1123LabelText,
  isLabelValue,
  isPathSegmentName,
  isPathSegmentPrefix,
  isQualifiedName,
  type StringCheck,
} from './content.ts';
import { checkNonNegative, checkText, type FieldErrors, fine, forItems } from './field.ts';

type Texts = Readonly<Record<string, string>>;

/**
 * Returns the errors of the entries of a map, sorted by key because Go's maps have no order.
 */
const forEntries = (entries: Texts, check: (name: string, value: string) => FieldErrors): FieldErrors => {
  const checkOne = (name: string): FieldErrors => check(name, entries[name] ?? '');
  const names = Object.keys(entries);
  return names.every((name) => checkOne(name).length === 0) ? fine : names.toSorted().flatMap(checkOne);
};

/** Validates keys and values of labels, including those in selectors. Expects a decoded object. */
export const checkLabels = (path: FieldPath, labels: JsonObject = {}): FieldErrors =>
  forEntries(labels as Texts, (name, value) => {
    const wrongName = checkText(path, name, isQualifiedName);
    const wrongValue = checkText(path, value, isLabelValue);
    return wrongName.length + wrongValue.length === 0 ? fine : [...wrongName, ...wrongValue];
  });

const ANNOTATIONS_LIMIT = 256 * 1024;

const isOwnKey: StringCheck = (name) => isQualifiedName(name.toLowerCase());

/** Validates keys and total size of annotations. Expects a decoded object. */
export const checkAnnotations = (path: FieldPath, annotations: JsonObject = {}): FieldErrors => {
  const entries = Object.entries(annotations as Texts);
  const size = entries.reduce((sum, [name, value]) => sum + Buffer.byteLength(name) + Buffer.byteLength(value), 0);
  const errors = forEntries(annotations as Texts, (name) => checkText(path, name, isOwnKey));
  return size > ANNOTATIONS_LIMIT ? [...errors, tooLong(path, ANNOTATIONS_LIMIT)] : errors;
};

const OWNERS = 'metadata.ownerReferences';

/** Converts an owner reference to the form in messages, with the members in the order of the Go declaration. */
const ownerValue = ({ apiVersion, kind, name, uid, controller, blockOwnerDeletion }: OwnerReference): unknown => ({
  apiVersion,
  kind,
  name,
  uid,
  controller,
  blockOwnerDeletion,
});

const invalidOwners = (value: unknown, detail: string): FieldError => invalidValue(OWNERS, goStruct(value), detail);

const checkOwner = (owner: OwnerReference): FieldErrors => {
  const { apiVersion = '', kind = '', name = '', uid = '' } = owner as Partial<OwnerReference>;
  const isVersioned = /^([^/]*\/)?[^/]+$/.test(apiVersion);
  const empty = Object.entries({ kind, name, uid }).filter(([, value]) => value === '');
  return [
    ...(isVersioned ? [] : [invalidValue(`${OWNERS}.apiVersion`, apiVersion, 'version must not be empty')]),
    ...empty.map(([member]) => invalidValue(`${OWNERS}.${member}`, '', 'must not be empty')),
    ...(apiVersion === 'v1' && kind === 'Event'
      ? [invalidOwners(ownerValue(owner), '/v1, Kind=Event is disallowed from being an owner')]
      : []),
  ];
};

const checkOwners = (owners: ServerMeta['ownerReferences']): FieldErrors => {
  if (owners === undefined) return fine;
  const [first, ...others] = owners.filter(({ controller }) => controller === true);
  const second = others.map((other) =>
    invalidOwners(
      owners.map(ownerValue),
      `Only one reference can have Controller set to true. Found "true" in references for ${first?.kind}/${first?.name} and ${other.kind}/${other.name}`,
    ),
  );
  return [...owners.flatMap(checkOwner), ...second];
};

const checkFinalizers = (finalizers: ServerMeta['finalizers']): FieldErrors => {
  if (finalizers === undefined) return fine;
  const isBoth = finalizers.includes('orphan') && finalizers.includes('foregroundDeletion');
  return [
    ...finalizers.flatMap((name) => checkText('metadata.finalizers', name, isQualifiedName)),
    ...(isBoth
      ? [invalidValue('metadata.finalizers', finalizers, 'finalizer orphan and foregroundDeletion cannot be both set')]
      : []),
  ];
};

const checkNamespace = (namespace: string, isNamespaced: boolean): FieldErrors => {
  if (!isNamespaced) {
    return namespace === '' ? fine : [forbiddenField('metadata.namespace', 'not allowed on this type')];
  }
  if (namespace === '') return [required('metadata.namespace')];
  return checkText('metadata.namespace', namespace, isDns1123LabelText);
};

/** The checks of the name of an object, and of the prefix of a generated name. */
export interface NameRule {
  readonly name: StringCheck;
  readonly prefix: StringCheck;
}

/** The rule that names can be a part of a URL. The strategy of the kind has all other checks of names. */
export const pathSegmentNames: NameRule = { name: isPathSegmentName, prefix: isPathSegmentPrefix };

/** Returns the rule that applies one check to names and to prefixes. Unlike a name, a prefix may end in a dash. */
export const namesThat = (check: StringCheck): NameRule => ({ name: check, prefix: asPrefix(check) });

const checkNames = ({ name = '', generateName = '' }: Partial<ServerMeta>, rule: NameRule): FieldErrors => [
  ...(generateName === '' ? fine : checkText('metadata.generateName', generateName, rule.prefix)),
  ...(name === ''
    ? [required('metadata.name', 'name or generateName is required')]
    : checkText('metadata.name', name, rule.name)),
];

/** The rules of metadata that differ between kinds. */
export interface MetaRules {
  readonly names: NameRule;
  readonly isNamespaced: boolean;
}

/**
 * Validates the metadata of an object of any kind.
 *
 * @see k8s.io/apimachinery v0.36.4 pkg/api/validation/objectmeta.go (`ValidateObjectMetaAccessor`)
 */
export const validateObjectMeta = (meta: ServerMeta, { names, isNamespaced }: MetaRules): FieldErrors => [
  ...checkNames(meta, names),
  ...checkNamespace(meta.namespace ?? '', isNamespaced),
  ...checkNonNegative('metadata.generation', meta.generation),
  ...checkLabels('metadata.labels', meta.labels),
  ...checkAnnotations('metadata.annotations', meta.annotations),
  ...checkOwners(meta.ownerReferences),
  ...checkFinalizers(meta.finalizers),
];

const checkNewFinalizers = (meta: ServerMeta, old: ServerMeta): FieldErrors => {
  if (old.deletionTimestamp === undefined) return fine;
  const extra = new Set(meta.finalizers ?? []).difference(new Set(old.finalizers ?? []));
  if (extra.size === 0) return fine;
  const list = [...extra].toSorted().map(goQuote).join(', ');
  const detail = `no new finalizers can be added if the object is being deleted, found new finalizers []string{${list}}`;
  return [forbiddenField('metadata.finalizers', detail)];
};

/** Metadata that updates cannot change, with the value in messages for an absent member. */
const IMMUTABLE = [
  ['name', ''],
  ['namespace', ''],
  ['uid', ''],
  ['creationTimestamp', null],
  ['deletionTimestamp', null],
  ['deletionGracePeriodSeconds', null],
] as const;

const checkImmutable = (meta: ServerMeta, old: ServerMeta): FieldErrors =>
  IMMUTABLE.filter(([name, absent]) => (meta[name] ?? absent) !== (old[name] ?? absent)).map(([name, absent]) =>
    invalidValue(`metadata.${name}`, meta[name] ?? absent, 'field is immutable'),
  );

/**
 * Validates changed metadata.
 *
 * @see k8s.io/apimachinery v0.36.4 pkg/api/validation/objectmeta.go (`ValidateObjectMetaAccessorUpdate`)
 */
export const validateObjectMetaUpdate = (meta: ServerMeta, old: ServerMeta): FieldErrors => [
  ...checkNewFinalizers(meta, old),
  ...((meta.resourceVersion ?? '') === ''
    ? [invalidValue('metadata.resourceVersion', '', 'must be specified for an update')]
    : []),
  ...((meta.generation ?? 0) < (old.generation ?? 0)
    ? [invalidValue('metadata.generation', meta.generation ?? 0, 'must not be decremented')]
    : []),
  ...checkImmutable(meta, old),
  ...checkLabels('metadata.labels', meta.labels),
  ...checkAnnotations('metadata.annotations', meta.annotations),
  ...checkOwners(meta.ownerReferences),
];

const STANDARD_FINALIZERS = new Set(['kubernetes', 'orphan', 'foregroundDeletion']);

const checkKubeFinalizer = (path: FieldPath, name: string): FieldErrors =>
  name.includes('/') || STANDARD_FINALIZERS.has(name)
    ? fine
    : [invalidValue(path, name, 'name is neither a standard finalizer name nor is it fully qualified')];

/**
 * Validates finalizers of built-in kinds. A finalizer without a domain must be a finalizer of Kubernetes.
 *
 * @see k8s.io/kubernetes v1.36.4 pkg/apis/core/validation/validation.go (`validateKubeFinalizerName`)
 */
export const checkKubeFinalizers = ({ finalizers = [] }: ServerMeta): FieldErrors =>
  forItems('metadata.finalizers', finalizers, (name, path) => checkKubeFinalizer(path, name));

/**
 * Validates a finalizer in the spec of a namespace: its form, and the rule of {@link checkKubeFinalizers}.
 *
 * @see k8s.io/kubernetes v1.36.4 pkg/apis/core/validation/validation.go (`validateFinalizerName`)
 */
export const checkSpecFinalizer = (path: FieldPath, name: string): FieldErrors => [
  ...checkText(path, name, isQualifiedName),
  ...checkKubeFinalizer(path, name),
];
