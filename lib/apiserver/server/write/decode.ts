import type { ServerObject } from '#lib/apiserver/machinery/object.ts';
import type { RequestOptions, ServerRequest } from '#lib/apiserver/machinery/request.ts';
import { badRequest, StatusError } from '#lib/apiserver/machinery/status.ts';
import { goJson } from '#lib/apiserver/machinery/text/go-text.ts';
import { isPlainObject, type JsonObject } from '#lib/json.ts';
import { groupVersion, type Target, withMetadata } from '../target.ts';
import { DecodeError, MissingKindError, TypeMetaError } from './decode-error.ts';
import { type BodyTypeMeta, bodyTypeMeta } from './type-meta.ts';

/** A body, decoded by its kind. */
export interface DecodedBody {
  readonly object: JsonObject;
  /** Fields that the kind does not have, for the error `strict decoding error`. */
  readonly unknownFields: readonly string[];
}

/**
 * The summary of a body for the error of a malformed body.
 *
 * @see k8s.io/apiserver v0.36.4 pkg/endpoints/handlers/rest.go (`summarizeData`)
 */
const summaryOf = (body: unknown): string => {
  if (body === undefined) return '<empty>';
  const text = goJson(body);
  const shown = text.startsWith('{') ? text.slice(0, 30) : Buffer.from(text).toString('hex', 0, 30);
  return Buffer.byteLength(text) > 30 ? `${shown} ...` : shown;
};

const registered = 'in scheme "pkg/runtime/scheme.go:111"';

const checkBuiltinKind = ({ kind, apiVersion }: Target, said: BodyTypeMeta): void => {
  if (said.kind === kind.kind && said.apiVersion === apiVersion) return;
  throw new DecodeError(`no kind "${said.kind}" is registered for version "${said.apiVersion}" ${registered}`);
};

const typeMetaOf = (target: Target, body: unknown): BodyTypeMeta => {
  const said = bodyTypeMeta(body);
  if (target.kind.isCustom !== true) {
    const full = { apiVersion: said.apiVersion || target.apiVersion, kind: said.kind || target.kind.kind };
    checkBuiltinKind(target, full);
    return full;
  }
  if (said.kind === '') throw new MissingKindError(`Object 'Kind' is missing in '${goJson(body)}'`);
  return said;
};

const CANNOT_BE_HANDLED = /^\S* in version "[^"]*" cannot be handled as a \S+: /;

/**
 * Converts the error of a kind's decoder. Drops the prefix of the message, because the caller adds a prefix that fits the
 * request.
 */
const strategyProblem = (error: unknown): unknown => {
  if (!(error instanceof StatusError) || error.status.code !== 400) return error;
  return new DecodeError((error.status.message ?? '').replace(CANNOT_BE_HANDLED, ''));
};

const decodeByStrategy = ({ kind, version }: Target, body: JsonObject): DecodedBody => {
  try {
    return kind.strategy.decode(body, version);
  } catch (error) {
    throw strategyProblem(error);
  }
};

/** Keeps an empty list of managed fields, which requests the removal of all managers. The decoders would drop an empty list. */
const forgottenManagers = ({ metadata }: JsonObject): JsonObject => {
  const managedFields = isPlainObject(metadata) ? metadata['managedFields'] : undefined;
  return Array.isArray(managedFields) && managedFields.length === 0 ? { managedFields } : {};
};

/**
 * Decodes an object of the target's kind: drops and lists unknown fields, fills in defaults, and adds the metadata if it is
 * absent.
 *
 * @throws {DecodeError} when the body is not an object of the kind
 * @throws {StatusError} 501 for a field that this server does not support
 */
export const decodeObject = (target: Target, body: unknown): DecodedBody => {
  const { kind, version } = target;
  const typeMeta = typeMetaOf(target, body);
  const given = { ...(body as JsonObject), ...typeMeta };
  const { object: read, unknownFields } = decodeByStrategy(target, given);
  const complete = withMetadata(read, kind.isCustom === true ? {} : forgottenManagers(given));
  const object = kind.strategy.setDefaults(complete as unknown as ServerObject, version);
  return { object, unknownFields };
};

/** Returns a message for each unknown field, such as `unknown field "spec.x"`. */
export const unknownFieldProblems = (unknownFields: readonly string[]): readonly string[] =>
  unknownFields.map((field) => `unknown field "${field}"`);

/** Returns the message `strict decoding error: <problem>, <problem>`. */
export const strictProblem = (problems: readonly string[]): string => `strict decoding error: ${problems.join(', ')}`;

/**
 * Returns the problems that strict validation reports. For a custom resource, problems of the text come first, because the real
 * server decodes JSON before it compares with the schema.
 */
const problemsOf = (
  { kind }: Target,
  unknownFields: readonly string[],
  textProblems: readonly string[],
): readonly string[] =>
  kind.isCustom === true
    ? [...textProblems, ...unknownFieldProblems(unknownFields.toSorted())]
    : [...unknownFieldProblems(unknownFields), ...textProblems];

/** The type to which a body is decoded. */
interface WantedType {
  readonly kind: string;
  /** The version without the group. */
  readonly version: string;
}

const handledAs = (wanted: WantedType, body: unknown, problem: string): StatusError => {
  const { kind, apiVersion } = bodyTypeMeta(body);
  const version = apiVersion === '' ? wanted.version : apiVersion.slice(apiVersion.indexOf('/') + 1);
  return badRequest(`${kind || wanted.kind} in version "${version}" cannot be handled as a ${wanted.kind}: ${problem}`);
};

/**
 * Creates the error 400 for a body that cannot be decoded.
 *
 * @see k8s.io/apiserver v0.36.4 pkg/endpoints/handlers/rest.go (`transformDecodeError`)
 */
export const undecodableBody = (wanted: WantedType, body: unknown, error: DecodeError): StatusError =>
  error instanceof TypeMetaError || error instanceof MissingKindError
    ? badRequest(
        `the object provided is unrecognized (must be of type ${wanted.kind}): ${error.message} (${summaryOf(body)})`,
      )
    : handledAs(wanted, body, error.message);

/**
 * Decodes the body of a create or an update.
 *
 * @see k8s.io/apiserver v0.36.4 pkg/endpoints/handlers/create.go
 * @throws {StatusError} 400 for a body that is not an object of the kind and version. With strict validation, also for unknown
 * fields and duplicate members
 */
export const decodeBody = (
  target: Target,
  { body, textProblems = [] }: ServerRequest,
  { fieldValidation }: RequestOptions,
): JsonObject => {
  const wanted = { kind: target.kind.kind, version: target.version.name };
  let decoded: DecodedBody;
  try {
    decoded = decodeObject(target, body);
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    const isHandled = error instanceof MissingKindError && fieldValidation === 'Ignore';
    throw isHandled ? handledAs(wanted, body, error.message) : undecodableBody(wanted, body, error);
  }
  const problems = fieldValidation === 'Strict' ? problemsOf(target, decoded.unknownFields, textProblems) : [];
  if (problems.length > 0) throw handledAs(wanted, body, strictProblem(problems));
  checkApiVersion(target, decoded.object);
  return decoded.object;
};

/** Checks the apiVersion of a decoded body, because the decoder of custom resources accepts any apiVersion. */
const checkApiVersion = ({ kind, version }: Target, object: JsonObject): void => {
  const expected = groupVersion(kind, version);
  const { apiVersion = '' } = object as { readonly apiVersion?: string };
  if (apiVersion === expected) return;
  throw badRequest(`the API version in the data (${apiVersion}) does not match the expected API version (${expected})`);
};
