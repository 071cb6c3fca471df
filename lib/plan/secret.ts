import { INTENT_MARK } from '#lib/desired/marks/marks.ts';
import { isPlainObject, type JsonObject } from '#lib/json.ts';
import { isSecret } from '#lib/kind/handles/secret-kind.ts';

/** The annotation of `kubectl apply`. Its value is the whole manifest, including the values of a Secret. */
export const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';

/** The text that replaces a value of a Secret. */
export const HIDDEN = '(redacted)';

/** The members of a Secret that contain its values. */
export const SECRET_MEMBERS = ['data', 'stringData'] as const;

/** Annotations that contain the values, or a hash of the values. A short value can be guessed from its hash. */
const TELLING: ReadonlySet<string> = new Set([LAST_APPLIED, INTENT_MARK]);

const quietMetadata = (metadata: JsonObject): JsonObject => {
  const { annotations } = metadata;
  if (!isPlainObject(annotations)) return metadata;
  const kept = Object.entries(annotations).filter(([name]) => !TELLING.has(name));
  return { ...metadata, annotations: Object.fromEntries(kept) };
};

const hiddenValues = (values: unknown, hide: (value: unknown) => string): unknown =>
  isPlainObject(values)
    ? Object.fromEntries(Object.entries(values).map(([name, value]) => [name, value === null ? null : hide(value)]))
    : hide(values);

/**
 * Returns a copy of a Secret without its values. `hide` replaces each value, except for `null`, which removes a value in a patch.
 * Annotations that contain the values or a hash of them are removed. Other objects are returned unchanged.
 *
 * @param hide - returns the replacement of a value; by default {@link HIDDEN}
 */
export const withoutSecretValues = <O extends object>(
  object: O,
  hide: (value: unknown) => string = () => HIDDEN,
): O => {
  const members = object as JsonObject;
  if (!isSecret(members)) return object;
  const { metadata } = members;
  const hidden = SECRET_MEMBERS.filter((name) => members[name] !== undefined);
  return {
    ...object,
    ...(isPlainObject(metadata) && { metadata: quietMetadata(metadata) }),
    ...Object.fromEntries(hidden.map((name) => [name, hiddenValues(members[name], hide)])),
  };
};
