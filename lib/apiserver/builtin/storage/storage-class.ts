import { duplicate, invalidValue, required, tooLong } from '#lib/apiserver/machinery/field-error.ts';
import { entriesIn, listIn, textIn, textsIn, withDefaults } from '#lib/apiserver/machinery/members.ts';
import type { ServerObject } from '#lib/apiserver/machinery/object.ts';
import { resources } from '#lib/apiserver/machinery/resources.ts';
import type { ServerView } from '#lib/apiserver/machinery/served-kind.ts';
import { isDns1123Subdomain, isQualifiedName } from '#lib/apiserver/machinery/validation/content.ts';
import { checkText, type FieldErrors, fine, forItems } from '#lib/apiserver/machinery/validation/field.ts';
import { equalJson, type JsonObject } from '#lib/json.ts';
import type { BuiltinKind } from '../strategy.ts';
import { checkKnown } from '../validation/field.ts';
import { checkImmutable, checkMetadata, checkMetadataUpdate } from '../validation/object-meta.ts';

const DEFAULT_ANNOTATIONS = [
  'storageclass.kubernetes.io/is-default-class',
  'storageclass.beta.kubernetes.io/is-default-class',
] as const;

const MAX_PARAMETERS = 512;
const MAX_PARAMETERS_BYTES = 256 * 1024;

const checkProvisioner = (provisioner: string): FieldErrors =>
  provisioner === '' ? [required('provisioner')] : checkText('provisioner', provisioner.toLowerCase(), isQualifiedName);

const checkParameters = (storageClass: ServerObject): FieldErrors => {
  const entries = entriesIn(storageClass, 'parameters');
  if (entries.length > MAX_PARAMETERS) return [tooLong('parameters', MAX_PARAMETERS)];
  const bytes = entries.reduce((sum, [key, value]) => sum + Buffer.byteLength(key) + Buffer.byteLength(value), 0);
  return [
    ...entries.flatMap(([key]) => (key === '' ? [invalidValue('parameters', key, 'field can not be empty.')] : fine)),
    ...(bytes > MAX_PARAMETERS_BYTES ? [tooLong('parameters', MAX_PARAMETERS_BYTES)] : fine),
  ];
};

/** The values of each key of a topology term, sorted and without duplicates, so that equal terms are equal objects. */
const valuesByKey = (term: JsonObject): JsonObject =>
  Object.fromEntries(
    listIn(term, 'matchLabelExpressions').map((each) => [
      textIn(each, 'key'),
      [...new Set(textsIn(each, 'values'))].toSorted(),
    ]),
  );

const checkExpressions = (path: string, expressions: readonly JsonObject[]): FieldErrors =>
  forItems(path, expressions, (each, at, index) => {
    const [key, values] = [textIn(each, 'key'), textsIn(each, 'values')];
    const isRepeated = expressions.slice(0, index).some((other) => textIn(other, 'key') === key);
    return [
      ...(values.length === 0 ? [required(`${at}.values`)] : fine),
      ...forItems(`${at}.values`, values, (value, here, place) =>
        values.indexOf(value) < place ? [duplicate(here, value)] : fine,
      ),
      ...checkText(`${at}.key`, key, isQualifiedName),
      ...(isRepeated ? [duplicate(`${at}.key`, key)] : fine),
    ];
  });

/** @see k8s.io/kubernetes v1.36.4 pkg/apis/core/validation/validation.go (`ValidateTopologySelectorTerm`) */
const checkTopologies = (storageClass: ServerObject): FieldErrors => {
  const terms = listIn(storageClass, 'allowedTopologies');
  const seen: JsonObject[] = [];
  return forItems('allowedTopologies', terms, (term, at) => {
    const path = `${at}.matchLabelExpressions`;
    const values = valuesByKey(term);
    const isRepeated = seen.some((other) => equalJson(other, values));
    seen.push(values);
    return [
      ...checkExpressions(path, listIn(term, 'matchLabelExpressions')),
      ...(isRepeated ? [duplicate(path, '')] : fine),
    ];
  });
};

const check = (storageClass: ServerObject): FieldErrors => [
  ...checkMetadata(storageClass, { check: isDns1123Subdomain, isNamespaced: false }),
  ...checkProvisioner(textIn(storageClass, 'provisioner')),
  ...checkParameters(storageClass),
  ...checkKnown('reclaimPolicy', textIn(storageClass, 'reclaimPolicy'), ['Delete', 'Retain']),
  ...checkKnown('volumeBindingMode', textIn(storageClass, 'volumeBindingMode'), ['Immediate', 'WaitForFirstConsumer']),
  ...checkTopologies(storageClass),
];

const FIXED = ['parameters', 'provisioner', 'reclaimPolicy', 'volumeBindingMode'] as const;

const createdMs = ({ metadata }: ServerObject): number => Date.parse(metadata.creationTimestamp);

/**
 * The name of the default class: the newest class with the annotation of default classes; `undefined` if there is none.
 *
 * @see k8s.io/kubernetes v1.36.4 pkg/volume/util/storageclass.go (`GetDefaultClass`)
 */
export const defaultStorageClass = (view: ServerView): string | undefined => {
  const [newest] = view
    .objects(resources.storageClasses)
    .filter(({ metadata }) => DEFAULT_ANNOTATIONS.some((name) => metadata.annotations?.[name] === 'true'))
    .toSorted((a, b) => createdMs(b) - createdMs(a) || (a.metadata.name < b.metadata.name ? -1 : 1));
  return newest?.metadata.name;
};

/**
 * StorageClasses. Admission sets the default class in claims without a class. No volumes are provisioned.
 *
 * @see k8s.io/kubernetes v1.36.4 pkg/apis/storage/validation/validation.go
 */
export const storageClassKind: BuiltinKind = {
  group: 'storage.k8s.io',
  kind: 'StorageClass',
  plural: 'storageclasses',
  scope: 'Cluster',
  strategy: {
    setDefaults: (object) =>
      withDefaults(object, { reclaimPolicy: 'Delete', volumeBindingMode: 'Immediate' }) as ServerObject,
    prepareForCreate: (object) => object,
    prepareForUpdate: (object) => object,
    check,
    checkUpdate: (object, old) => [
      ...checkMetadataUpdate(object, old),
      ...check(object),
      ...FIXED.flatMap((name) => checkImmutable(name, object[name], old[name])),
    ],
  },
};
