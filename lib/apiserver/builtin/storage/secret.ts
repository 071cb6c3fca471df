import { invalidValue, keyPath, required, tooLong } from '#lib/apiserver/machinery/field-error.ts';
import { entriesIn, objectIn, textIn, withDefaults, withMember } from '#lib/apiserver/machinery/members.ts';
import type { ServerObject } from '#lib/apiserver/machinery/object.ts';
import { jsonTypeOf, unmarshalError } from '#lib/apiserver/machinery/text/go-text.ts';
import { isDns1123Subdomain } from '#lib/apiserver/machinery/validation/content.ts';
import { checkText, type FieldErrors, fine } from '#lib/apiserver/machinery/validation/field.ts';
import type { JsonObject } from '#lib/json.ts';
import type { BuiltinKind } from '../strategy.ts';
import { isConfigMapKey } from '../validation/names.ts';
import { checkImmutable, checkMetadata, checkMetadataUpdate } from '../validation/object-meta.ts';
import { checkImmutableData, dataLimit, decodedLength } from './config-map.ts';

/** Encodes the texts in `stringData`, and sets them in `data`. A text replaces an entry with the same key. */
const withTextStored = (secret: JsonObject): JsonObject => {
  const texts = entriesIn(secret, 'stringData');
  const { stringData: _, ...rest } = secret;
  if (texts.length === 0) return rest;
  const stored = texts.map(([key, text]) => [key, Buffer.from(text).toString('base64')] as const);
  return { ...rest, data: { ...objectIn(secret, 'data'), ...Object.fromEntries(stored) } };
};

const checkJson = (data: JsonObject, key: string): FieldErrors => {
  const path = keyPath('data', key);
  if (!Object.hasOwn(data, key)) return [required(path)];
  try {
    const value: unknown = JSON.parse(Buffer.from(textIn(data, key), 'base64').toString());
    if (value === null || (typeof value === 'object' && !Array.isArray(value))) return fine;
    const detail = unmarshalError(jsonTypeOf(value), { type: 'map[string]interface {}' });
    return [invalidValue(path, '<secret contents redacted>', detail)];
  } catch (error) {
    return [invalidValue(path, '<secret contents redacted>', error instanceof Error ? error.message : 'not JSON')];
  }
};

const checkPresent = (data: JsonObject, keys: readonly string[]): FieldErrors =>
  keys.filter((key) => !Object.hasOwn(data, key)).map((key) => required(keyPath('data', key)));

const tokenOwner = 'kubernetes.io/service-account.name';

const typeChecks: Readonly<Record<string, (data: JsonObject, secret: ServerObject) => FieldErrors>> = {
  'kubernetes.io/service-account-token': (_, secret) =>
    textIn(objectIn(objectIn(secret, 'metadata'), 'annotations'), tokenOwner) === ''
      ? [required(keyPath('metadata.annotations', tokenOwner))]
      : fine,
  'kubernetes.io/dockercfg': (data) => checkJson(data, '.dockercfg'),
  'kubernetes.io/dockerconfigjson': (data) => checkJson(data, '.dockerconfigjson'),
  'kubernetes.io/basic-auth': (data) => {
    const missing = checkPresent(data, ['username', 'password']);
    return missing.length === 2 ? missing : fine;
  },
  'kubernetes.io/ssh-auth': (data) =>
    textIn(data, 'ssh-privatekey') === '' ? [required(keyPath('data', 'ssh-privatekey'))] : fine,
  'kubernetes.io/tls': (data) => checkPresent(data, ['tls.crt', 'tls.key']),
};

const check = (secret: ServerObject): FieldErrors => {
  const entries = entriesIn(secret, 'data');
  const size = entries.reduce((sum, [, value]) => sum + decodedLength(value), 0);
  return [
    ...checkMetadata(secret, { check: isDns1123Subdomain }),
    ...entries.flatMap(([key]) => checkText(keyPath('data', key), key, isConfigMapKey)),
    ...(size > dataLimit ? [tooLong('data', dataLimit)] : []),
    ...(typeChecks[textIn(secret, 'type')]?.(objectIn(secret, 'data'), secret) ?? fine),
  ];
};

/**
 * The built-in kind Secret.
 *
 * @see k8s.io/kubernetes v1.36.4 pkg/apis/core/validation/validation.go (`ValidateSecret`)
 */
export const secretKind: BuiltinKind = {
  group: '',
  kind: 'Secret',
  plural: 'secrets',
  strategy: {
    convert: withTextStored,
    setDefaults: (secret) => withDefaults(secret, { type: 'Opaque' }) as ServerObject,
    prepareForUpdate: (secret, old) =>
      textIn(secret, 'type') === '' ? (withMember(secret, 'type', old['type']) as ServerObject) : secret,
    check,
    checkUpdate: (secret, old) => [
      ...checkMetadataUpdate(secret, old),
      ...checkImmutable('type', secret['type'], old['type']),
      ...checkImmutableData(secret, old, ['data']),
      ...check(secret),
    ],
    selectableFields: ['type'],
  },
};
