import { invalid, invalidValue } from '#lib/apiserver/machinery/field-error.ts';
import type { ServerObject } from '#lib/apiserver/machinery/object.ts';
import type { ServerRequest, ServerResponse } from '#lib/apiserver/machinery/request.ts';
import { badRequest, conflict, notFound, plainFailure, type StatusError } from '#lib/apiserver/machinery/status.ts';
import { goJson, jsonTypeOf, unmarshalError } from '#lib/apiserver/machinery/text/go-text.ts';
import { decodeObjectMeta } from '#lib/apiserver/schema/decode-object-meta.ts';
import { isPlainObject, type JsonObject } from '#lib/json.ts';
import { tooLarge, unsupportedCustomType, unsupportedMediaType } from '../errors.ts';
import { jsonPatch } from '../patch/json-patch.ts';
import { mergePatch } from '../patch/merge-patch.ts';
import { strategicMergePatch } from '../patch/strategic-merge-patch.ts';
import type { Call } from '../target.ts';
import { decodeObject, strictProblem, unknownFieldProblems } from '../write/decode.ts';
import { DecodeError } from '../write/decode-error.ts';
import { applyBody, type Subresource, trackWrite } from '../write/managed-fields.ts';
import { ensureNamespace } from './create.ts';
import { validatePatchOptions } from './options.ts';
import { checkName, uidIn, updateInStore } from './update.ts';

const MAX_OPERATIONS = 10_000;
const OPERATION_MEMBERS = new Set(['op', 'path', 'from', 'value']);
/** Matches errors of Go types that have decoders of their own, such as times and quantities. */
const READ_BY_ITSELF = /^(?:parsing time|quantities must match)/;

/** A patched document, and the problems of the patch that only strict validation reports. */
interface Patched {
  readonly document: unknown;
  readonly oddities: readonly string[];
}

/** Creates the error of a patch with a result that cannot be decoded. */
export const patchProblem = (document: unknown, problem: string): StatusError =>
  invalid({ group: '', kind: '', name: '' }, [invalidValue('patch', goJson(document), problem)]);

const undecodable = (value: unknown, type: string): StatusError =>
  badRequest(`error decoding patch: ${unmarshalError(jsonTypeOf(value), { type })}`);

const operationsIn = (body: unknown): readonly JsonObject[] => {
  if (!Array.isArray(body)) throw undecodable(body, '[]handlers.jsonPatchOp');
  for (const operation of body) {
    if (!isPlainObject(operation)) throw undecodable(operation, 'handlers.jsonPatchOp');
  }
  if (body.length > MAX_OPERATIONS) {
    throw tooLarge(`The allowed maximum operations in a JSON patch is ${MAX_OPERATIONS}, got ${body.length}`);
  }
  return body as readonly JsonObject[];
};

const applyJsonPatch = (document: JsonObject, { body, textProblems = [] }: ServerRequest): Patched => {
  const operations = operationsIn(body);
  const oddities = operations.flatMap((operation, i) =>
    Object.keys(operation)
      .filter((name) => !OPERATION_MEMBERS.has(name))
      .map((name) => `json patch unknown field "[${i}].${name}"`),
  );
  const said = textProblems.map((problem) => `json patch ${problem}`);
  return { document: jsonPatch(document, operations), oddities: [...oddities, ...said] };
};

const applyMergePatch = (document: JsonObject, { body, textProblems = [] }: ServerRequest): Patched => {
  if (body === null) throw badRequest('Invalid JSON Patch');
  if (!isPlainObject(body)) throw undecodable(body, 'map[string]interface {}');
  return { document: mergePatch(document, body), oddities: textProblems };
};

const decodePatched = ({ target, options }: Call, { document, oddities }: Patched): JsonObject => {
  try {
    const { object, unknownFields } = decodeObject(target, document);
    if (options.fieldValidation !== 'Strict') return object;
    const problems = [...oddities, ...unknownFieldProblems(unknownFields)];
    if (problems.length > 0) throw new DecodeError(strictProblem(problems));
    return object;
  } catch (error) {
    throw error instanceof DecodeError ? patchProblem(document, error.message) : error;
  }
};

const applyStrategicPatch = ({ target, request }: Call, document: JsonObject): Patched => {
  const { body, textProblems = [] } = request;
  if (!isPlainObject(body)) {
    throw badRequest(unmarshalError(jsonTypeOf(body), { type: 'map[string]interface {}' }));
  }
  return { document: strategicMergePatch(document, body, target.version.schema), oddities: textProblems };
};

const applyPatch = (call: Call, document: JsonObject): Patched => {
  const { request } = call;
  if (request.patchType === 'strategic') return applyStrategicPatch(call, document);
  return request.patchType === 'json' ? applyJsonPatch(document, request) : applyMergePatch(document, request);
};

/** Applies a patch of any type except server-side apply to a document. @throws {StatusError} 400, 413, 422 or 500 */
export const patchDocument = (call: Call, document: JsonObject): unknown => applyPatch(call, document).document;

/** Throws for duplicate members in the configuration of a strict apply. Conflicts of the apply are reported first. */
const checkText = ({ request: { textProblems = [] }, options }: Call): void => {
  const [problem] = options.fieldValidation === 'Strict' ? textProblems : [];
  if (problem !== undefined) throw badRequest(`error strict decoding YAML: error converting YAML to JSON: ${problem}`);
};

const compute = (call: Call, live: ServerObject | undefined, subresource: Subresource): JsonObject => {
  const { target, request } = call;
  if (request.patchType === 'apply') {
    const merged = applyBody(call, configurationIn(request.body), { live, subresource });
    checkText(call);
    return merged === live ? live : convertApplied(call, merged);
  }
  if (live === undefined) throw notFound(target.subject);
  const object = decodePatched(call, applyPatch(call, live));
  return trackWrite(call, object, { live, subresource });
};

const textIn = (object: JsonObject, name: string): string => {
  const { metadata } = object;
  const text = isPlainObject(metadata) ? metadata[name] : undefined;
  return typeof text === 'string' ? text : '';
};

/** Drops a malformed creation time. The server sets the creation time later. */
const withReadableTime = (metadata: unknown): unknown => {
  if (!isPlainObject(metadata)) return metadata;
  const { creationTimestamp, ...rest } = metadata;
  return typeof creationTimestamp === 'string' && Number.isNaN(Date.parse(creationTimestamp)) ? rest : metadata;
};

/** Decodes the metadata. The decoder drops empty members. */
const withPlainMetadata = (object: JsonObject): JsonObject => {
  const decoded = decodeObjectMeta(withReadableTime(object['metadata']));
  if ('problem' in decoded) throw plainFailure(decoded.problem);
  return { ...object, metadata: decoded.metadata };
};

/** Decodes the result of an apply. For a custom resource, only the metadata is decoded, and nulls elsewhere stay. */
const convertApplied = ({ target, request }: Call, merged: JsonObject): JsonObject => {
  const { kind, version, apiVersion } = target;
  if (kind.isCustom === true) {
    return kind.strategy.setDefaults(withPlainMetadata(merged) as unknown as ServerObject, version);
  }
  try {
    return decodeObject(target, merged).object;
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    const type = `${kind.group === '' ? '/' : ''}${apiVersion}, Kind=${kind.kind}`;
    const configuration = configurationIn(request.body);
    const object = `${textIn(configuration, 'namespace')}/${textIn(configuration, 'name')}; ${type}`;
    const why = `${READ_BY_ITSELF.test(error.message) ? '' : 'error decoding from json: '}${error.message}`;
    throw plainFailure(
      `failed to convert new object (${object}) to proper version: unable to convert unstructured object to ${type}: ${why}`,
    );
  }
};

/** Reads the configuration of a server-side apply. @throws {StatusError} 400 */
export const configurationIn = (body: unknown): JsonObject => {
  if (isPlainObject(body)) return body;
  const problem = unmarshalError(jsonTypeOf(body), { type: 'map[string]interface {}' });
  throw badRequest(`error decoding YAML: error unmarshaling JSON: while decoding JSON: ${problem}`);
};

const checkPatched = ({ target }: Call, object: JsonObject, live: ServerObject | undefined): JsonObject => {
  const uid = uidIn(object);
  if (live === undefined && uid !== undefined) {
    const why = `uid mismatch: the provided object specified uid ${uid}, and no existing object was found`;
    throw conflict(target.subject, why);
  }
  const placed = ensureNamespace(object, target.namespace);
  checkName(placed, target);
  return placed;
};

/** Refuses unsupported patch types. @throws {StatusError} 415 */
export const checkPatchType = ({ target, request }: Call): void => {
  const { patchType } = request;
  const isCustom = target.kind.isCustom === true;
  if (isCustom && (patchType === undefined || patchType === 'strategic')) throw unsupportedCustomType();
  if (patchType === undefined) throw unsupportedMediaType();
};

/** Handles a patch request. @see k8s.io/apiserver v0.36.4 pkg/endpoints/handlers/patch.go */
export const handlePatch = (call: Call, subresource: '' | 'status'): ServerResponse => {
  checkPatchType(call);
  validatePatchOptions(call.request);
  return updateInStore(call, {
    subresource,
    allowsCreate: call.request.patchType === 'apply',
    compute: (live) => checkPatched(call, compute(call, live, subresource), live),
  });
};
