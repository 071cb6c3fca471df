import { type ReplicasPaths, toParentManagers, toScaleManagers } from '#lib/apiserver/apply/scale-managers.ts';
import { invalid, invalidValue } from '#lib/apiserver/machinery/field-error.ts';
import type { ManagedFieldsEntry, ServerObject } from '#lib/apiserver/machinery/object.ts';
import type { ServerResponse } from '#lib/apiserver/machinery/request.ts';
import type { ScaleSubresource } from '#lib/apiserver/machinery/served-kind.ts';
import { badRequest, notFound, plainFailure, type StatusError } from '#lib/apiserver/machinery/status.ts';
import { jsonTypeOf, unmarshalError } from '#lib/apiserver/machinery/text/go-text.ts';
import { decodeObjectMeta } from '#lib/apiserver/schema/decode-object-meta.ts';
import { isPlainObject, type JsonObject } from '#lib/json.ts';
import { internalFailure } from '../errors.ts';
import { type Call, groupVersion, withMetadata } from '../target.ts';
import { ensureNamespace } from '../verbs/create.ts';
import { liveObject } from '../verbs/get.ts';
import { validatePatchOptions, validateWriteOptions } from '../verbs/options.ts';
import { checkPatchType, configurationIn, patchDocument, patchProblem } from '../verbs/patch.ts';
import { checkName, uidIn, updateInStore } from '../verbs/update.ts';
import { undecodableBody } from '../write/decode.ts';
import { DecodeError } from '../write/decode-error.ts';
import { applyScale, trackScale } from '../write/managed-fields.ts';
import { bodyTypeMeta } from '../write/type-meta.ts';
import { replicasPath, scaleOf, specReplicas, withReplicas } from './scale-object.ts';

const INT32_LIMIT = 2 ** 31;

/** The number that represents absent replicas, as on the real server. */
const UNSET = -INT32_LIMIT;

const scaleIn = (call: Call): ScaleSubresource => {
  const { scale } = call.target.version;
  if (scale === undefined) throw notFound(call.target.subject);
  return scale;
};

const isCustom = ({ target }: Call): boolean => target.kind.isCustom === true;

const undecodable = (call: Call, error: DecodeError): StatusError =>
  isCustom(call)
    ? badRequest('no kind is registered for the type v1.Scale in scheme "pkg/runtime/scheme.go:111"')
    : undecodableBody({ kind: 'Scale', version: 'v1' }, call.request.body, error);

const isInt32 = (value: unknown): value is number =>
  typeof value === 'number' && Number.isInteger(value) && value >= -INT32_LIMIT && value < INT32_LIMIT;

/** Decodes a `Scale`. @throws {DecodeError} */
const readScale = (body: unknown): JsonObject => {
  const said = bodyTypeMeta(body);
  const { kind, apiVersion } = { kind: said.kind || 'Scale', apiVersion: said.apiVersion || 'autoscaling/v1' };
  if (kind !== 'Scale' || apiVersion !== 'autoscaling/v1') {
    throw new DecodeError(
      `no kind "${kind}" is registered for version "${apiVersion}" in scheme "pkg/runtime/scheme.go:111"`,
    );
  }
  const { metadata, spec } = body as JsonObject;
  const meta = decodeObjectMeta(metadata);
  if ('problem' in meta) throw new DecodeError(meta.problem);
  const replicas = (isPlainObject(spec) ? spec['replicas'] : undefined) ?? 0;
  if (!isInt32(replicas)) {
    const what = typeof replicas === 'number' ? `number ${replicas}` : jsonTypeOf(replicas);
    throw new DecodeError(unmarshalError(what, { type: 'int32', field: 'ScaleSpec.spec.replicas' }));
  }
  // Go does not write the number zero, so a field with zero replicas has no owner.
  return { kind, apiVersion, metadata: meta.metadata, spec: replicas === 0 ? {} : { replicas } };
};

/** Decodes a `Scale`. Throws the error that `refusal` returns for a `Scale` that cannot be decoded. */
const decodeScale = (body: unknown, refusal: (error: DecodeError) => StatusError): JsonObject => {
  try {
    return readScale(body);
  } catch (error) {
    throw error instanceof DecodeError ? refusal(error) : error;
  }
};

const replicasIn = (scale: JsonObject): number => {
  const { spec } = scale;
  const { replicas = 0 } = isPlainObject(spec) ? spec : {};
  // The real server converts the number of an apply to an int32 without a check of its range.
  return typeof replicas === 'number' ? replicas | 0 : 0;
};

const pathsOf = ({ target: { kind } }: Call): ReplicasPaths =>
  Object.fromEntries(
    kind.versions.map((version) => [
      groupVersion(kind, version),
      version.scale === undefined ? undefined : replicasPath(version.scale),
    ]),
  );

/** @see k8s.io/kubernetes v1.36.4 pkg/apis/autoscaling/validation/validation.go (`ValidateScale`) */
const validateScale = (call: Call, replicas: number): void => {
  if (isCustom(call) || replicas >= 0) return;
  throw invalid({ group: 'autoscaling', kind: 'Scale', name: call.target.name }, [
    invalidValue('spec.replicas', replicas, 'must be greater than or equal to 0'),
  ]);
};

/** The managed fields of the scaled object after a change of its `Scale`. */
const managersOf = (call: Call, scale: JsonObject, live: ServerObject): readonly ManagedFieldsEntry[] | undefined => {
  const { managedFields } = scale['metadata'] as { readonly managedFields?: readonly ManagedFieldsEntry[] };
  return toParentManagers({
    parent: live.metadata.managedFields,
    scale: managedFields,
    apiVersion: call.target.apiVersion,
    paths: pathsOf(call),
  });
};

/** Applies `change` to the `Scale` of an object, and returns the object with the new replicas and managed fields. */
const scaled = (call: Call, live: ServerObject, change: (scale: JsonObject) => JsonObject): JsonObject => {
  const subresource = scaleIn(call);
  const managedFields = toScaleManagers(live.metadata.managedFields, pathsOf(call));
  const replicas = specReplicas(live, subresource);
  const before = scaleOf(live, subresource, { replicas: replicas ?? UNSET, managedFields });
  const after = change(before);
  const wanted = replicasIn(after);
  if (wanted === UNSET) {
    throw badRequest(`the spec replicas field "${subresource.specReplicasPath}" cannot be empty`);
  }
  validateScale(call, wanted);
  const { resourceVersion = live.metadata.resourceVersion } = after['metadata'] as {
    readonly resourceVersion?: string;
  };
  const parent = withReplicas(live, subresource, wanted);
  return withMetadata(parent, { resourceVersion, managedFields: managersOf(call, after, live) });
};

const checkScale = (call: Call, scale: JsonObject): JsonObject => {
  const placed = ensureNamespace(scale, call.target.namespace);
  checkName(placed, call.target);
  return placed;
};

const answer = (call: Call, { code, body }: ServerResponse): ServerResponse => {
  const subresource = scaleIn(call);
  return { code, body: scaleOf(body as ServerObject, subresource, { replicas: specReplicas(body, subresource) ?? 0 }) };
};

const put = (call: Call): ServerResponse => {
  validateWriteOptions('UpdateOptions', call.options);
  const body = checkScale(
    call,
    decodeScale(call.request.body, (error) => undecodable(call, error)),
  );
  return updateInStore(call, {
    subresource: 'scale',
    uid: uidIn(body),
    compute: (live) => {
      if (live === undefined) throw notFound(call.target.subject);
      return scaled(call, live, (scale) => trackScale(call, body, scale));
    },
  });
};

/** Creates the error of the real server, which cannot convert the `Scale` of a custom resource for a server-side apply. */
const unconvertible = (what: string): StatusError =>
  plainFailure(
    `${what}; autoscaling/v1, Kind=Scale) to proper version: request to convert CR to an invalid group/version: autoscaling/v1`,
  );

const isManaged = ({ metadata }: JsonObject): boolean =>
  isPlainObject(metadata) && metadata['managedFields'] !== undefined;

const patched = (call: Call, scale: JsonObject): JsonObject => {
  if (call.request.patchType === 'apply') {
    // Without managed fields, the real server compares the apply with an empty `Scale`.
    if (isCustom(call) && !isManaged(scale))
      throw unconvertible('failed to create manager for existing fields: failed to convert live object (/');
    const applied = applyScale(call, configurationIn(call.request.body), scale);
    const { namespace, name } = call.target;
    if (isCustom(call)) throw unconvertible(`failed to convert new object (${namespace}/${name}`);
    return checkScale(call, applied);
  }
  const document = patchDocument(call, scale);
  const decoded = decodeScale(document, ({ message }) => patchProblem(document, message));
  return checkScale(call, trackScale(call, decoded, scale));
};

const patch = (call: Call): ServerResponse => {
  checkPatchType(call);
  validatePatchOptions(call.request);
  return updateInStore(call, {
    subresource: 'scale',
    compute: (live) => {
      if (live === undefined) throw notFound(call.target.subject);
      return scaled(call, live, (scale) => patched(call, scale));
    },
  });
};

const get = (call: Call): ServerResponse => {
  const subresource = scaleIn(call);
  const object = liveObject(call);
  const replicas = specReplicas(object, subresource);
  if (replicas === undefined && isCustom(call)) {
    throw internalFailure(`the spec replicas field "${subresource.specReplicasPath}" does not exist`);
  }
  return { code: 200, body: scaleOf(object, subresource, { replicas: replicas ?? 0 }) };
};

/**
 * Handles the subresource `scale`, which reads and writes the replicas of an object as an autoscaling/v1 Scale.
 *
 * @see k8s.io/apiextensions-apiserver v0.36.4 pkg/registry/customresource/etcd.go (`ScaleREST`)
 */
export const handleScale = (call: Call, verb: 'get' | 'update' | 'patch'): ServerResponse => {
  if (verb === 'get') return get(call);
  return answer(call, verb === 'update' ? put(call) : patch(call));
};
