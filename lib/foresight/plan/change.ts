import type { ServerRequest } from '#lib/apiserver/machinery/request.ts';
import type { ApiServer } from '#lib/apiserver/machinery/server.ts';
import { ForesightError } from '#lib/errors.ts';
import { type Catalogue, type CataloguedKind, catalogueOf } from '#lib/foresight/cluster/catalogue.ts';
import { type LiveObject, nameInWords, type ObjectName } from '#lib/foresight/cluster/live-object.ts';
import { type RecordedWrite, recordWrite } from '#lib/foresight/cluster/recorded-write.ts';
import { isPlainObject, type JsonObject } from '#lib/json.ts';
import { tryNearest } from '#lib/kind/value/suggestion.ts';
import { LAST_APPLIED } from '#lib/plan/secret.ts';
import { type FieldChange, fieldChanges } from './field-changes.ts';
import { type Refused, refusedBy } from './refused.ts';
import { appliedPatch, mergedPatches } from './three-way.ts';

/**
 * A change to plan. `apply` corresponds to `kubectl apply -f`, and `delete` to `kubectl delete -f`. `status` replaces fields of
 * the status, as a kubelet or another controller does.
 */
export interface PlannedChange {
  readonly verb: 'apply' | 'delete' | 'status';
  readonly object: LiveObject;
  /** The position of the manifest, such as `web.yaml:3`, for errors. @default unknown */
  readonly where?: string;
}

/** The result of a change by a user in the virtual API server. */
export interface ChangeResult extends ObjectName {
  readonly outcome: 'created' | 'configured' | 'unchanged' | 'deleted' | 'refused';
  readonly fields: readonly FieldChange[];
  /** The refusal; present when the outcome is `refused`. */
  readonly refused?: Refused;
}

const FIELD_MANAGER = 'kubectl-client-side-apply';

/** Returns a manifest without managed fields, which a client must not send. */
const sent = (object: LiveObject): LiveObject => {
  const { managedFields: _, ...metadata } = object.metadata;
  return { ...object, metadata };
};

const bare = (object: LiveObject): LiveObject => {
  const { [LAST_APPLIED]: _, ...annotations } = object.metadata.annotations ?? {};
  return { ...object, metadata: { ...object.metadata, annotations } };
};

/** The annotation that records a manifest. @param manifest - without the annotation */
const lastAppliedOf = (manifest: LiveObject): Readonly<Record<string, string>> => ({
  [LAST_APPLIED]: `${JSON.stringify(manifest)}\n`,
});

const withLastApplied = (manifest: LiveObject): LiveObject => {
  const annotations = { ...manifest.metadata.annotations, ...lastAppliedOf(manifest) };
  return { ...manifest, metadata: { ...manifest.metadata, annotations } };
};

/** A request of `kubectl apply`. */
export interface ApplyRequest {
  readonly verb: 'create' | 'patch';
  /** The object to create, or the merge patch. */
  readonly body: JsonObject;
}

/**
 * The request with which `kubectl apply` would apply a manifest; `undefined` if the live object already has all fields of the
 * manifest.
 *
 * @param live - the live object; `undefined` if it does not exist
 * @param options - `isRecorded`: whether a patch also records the manifest as the last applied configuration. @default false
 */
export const applyRequest = (
  object: LiveObject,
  live: JsonObject | undefined,
  { isRecorded = false }: { readonly isRecorded?: boolean } = {},
): ApplyRequest | undefined => {
  const manifest = bare(sent(object));
  if (live === undefined) return { verb: 'create', body: withLastApplied(manifest) };
  const body = appliedPatch(live, manifest);
  if (body === undefined || !isRecorded) return body && { verb: 'patch', body };
  return { verb: 'patch', body: mergedPatches(body, { metadata: { annotations: lastAppliedOf(manifest) } }) };
};

interface Place {
  readonly name: ObjectName;
  readonly target: Pick<ServerRequest, 'resource' | 'namespace' | 'name'>;
}

const placeOf = (
  { apiVersion, kind, metadata }: LiveObject,
  { resource, isNamespaced, otherwise }: CataloguedKind & { readonly otherwise: string },
): Place => {
  const namespace = isNamespaced ? (metadata.namespace ?? otherwise) : '';
  const where = namespace === '' ? {} : { namespace };
  return {
    name: { apiVersion, kind, namespace, name: metadata.name },
    target: { resource, ...where, name: metadata.name },
  };
};

const FIRST_ERROR_CODE = 400;

const storedAt = (server: ApiServer, target: Place['target']): JsonObject | undefined => {
  const { code, body } = server.handle({ verb: 'get', ...target });
  return code < FIRST_ERROR_CODE ? body : undefined;
};

const options = { fieldManager: FIELD_MANAGER, fieldValidation: 'Strict' } as const;

/** Returns the request of a change; `undefined` for an `apply` that would change nothing. */
const requestOf = (
  { verb, object }: PlannedChange,
  { target }: Place,
  live: JsonObject | undefined,
): ServerRequest | undefined => {
  if (verb === 'delete')
    return { verb, ...target, body: { kind: 'DeleteOptions', apiVersion: 'v1', propagationPolicy: 'Background' } };
  if (verb === 'status') {
    const body = { status: isPlainObject(object['status']) ? object['status'] : {} };
    return {
      verb: 'patch',
      ...target,
      subresource: 'status',
      patchType: 'merge',
      options: { fieldManager: FIELD_MANAGER },
      body,
    };
  }
  const request = applyRequest(object, live);
  if (request === undefined) return undefined;
  const { name: _, ...place } = target;
  if (request.verb === 'create') return { ...request, ...place, options };
  return { ...request, ...target, patchType: 'merge', options };
};

const outcomeOf = ({ request, isAccepted }: RecordedWrite, fields: readonly FieldChange[]): ChangeResult['outcome'] => {
  if (!isAccepted) return 'refused';
  if (request.verb === 'delete') return 'deleted';
  if (request.verb === 'create') return 'created';
  return fields.length === 0 ? 'unchanged' : 'configured';
};

/** The remedy for a kind that is not served: its other versions, a kind with a similar name, or the allowed kinds. */
const remedyFor = ({ names }: Catalogue, { kind }: LiveObject): string => {
  const versions = names.filter((each) => each.kind === kind).map(({ apiVersion }) => apiVersion);
  if (versions.length > 0) return `${kind} is served in ${versions.join(', ')}: correct apiVersion`;
  const near = tryNearest(
    kind,
    names.map((each) => each.kind),
  );
  const meant = names.find((each) => each.kind === near);
  if (meant) return `did you mean ${meant.kind} of ${meant.apiVersion}?`;
  const own = names.filter(({ isCustom }) => isCustom).map((each) => each.kind);
  return (
    `it serves ${[...new Set(own)].toSorted().join(', ')}, and the built-in kinds of docs/served-kinds.md: ` +
    'name the kind in the config, put its CustomResourceDefinition before the manifest, or leave the manifest out'
  );
};

const found = (catalogue: Catalogue, { object, where }: PlannedChange): CataloguedKind => {
  const { apiVersion, kind, metadata } = object;
  const known = catalogue.find(apiVersion, kind);
  if (known) return known;
  const name = nameInWords({ apiVersion, kind, namespace: metadata.namespace ?? '', name: metadata.name });
  throw new ForesightError(
    `${where === undefined ? '' : `${where}: `}Cannot plan a change of ${name}: ` +
      `the virtual cluster does not serve ${apiVersion} ${kind}; ${remedyFor(catalogue, object)}`,
  );
};

/**
 * Executes one change on the virtual server. If the server refuses the change, the result has the server's message.
 *
 * @param options - `namespace`: namespace of an object without a namespace. @default `default`
 * @throws {ForesightError} for a kind that is not served
 */
export const makeChange = (
  server: ApiServer,
  change: PlannedChange,
  { namespace = 'default' }: { readonly namespace?: string } = {},
): ChangeResult => {
  const place = placeOf(change.object, { ...found(catalogueOf(server), change), otherwise: namespace });
  const request = requestOf(change, place, storedAt(server, place.target));
  if (!request) return { ...place.name, outcome: 'unchanged', fields: [] };
  const write = recordWrite(server, request);
  const fields = write.isAccepted ? fieldChanges(write.before, write.after) : [];
  const outcome = outcomeOf(write, fields);
  return { ...place.name, outcome, fields, ...(outcome === 'refused' && { refused: refusedBy(write, place.name) }) };
};
