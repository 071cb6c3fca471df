import { isPlainObject, type JsonObject } from '#lib/kind/json.ts';
import type { OwnerReference } from '#lib/kind/reference.ts';
import type { FieldError } from '#lib/sim/machinery/field-error.ts';
import { goQuote } from '#lib/sim/machinery/go-text.ts';
import type { ServerMeta } from '#lib/sim/machinery/object.ts';
import { forbiddenField, invalidValue, required, tooLong } from '#lib/sim/schema/field-errors.ts';
import {
  keyProblems,
  labelValueProblems,
  namePrefixProblems,
  nameProblems,
  namespaceProblems,
  type Problems,
  pathNameProblems,
  pathPrefixProblems,
} from './content.ts';
import { sameJson } from './frozen.ts';

type Errors = readonly FieldError[];

const NONE: Errors = Object.freeze([]);
const ANNOTATIONS_LIMIT = 256 * 1024;

const invalidFor = (path: string, value: string, problems: Problems): Errors =>
  problems.length === 0 ? NONE : problems.map((problem) => invalidValue(path, value, problem));

const checkLabels = (labels: ServerMeta['labels']): Errors =>
  labels === undefined
    ? NONE
    : Object.entries(labels).flatMap(([name, value]) => [
        ...invalidFor('metadata.labels', name, keyProblems(name)),
        ...invalidFor('metadata.labels', value, labelValueProblems(value)),
      ]);

const checkAnnotations = (annotations: ServerMeta['annotations']): Errors => {
  if (annotations === undefined) return NONE;
  const entries = Object.entries(annotations);
  const size = entries.reduce((sum, [name, value]) => sum + Buffer.byteLength(name) + Buffer.byteLength(value), 0);
  return [
    ...entries.flatMap(([name]) => invalidFor('metadata.annotations', name, keyProblems(name.toLowerCase()))),
    ...(size > ANNOTATIONS_LIMIT ? [tooLong('metadata.annotations', ANNOTATIONS_LIMIT)] : []),
  ];
};

const OWNERS = 'metadata.ownerReferences';

/** Members in the order in which Go writes them. */
const ownerValue = ({ apiVersion, kind, name, uid, controller, blockOwnerDeletion }: OwnerReference): unknown => ({
  apiVersion,
  kind,
  name,
  uid,
  controller,
  blockOwnerDeletion,
});

const invalidOwners = (value: unknown, detail: string): FieldError => ({
  reason: 'FieldValueInvalid',
  field: OWNERS,
  message: `Invalid value: ${JSON.stringify(value)}: ${detail}`,
});

const checkOwner = (owner: OwnerReference): Errors => {
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

const checkOwners = (owners: ServerMeta['ownerReferences']): Errors => {
  if (owners === undefined) return NONE;
  const [first, ...others] = owners.filter(({ controller }) => controller === true);
  const second = others.map((other) =>
    invalidOwners(
      owners.map(ownerValue),
      `Only one reference can have Controller set to true. Found "true" in references for ${first?.kind}/${first?.name} and ${other.kind}/${other.name}`,
    ),
  );
  return [...owners.flatMap(checkOwner), ...second];
};

const checkFinalizers = (finalizers: ServerMeta['finalizers']): Errors => {
  if (finalizers === undefined) return NONE;
  const isBoth = finalizers.includes('orphan') && finalizers.includes('foregroundDeletion');
  return [
    ...finalizers.flatMap((name) => invalidFor('metadata.finalizers', name, keyProblems(name))),
    ...(isBoth
      ? [invalidValue('metadata.finalizers', finalizers, 'finalizer orphan and foregroundDeletion cannot be both set')]
      : []),
  ];
};

const checkNamespace = (namespace: string | undefined, isNamespaced: boolean): Errors => {
  if (!isNamespaced) {
    return namespace === undefined ? NONE : [forbiddenField('metadata.namespace', 'not allowed on this type')];
  }
  if (namespace === undefined) return [required('metadata.namespace')];
  return invalidFor('metadata.namespace', namespace, namespaceProblems(namespace));
};

/** What a name and the prefix of one must look like. */
interface NameRule {
  readonly name: (text: string) => Problems;
  readonly prefix: (text: string) => Problems;
}

const partOfPath: NameRule = { name: pathNameProblems, prefix: pathPrefixProblems };
const ofCustomResource: NameRule = { name: nameProblems, prefix: namePrefixProblems };

const checkNames = ({ name, generateName }: Partial<ServerMeta>, rule: NameRule): Errors => [
  ...(generateName === undefined ? [] : invalidFor('metadata.generateName', generateName, rule.prefix(generateName))),
  ...(name === undefined || name === ''
    ? [required('metadata.name', 'name or generateName is required')]
    : invalidFor('metadata.name', name, rule.name(name))),
];

/**
 * What is wrong with the metadata of an object of any kind. Names are looked at as parts of URLs only: what a kind demands
 * of them is up to its strategy.
 *
 * @see k8s.io/apimachinery v0.36.4 pkg/api/validation/objectmeta.go (`ValidateObjectMetaAccessor`)
 */
export const validateObjectMeta = (meta: ServerMeta, isNamespaced: boolean): Errors =>
  validateMeta(meta, isNamespaced, partOfPath);

/** As {@link validateObjectMeta}, and what custom resources demand of names. */
export const validateCustomMeta = (meta: ServerMeta, isNamespaced: boolean): Errors =>
  validateMeta(meta, isNamespaced, ofCustomResource);

const validateMeta = (meta: ServerMeta, isNamespaced: boolean, rule: NameRule): Errors => [
  ...checkNames(meta, rule),
  ...checkNamespace(meta.namespace, isNamespaced),
  ...((meta.generation ?? 0) < 0
    ? [invalidValue('metadata.generation', meta.generation, 'must be greater than or equal to 0')]
    : []),
  ...checkLabels(meta.labels),
  ...checkAnnotations(meta.annotations),
  ...checkOwners(meta.ownerReferences),
  ...checkFinalizers(meta.finalizers),
];

const checkNewFinalizers = (meta: ServerMeta, old: ServerMeta): Errors => {
  if (old.deletionTimestamp === undefined) return NONE;
  const extra = new Set(meta.finalizers ?? []).difference(new Set(old.finalizers ?? []));
  if (extra.size === 0) return NONE;
  const list = [...extra].toSorted().map(goQuote).join(', ');
  return [
    forbiddenField(
      'metadata.finalizers',
      `no new finalizers can be added if the object is being deleted, found new finalizers []string{${list}}`,
    ),
  ];
};

/** What no update may change, with the value that stands for absence in messages. */
const IMMUTABLE = {
  name: '',
  namespace: '',
  uid: '',
  creationTimestamp: null,
  deletionTimestamp: null,
  deletionGracePeriodSeconds: null,
} as const;

const checkImmutable = (meta: ServerMeta, old: ServerMeta): Errors => {
  const changed = Object.entries(IMMUTABLE).filter(([name]) => {
    const member = name as keyof typeof IMMUTABLE;
    return !sameJson(meta[member], old[member]);
  });
  return changed.map(([name, absent]) =>
    invalidValue(`metadata.${name}`, meta[name as keyof typeof IMMUTABLE] ?? absent, 'field is immutable'),
  );
};

/**
 * What is wrong with changed metadata.
 *
 * @see k8s.io/apimachinery v0.36.4 pkg/api/validation/objectmeta.go (`ValidateObjectMetaAccessorUpdate`)
 */
export const validateObjectMetaUpdate = (meta: ServerMeta, old: ServerMeta): Errors => [
  ...checkNewFinalizers(meta, old),
  ...(meta.resourceVersion === ''
    ? [invalidValue('metadata.resourceVersion', '', 'must be specified for an update')]
    : []),
  ...((meta.generation ?? 0) < (old.generation ?? 0)
    ? [invalidValue('metadata.generation', meta.generation ?? 0, 'must not be decremented')]
    : []),
  ...checkImmutable(meta, old),
  ...checkLabels(meta.labels),
  ...checkAnnotations(meta.annotations),
  ...checkOwners(meta.ownerReferences),
];

const isSameOwner = (a: OwnerReference, b: OwnerReference): boolean => a.uid === b.uid && sameJson(a, b);

/**
 * Leaves out owner references that are there twice, word for word.
 *
 * @see k8s.io/apiserver v0.36.4 pkg/endpoints/handlers/rest.go (`dedupOwnerReferences`)
 */
export const dedupOwnerReferences = <O extends JsonObject>(object: O): O => {
  const { metadata } = object;
  if (!isPlainObject(metadata) || !Array.isArray(metadata['ownerReferences'])) return object;
  const owners: readonly OwnerReference[] = metadata['ownerReferences'];
  if (owners.length < 2) return object;
  const once = owners.filter((owner, i) => !owners.slice(0, i).some((other) => isSameOwner(owner, other)));
  return once.length === owners.length ? object : { ...object, metadata: { ...metadata, ownerReferences: once } };
};
