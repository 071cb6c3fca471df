import { forbiddenField, invalidValue, keyPath, tooLong } from '#lib/apiserver/machinery/field-error.ts';
import { entriesIn, objectIn } from '#lib/apiserver/machinery/members.ts';
import type { ServerObject } from '#lib/apiserver/machinery/object.ts';
import { isDns1123Subdomain } from '#lib/apiserver/machinery/validation/content.ts';
import { checkText, type FieldErrors, fine } from '#lib/apiserver/machinery/validation/field.ts';
import { equalJson, type JsonObject } from '#lib/json.ts';
import type { BuiltinKind } from '../strategy.ts';
import { isConfigMapKey } from '../validation/names.ts';
import { checkMetadata, checkMetadataUpdate } from '../validation/object-meta.ts';

/** Maximum size of the data in a ConfigMap or a Secret, in bytes. */
export const dataLimit = 1024 * 1024;

/** Returns the number of bytes that base64 text encodes. */
export const decodedLength = (text: string): number => Buffer.byteLength(text, 'base64');

const checkData = (object: JsonObject): FieldErrors => {
  const [data, binaryData] = [entriesIn(object, 'data'), entriesIn(object, 'binaryData')];
  const binary = objectIn(object, 'binaryData');
  const size =
    data.reduce((sum, [, value]) => sum + Buffer.byteLength(value), 0) +
    binaryData.reduce((sum, [, value]) => sum + decodedLength(value), 0);
  return [
    ...data.flatMap(([key]) => [
      ...checkText(keyPath('data', key), key, isConfigMapKey),
      ...(Object.hasOwn(binary, key)
        ? [invalidValue(keyPath('data', key), key, 'duplicate of key present in binaryData')]
        : []),
    ]),
    ...binaryData.flatMap(([key]) => checkText(keyPath('binaryData', key), key, isConfigMapKey)),
    ...(size > dataLimit ? [{ ...tooLong('', dataLimit), field: '[]' }] : []),
  ];
};

/** Returns errors for changes of `members` and `immutable`, if the old object is immutable. */
export const checkImmutableData = (
  object: ServerObject,
  old: ServerObject,
  members: readonly string[],
): FieldErrors => {
  if (old['immutable'] !== true) return fine;
  const detail = 'field is immutable when `immutable` is set';
  return [
    ...(object['immutable'] === true ? [] : [forbiddenField('immutable', detail)]),
    ...members.filter((name) => !equalJson(object[name], old[name])).map((name) => forbiddenField(name, detail)),
  ];
};

const check = (object: ServerObject): FieldErrors => [
  ...checkMetadata(object, { check: isDns1123Subdomain }),
  ...checkData(object),
];

/**
 * The built-in kind ConfigMap.
 *
 * @see k8s.io/kubernetes v1.36.4 pkg/apis/core/validation/validation.go (`ValidateConfigMap`)
 */
export const configMapKind: BuiltinKind = {
  group: '',
  kind: 'ConfigMap',
  plural: 'configmaps',
  strategy: {
    check,
    checkUpdate: (object, old) => [
      ...checkMetadataUpdate(object, old),
      ...checkImmutableData(object, old, ['data', 'binaryData']),
      ...check(object),
    ],
  },
};
