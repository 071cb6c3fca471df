import { type FieldError, forbiddenField, notSupported } from '#lib/apiserver/machinery/field-error.ts';
import type { ServerObject } from '#lib/apiserver/machinery/object.ts';
import type { RequestOptions, ServerResponse } from '#lib/apiserver/machinery/request.ts';
import { isEvents } from '#lib/apiserver/machinery/resources.ts';
import { badRequest, expired, StatusError } from '#lib/apiserver/machinery/status.ts';
import type { JsonObject } from '#lib/json.ts';
import { badVersion, checkOptions, parseResourceVersion, tooLargeResourceVersion } from '../errors.ts';
import { type ObjectSelection, selectionOf } from '../selectors/selection.ts';
import { freeze } from '../store/frozen.ts';
import type { Call, Target } from '../target.ts';
import { present } from '../versions.ts';
import { type Continuation, continueAfter, decode, encode } from './continue-token.ts';

const MATCHES = ['Exact', 'NotOlderThan', ''];
const MATCH = 'resourceVersionMatch';

/** @see k8s.io/apimachinery v0.36.4 pkg/apis/meta/internalversion/validation/validation.go */
const validate = ({
  resourceVersionMatch: match = '',
  resourceVersion = '',
  continue: token = '',
}: RequestOptions): void => {
  if (match === '') return;
  const errors: FieldError[] = [];
  if (resourceVersion === '') {
    errors.push(forbiddenField(MATCH, `${MATCH} is forbidden unless resourceVersion is provided`));
  }
  if (token !== '') errors.push(forbiddenField(MATCH, `${MATCH} is forbidden when continue is provided`));
  if (!MATCHES.includes(match)) errors.push(notSupported(MATCH, match, MATCHES));
  if (match === 'Exact' && resourceVersion === '0') {
    errors.push(forbiddenField(MATCH, `${MATCH} "exact" is forbidden for resourceVersion "0"`));
  }
  checkOptions('ListOptions', errors);
};

const SINCE_TOO_OLD = 'The resourceVersion for the provided list is too old.';
const TOKEN_TOO_OLD =
  'The provided continue parameter is too old to display a consistent list result. You can start a new list without ' +
  'the continue parameter, or use the continue token in this response to retrieve the remainder of the results. ' +
  'Continuing with the provided token results in an inconsistent list - objects that were created, modified, or ' +
  'deleted between the time the first chunk was returned and now may show up in the list.';

/** The state from which a list is taken, and the start of the page. */
interface Range {
  /** The version of the state; absent for the latest state. */
  readonly exactVersion?: number;
  /** The minimum version. If the version of the server is lower, the list fails. */
  readonly minimumVersion: number;
  readonly continuation?: Continuation;
  /** Maximum number of objects in the page; 0 for no limit. */
  readonly limit: number;
  /** The only name that the selectors allow, in a known namespace. With such a name, the list works like a get. */
  readonly singleName?: string | undefined;
}

const continuedRange = (
  token: string,
  { resourceVersion = '', limit }: { resourceVersion?: string | undefined; limit: number },
): Range => {
  const continuation = decode(token);
  if (resourceVersion !== '' && resourceVersion !== '0') {
    throw badRequest('specifying resource version is not allowed when using continue');
  }
  const { version } = continuation;
  return { continuation, minimumVersion: 0, limit, ...(version > 0 && { exactVersion: version }) };
};

/**
 * @see k8s.io/apiserver v0.36.4 pkg/storage/interfaces.go (`ValidateListOptions`), pkg/storage/cacher/delegator/interface.go
 */
const rangeOf = (
  options: RequestOptions,
  { singleName, isCached }: { readonly singleName: string | undefined; readonly isCached: boolean },
): Range => {
  const { resourceVersion = '', resourceVersionMatch = '', continue: token = '' } = options;
  const given = Math.max(0, options.limit ?? 0);
  // For the version 0, the watch cache returns all objects. It has no events, see k8s.io/kubernetes v1.36.4
  // pkg/kubeapiserver/default_storage_factory_builder.go (`DefaultWatchCacheSizes`).
  const limit = resourceVersion === '0' && isCached ? 0 : given;
  if (token !== '') return continuedRange(token, { resourceVersion, limit: given });
  const version = parseResourceVersion(resourceVersion, badVersion(resourceVersion));
  const isExact =
    resourceVersionMatch === 'Exact' ||
    (resourceVersionMatch === '' && limit > 0 && version > 0 && singleName === undefined);
  return { minimumVersion: version, limit, singleName, ...(isExact && { exactVersion: version }) };
};

const expiredToken = ({ start }: Continuation): StatusError => {
  const { status } = expired(TOKEN_TOO_OLD);
  return new StatusError({ ...status, metadata: { continue: encode({ version: -1, start }) } });
};

interface Snapshot {
  readonly objects: readonly ServerObject[];
  readonly version: number;
}

const snapshotOf = ({ server: { store }, target }: Call, range: Range): Snapshot => {
  const { exactVersion, minimumVersion, continuation } = range;
  const { resource } = target.collection;
  const inNamespace = target.kind.scope === 'Namespaced' && target.namespace !== '' ? target.namespace : undefined;
  if (Math.max(exactVersion ?? 0, minimumVersion) > store.version) {
    throw tooLargeResourceVersion(Math.max(exactVersion ?? 0, minimumVersion), store.version);
  }
  if (exactVersion === undefined || exactVersion === store.version) {
    return { objects: store.objects(resource, inNamespace), version: store.version };
  }
  const then = store.objectsAt(resource, exactVersion);
  if (then === undefined) throw continuation ? expiredToken(continuation) : expired(SINCE_TOO_OLD);
  const objects = inNamespace === undefined ? then : then.filter(({ metadata }) => metadata.namespace === inNamespace);
  return { objects, version: exactVersion };
};

/**
 * Returns the part of an object's key that the URL of the list does not contain: the name and, in a list of all namespaces, the
 * namespace.
 */
const keyIn = ({ namespace }: Target, { metadata }: ServerObject): string =>
  namespace === '' && metadata.namespace !== undefined ? `${metadata.namespace}/${metadata.name}` : metadata.name;

interface Page {
  readonly items: readonly ServerObject[];
  readonly version: number;
  readonly token: string;
  readonly remaining?: number;
}

/** Returns the objects to which the selectors apply: those from the start of the page, or the only object that can match. */
const candidatesOf = (
  target: Target,
  objects: readonly ServerObject[],
  { continuation, singleName }: Range,
): readonly ServerObject[] => {
  if (singleName !== undefined) return objects.filter(({ metadata }) => metadata.name === singleName);
  if (continuation === undefined) return objects;
  return objects.filter((object) => `/${keyIn(target, object)}` >= continuation.start);
};

/** @see k8s.io/apiserver v0.36.4 pkg/storage/cacher/cacher.go (`GetList`) */
const pageOf = (call: Call, range: Range, selection: ObjectSelection): Page => {
  const { target } = call;
  const { objects, version } = snapshotOf(call, range);
  const { limit } = range;
  const candidates = candidatesOf(target, objects, range);
  if (limit === 0) {
    const shown = candidates.map((object) => present(object, target));
    return {
      items: selection.isEmpty ? shown : shown.filter((object) => selection.matches(object)),
      version,
      token: '',
    };
  }
  const items: ServerObject[] = [];
  for (const [i, candidate] of candidates.entries()) {
    const object = present(candidate, target);
    if (selection.matches(object)) items.push(object);
    if (items.length < limit) continue;
    if (i === candidates.length - 1) break;
    const token = continueAfter(keyIn(target, object), version);
    return { items, version, token, ...(selection.isEmpty && { remaining: candidates.length - limit }) };
  }
  return { items, version, token: '' };
};

const bare = new WeakMap<ServerObject, JsonObject>();

/** Removes apiVersion and kind, because items in lists of built-in kinds do not have these members. */
const withoutTypeMeta = (object: ServerObject): JsonObject => {
  let item = bare.get(object);
  if (item === undefined) {
    const { apiVersion: _, kind: __, ...rest } = object;
    item = freeze(rest as JsonObject);
    bare.set(object, item);
  }
  return item;
};

const listBody = ({ target: { kind, apiVersion } }: Call, { items, version, token, remaining }: Page): JsonObject => {
  const isCustom = kind.isCustom === true;
  return {
    kind: kind.listKind,
    apiVersion,
    metadata: {
      ...((isCustom || token !== '') && { continue: token }),
      ...(remaining !== undefined && { remainingItemCount: remaining }),
      resourceVersion: String(version),
    },
    items: isCustom ? items : items.map(withoutTypeMeta),
  };
};

/** The response to a list request, and the objects in the list. */
export interface ListAnswer {
  readonly body: JsonObject;
  readonly items: readonly ServerObject[];
}

/** Lists the objects that a request selects. @throws {StatusError} 400, 410, 422 or 504 */
export const listObjects = (call: Call): ListAnswer => {
  const { target, options } = call;
  const selection = selectionOf(target, options, () => validate(options));
  const isPlaced = target.kind.scope === 'Cluster' || target.namespace !== '';
  const singleName = isPlaced && (options.continue ?? '') === '' ? selection.name : undefined;
  const page = pageOf(call, rangeOf(options, { singleName, isCached: !isEvents(target.kind) }), selection);
  return { body: listBody(call, page), items: page.items };
};

/** Handles a list request. @see k8s.io/apiserver v0.36.4 pkg/endpoints/handlers/get.go (`ListResource`) */
export const handleList = (call: Call): ServerResponse => ({ code: 200, body: listObjects(call).body });
