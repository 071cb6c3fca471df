import { type ConversionTools, convertObject, type VersionedObject } from '#lib/conversion/convert.ts';
import { tellable } from '#lib/conversion/error.ts';
import { isPlainObject, type JsonObject } from '#lib/json.ts';
import { groupOf } from '#lib/kind/handles/reference.ts';
import type { KindShape } from '#lib/kind/shape.ts';

const API_VERSION = 'apiextensions.k8s.io/v1';

/** The ConversionReview that the webhook returns. */
export interface ReviewAnswer {
  readonly apiVersion: typeof API_VERSION;
  readonly kind: 'ConversionReview';
  readonly response: {
    readonly uid: string;
    readonly convertedObjects?: readonly object[];
    readonly result: { readonly status: 'Success' } | { readonly status: 'Failure'; readonly message: string };
  };
}

/**
 * The error for a request body that is not a ConversionReview. The response to such a body cannot be a ConversionReview, because
 * that needs the uid of the request.
 */
export class MalformedReviewError extends Error {}

/** The error for a malformed object, and for an object of another kind. The message contains no values of spec and status. */
class ForeignObjectError extends Error {}

const answer = (uid: string, rest: Omit<ReviewAnswer['response'], 'uid'>): ReviewAnswer => ({
  apiVersion: API_VERSION,
  kind: 'ConversionReview',
  response: { uid, ...rest },
});

const requestOf = (body: unknown): { readonly uid: string; readonly request: JsonObject } => {
  const request = isPlainObject(body) && body['kind'] === 'ConversionReview' ? body['request'] : undefined;
  if (!isPlainObject(body) || body['apiVersion'] !== API_VERSION || !isPlainObject(request))
    throw new MalformedReviewError(`expected a ConversionReview of ${API_VERSION} with a request`);
  if (typeof request['uid'] !== 'string') throw new MalformedReviewError('expected request.uid to be a text');
  return { uid: request['uid'], request };
};

const nameOf = (object: unknown): string => {
  const metadata = isPlainObject(object) && isPlainObject(object['metadata']) ? object['metadata'] : {};
  const { namespace, name } = metadata;
  const where = typeof namespace === 'string' && namespace !== '' ? `${namespace}/` : '';
  return typeof name === 'string' ? `${where}${name}` : 'without a name';
};

/** Checks the fields that every object must have. The conversion checks the other fields. */
const readObject = (object: unknown): VersionedObject => {
  if (!isPlainObject(object)) throw new ForeignObjectError('expected an object');
  const { apiVersion, kind, metadata } = object;
  if (typeof apiVersion !== 'string') throw new ForeignObjectError('apiVersion: expected a text');
  if (typeof kind !== 'string') throw new ForeignObjectError('kind: expected a text');
  if (!isPlainObject(metadata)) throw new ForeignObjectError('metadata: expected an object');
  return object as unknown as VersionedObject;
};

const shapeOf = (shapes: readonly KindShape[], { apiVersion, kind }: VersionedObject): KindShape => {
  const shape = shapes.find((each) => each.kind === kind && each.group === groupOf(apiVersion));
  if (shape) return shape;
  throw new ForeignObjectError(`kind: this operator knows no ${kind} of ${apiVersion}`);
};

/** Options of {@link answerReview}. */
export interface ReviewOptions extends ConversionTools {
  /**
   * Calls a conversion of one object; a guard can end a call that does not return.
   *
   * @default calls without a time limit
   */
  readonly guard?: <R>(call: () => R) => R;
}

const MESSAGE_LENGTH = 1000;

/**
 * Answers a ConversionReview: returns all objects in the requested version, or the first error.
 *
 * Guarantees: never throws because of the objects. The error for an object names its kind, its name and, if known, the field, and
 * quotes no values of spec and status. The function is pure.
 *
 * @param shapes - the kinds that have several versions
 * @param body - the parsed request of the API server
 * @param options - the functions for conversions
 * @throws {MalformedReviewError} when the request is not a review
 * @see https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definition-versioning/#webhook-request-and-response
 */
export const answerReview = (
  shapes: readonly KindShape[],
  body: unknown,
  { guard = (call) => call(), ...tools }: ReviewOptions = {},
): ReviewAnswer => {
  const { uid, request } = requestOf(body);
  const { desiredAPIVersion, objects } = request;
  const failure = (message: string): ReviewAnswer =>
    answer(uid, { result: { status: 'Failure', message: message.slice(0, MESSAGE_LENGTH) } });
  if (typeof desiredAPIVersion !== 'string') return failure('request.desiredAPIVersion: expected a text');
  if (!Array.isArray(objects)) return failure('request.objects: expected a list');
  const convertedObjects: object[] = [];
  for (const each of objects as readonly unknown[]) {
    try {
      const object = readObject(each);
      const shape = shapeOf(shapes, object);
      convertedObjects.push(guard(() => convertObject(shape, object, { apiVersion: desiredAPIVersion, ...tools })));
    } catch (error) {
      const kind = isPlainObject(each) && typeof each['kind'] === 'string' ? each['kind'] : 'object';
      const reason = error instanceof ForeignObjectError ? error.message : tellable(error);
      return failure(`cannot convert ${kind} ${nameOf(each)}: ${reason}`);
    }
  }
  return answer(uid, { convertedObjects, result: { status: 'Success' } });
};
