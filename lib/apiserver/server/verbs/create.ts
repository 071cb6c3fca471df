import type { ServerObject } from '#lib/apiserver/machinery/object.ts';
import type { ServerResponse } from '#lib/apiserver/machinery/request.ts';
import {
  alreadyExists,
  badRequest,
  failure,
  forbidden,
  plainFailure,
  StatusError,
} from '#lib/apiserver/machinery/status.ts';
import { timestamp } from '#lib/apiserver/machinery/text/timestamp.ts';
import type { JsonObject } from '#lib/json.ts';
import { generatedName, suffixOf, uidOf } from '../store/identity.ts';
import { type Call, type Target, withMetadata } from '../target.ts';
import { admit, mutate } from '../write/admission.ts';
import { commit } from '../write/commit.ts';
import { decodeBody } from '../write/decode.ts';
import { trackWrite } from '../write/managed-fields.ts';
import { dedupOwnerReferences } from '../write/owner-references.ts';
import { validateNew } from '../write/validate.ts';
import { validateWriteOptions } from './options.ts';

/**
 * Number of attempts to find a generated name that does not exist.
 *
 * @see k8s.io/apiserver v0.36.4 pkg/registry/generic/registry/store.go (`maxNameGenerationCreateAttempts`)
 */
const MAX_NAME_ATTEMPTS = 8;

/** Metadata that only the server sets. */
const SYSTEM_FIELDS = {
  creationTimestamp: undefined,
  uid: undefined,
  deletionTimestamp: undefined,
  deletionGracePeriodSeconds: undefined,
  selfLink: undefined,
};

interface Texts {
  readonly name?: string;
  readonly namespace?: string;
  readonly generateName?: string;
}

const textsOf = (object: JsonObject): Texts => object['metadata'] as Texts;

/**
 * Sets the namespace of an object to the namespace of the request; removes it for a cluster-scoped kind.
 *
 * @see k8s.io/apiserver v0.36.4 pkg/registry/rest/meta.go (`EnsureObjectNamespaceMatchesRequestNamespace`)
 * @throws {StatusError} 400 when the object names another namespace
 */
export const ensureNamespace = <O extends JsonObject>(object: O, namespace: string): O => {
  const { namespace: own = '' } = textsOf(object);
  if (own === namespace) return object;
  if (own === '') return withMetadata(object, { namespace });
  if (namespace === '') return withMetadata(object, { namespace: undefined });
  throw badRequest('the namespace of the provided object does not match the namespace sent on the request');
};

const incarnationKey = (object: JsonObject): string => {
  const { namespace = '', name = '' } = textsOf(object);
  return `${namespace}/${name}`;
};

const baseKey = (object: JsonObject): string => {
  const { namespace = '', generateName = '' } = textsOf(object);
  return `${namespace}/${generateName}*`;
};

const suffixFor = ({ server: { random }, target }: Call, object: JsonObject, attempt: number): string => {
  if (random) return random.suffix();
  const { namespace = '', generateName = '' } = textsOf(object);
  const { group, kind } = target.kind;
  const ordinal = target.collection.counts.of(baseKey(object)) + 1 + attempt;
  return suffixOf(generateName, { group, kind, namespace, ordinal });
};

const uidFor = ({ server: { random }, target }: Call, object: JsonObject): string => {
  if (random) return random.uid();
  const { namespace = '', name = '' } = textsOf(object);
  const { group, kind } = target.kind;
  const incarnation = target.collection.counts.of(incarnationKey(object)) + 1;
  return uidOf({ group, kind, namespace, name, incarnation });
};

/** Sets the members that only the server can set: the uid, the creation time, and a generated name if the object requests one. */
const fillSystemFields = (call: Call, object: JsonObject, attempt: number): ServerObject => {
  const { name = '', generateName = '' } = textsOf(object);
  const isGenerated = generateName !== '' && name === '';
  const named = isGenerated
    ? withMetadata(object, { name: generatedName(generateName, suffixFor(call, object, attempt)) })
    : object;
  const creationTimestamp = timestamp(call.server.now());
  return withMetadata(named, { uid: uidFor(call, named), creationTimestamp }) as unknown as ServerObject;
};

/** @see k8s.io/apiserver v0.36.4 pkg/registry/rest/create.go (`BeforeCreate`) */
const beforeCreate = (target: Target, filled: ServerObject): ServerObject => {
  const { kind, version, namespace } = target;
  const object = kind.strategy.prepareForCreate(ensureNamespace(filled, namespace), version);
  validateNew(target, object);
  return object;
};

const nameTaken = ({ subject }: Target, object: ServerObject, existing: ServerObject): StatusError => {
  const { name, generateName = '' } = object.metadata;
  const error = generateName === '' ? alreadyExists({ ...subject, name }) : generateNameConflict({ ...subject, name });
  if (existing.metadata.deletionTimestamp === undefined) return error;
  return new StatusError({ ...error.status, message: `object is being deleted: ${error.status.message}` });
};

/** @see k8s.io/apimachinery v0.36.4 pkg/api/errors/errors.go (`NewGenerateNameConflict`) */
const generateNameConflict = (subject: {
  readonly group: string;
  readonly kind: string;
  readonly name: string;
}): StatusError => {
  const { group, kind, name } = subject;
  const error = alreadyExists(subject);
  return failure({
    code: 409,
    reason: 'AlreadyExists',
    message: `${error.status.message}, the server was not able to generate a unique name for the object`,
    details: { name, ...(group !== '' && { group }), kind, retryAfterSeconds: 1 },
  });
};

const store = (call: Call, object: ServerObject): ServerObject => {
  const { collection } = call.target;
  // Names are counted only if uids and suffixes are derived from the counts. Random uids and suffixes need no counts.
  if (call.options.dryRun !== true && call.server.random === undefined) {
    call.server.store.count(collection, incarnationKey(object));
    if (object.metadata.generateName !== undefined) call.server.store.count(collection, baseKey(object));
  }
  return commit(call, object);
};

const checkUnversioned = ({ options }: Call, { metadata }: ServerObject): void => {
  const { resourceVersion = '' } = metadata as { readonly resourceVersion?: string };
  if (options.dryRun === true || !/^\d+$/.test(resourceVersion) || Number(resourceVersion) === 0) return;
  throw plainFailure('resourceVersion should not be set on objects to be created');
};

/**
 * Completes, validates, admits and stores a new object. Mutating admission has run before this call.
 *
 * @see k8s.io/apiserver v0.36.4 pkg/registry/generic/registry/store.go (`create`)
 */
export const createInStore = (call: Call, object: JsonObject): ServerObject => {
  const { target } = call;
  const { name = '', generateName = '' } = textsOf(object);
  const attempts = name === '' && generateName !== '' ? MAX_NAME_ATTEMPTS : 1;
  for (let attempt = 0; ; attempt++) {
    const ready = beforeCreate(target, fillSystemFields(call, object, attempt));
    call.request.authorizeCreation?.();
    admit(call, ready, { subresource: '' });
    checkUnversioned(call, ready);
    const existing = target.collection.table.get(target.namespace, ready.metadata.name);
    if (existing === undefined) return store(call, ready);
    if (attempt + 1 >= attempts) throw nameTaken(target, ready, existing);
  }
};

const checkServing = ({ target, server }: Call, object: JsonObject): void => {
  if (!server.isGoingAway(target.kind)) return;
  throw forbidden(
    { ...target.subject, name: textsOf(object).name ?? '' },
    'create not allowed while custom resource definition is terminating',
  );
};

/**
 * Checks that a new object may be created, and runs mutating admission.
 *
 * @throws {StatusError} 403 while the CRD of the kind or the namespace is terminating, 404 without the namespace, or the
 * error of a plug-in
 */
export const mutateNew = (call: Call, object: JsonObject): JsonObject => {
  checkServing(call, object);
  return mutate(call, object, { subresource: '' });
};

/** Handles a create request. @see k8s.io/apiserver v0.36.4 pkg/endpoints/handlers/create.go */
export const handleCreate = (call: Call): ServerResponse => {
  const { target, options, request } = call;
  validateWriteOptions('CreateOptions', options);
  const decoded = decodeBody(target, request, options);
  const wiped = withMetadata(decoded, SYSTEM_FIELDS);
  const object = dedupOwnerReferences(ensureNamespace(wiped, target.namespace));
  const tracked = trackWrite(call, object, { live: undefined, subresource: '' });
  return { code: 201, body: createInStore(call, mutateNew(call, tracked)) };
};
