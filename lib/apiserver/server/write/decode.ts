import type { ServerObject } from '#lib/apiserver/machinery/object.ts';
import type { RequestOptions, ServerRequest } from '#lib/apiserver/machinery/request.ts';
import { badRequest, StatusError } from '#lib/apiserver/machinery/status.ts';
import { goJson, jsonTypeOf } from '#lib/apiserver/machinery/text/go-text.ts';
import { isPlainObject, type JsonObject } from '#lib/json.ts';
import { groupVersion, type Target, withMetadata } from '../target.ts';
import { DecodeError, UnrecognizedError } from './decode-error.ts';

/** A body, decoded by its kind. */
export interface DecodedBody {
  readonly object: JsonObject;
  /** Fields that the kind does not have, for the error `strict decoding error`. */
  readonly unknownFields: readonly string[];
}

const NOT_AN_OBJECT =
  'Go value of type struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }';

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

const checkBuiltinKind = (
  { kind, apiVersion }: Target,
  said: { readonly apiVersion: string; readonly kind: string },
): void => {
  if (said.kind === kind.kind && said.apiVersion === apiVersion) return;
  throw new DecodeError(`no kind "${said.kind}" is registered for version "${said.apiVersion}" ${registered}`);
};

const stringIn = (body: JsonObject, name: string): string => {
  const value = body[name];
  if (value === undefined || value === null) return '';
  if (typeof value === 'string') return value;
  throw new DecodeError(
    `couldn't get version/kind; json parse error: json: cannot unmarshal ${jsonTypeOf(value)} into Go struct field .${name} of type string`,
  );
};

const typeMetaOf = (target: Target, body: JsonObject): { readonly apiVersion: string; readonly kind: string } => {
  const said = { apiVersion: stringIn(body, 'apiVersion'), kind: stringIn(body, 'kind') };
  if (target.kind.isCustom !== true) {
    const full = { apiVersion: said.apiVersion || target.apiVersion, kind: said.kind || target.kind.kind };
    checkBuiltinKind(target, full);
    return full;
  }
  if (said.kind === '') throw new UnrecognizedError(`Object 'Kind' is missing in '${goJson(body)}'`);
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
  if (!isPlainObject(body)) {
    const why =
      body === undefined
        ? 'unexpected end of JSON input'
        : `json: cannot unmarshal ${jsonTypeOf(body)} into ${NOT_AN_OBJECT}`;
    throw new UnrecognizedError(`couldn't get version/kind; json parse error: ${why}`);
  }
  const { kind, version } = target;
  const typeMeta = typeMetaOf(target, body);
  const { object: read, unknownFields } = decodeByStrategy(target, { ...body, ...typeMeta });
  const complete = withMetadata(read, kind.isCustom === true ? {} : forgottenManagers(body));
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

const handledAs = ({ kind, version }: Target, body: unknown, problem: string): StatusError => {
  const said = isPlainObject(body) ? body : {};
  const name = typeof said['kind'] === 'string' && said['kind'] !== '' ? said['kind'] : kind.kind;
  const apiVersion = typeof said['apiVersion'] === 'string' ? said['apiVersion'] : '';
  const saidVersion = apiVersion === '' ? version.name : apiVersion.slice(apiVersion.indexOf('/') + 1);
  return badRequest(`${name} in version "${saidVersion}" cannot be handled as a ${kind.kind}: ${problem}`);
};

const unrecognized = ({ kind }: Target, body: unknown, why: string): StatusError =>
  badRequest(`the object provided is unrecognized (must be of type ${kind.kind}): ${why} (${summaryOf(body)})`);

/**
 * Decodes the body of a create or an update.
 *
 * @see k8s.io/apiserver v0.36.4 pkg/endpoints/handlers/create.go, rest.go (`transformDecodeError`)
 * @throws {StatusError} 400 for a body that is not an object of the kind and version. With strict validation, also for unknown
 * fields and duplicate members
 */
export const decodeBody = (
  target: Target,
  { body, textProblems = [] }: ServerRequest,
  { fieldValidation }: RequestOptions,
): JsonObject => {
  let decoded: DecodedBody;
  try {
    decoded = decodeObject(target, body);
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    const isUnrecognized = error instanceof UnrecognizedError && fieldValidation !== 'Ignore';
    if (isUnrecognized || !isPlainObject(body)) throw unrecognized(target, body, error.message);
    throw handledAs(target, body, error.message);
  }
  const problems = fieldValidation === 'Strict' ? problemsOf(target, decoded.unknownFields, textProblems) : [];
  if (problems.length > 0) throw handledAs(target, body, strictProblem(problems));
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
