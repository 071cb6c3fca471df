import { jsonTypeOf, unmarshalError } from '#lib/apiserver/machinery/text/go-text.ts';
import { isPlainObject, type JsonObject } from '#lib/json.ts';
import { TypeMetaError } from './decode-error.ts';

/** The kind of a body, as the client wrote it. A member is empty if the body does not have it. */
export interface BodyTypeMeta {
  readonly apiVersion: string;
  readonly kind: string;
}

const NOT_AN_OBJECT =
  'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }';

const textIn = (body: JsonObject, name: string): string => {
  const value = body[name] ?? '';
  if (typeof value === 'string') return value;
  throw new TypeMetaError(unmarshalError(jsonTypeOf(value), { type: 'string', field: `.${name}` }));
};

/**
 * Reads the apiVersion and the kind of a body.
 *
 * @throws {TypeMetaError} when the body is not an object, or a member is not a text
 * @see k8s.io/apimachinery v0.36.4 pkg/runtime/serializer/json/meta.go (`Interpret`)
 */
export const bodyTypeMeta = (body: unknown): BodyTypeMeta => {
  if (body === undefined) throw new TypeMetaError('unexpected end of JSON input');
  if (!isPlainObject(body)) throw new TypeMetaError(unmarshalError(jsonTypeOf(body), { type: NOT_AN_OBJECT }));
  return { apiVersion: textIn(body, 'apiVersion'), kind: textIn(body, 'kind') };
};
