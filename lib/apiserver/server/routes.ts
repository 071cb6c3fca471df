import type { ServerRequest, ServerResponse } from '#lib/apiserver/machinery/request.ts';
import { isResource, resources } from '#lib/apiserver/machinery/resources.ts';
import {
  badRequest,
  methodNotAllowed,
  noSuchResource,
  noSuchVerb,
  notFound,
  notImplemented,
  type StatusError,
} from '#lib/apiserver/machinery/status.ts';
import { isKnownSubresource } from './known-resources.ts';
import { deleteDefinition } from './resources/definitions.ts';
import { deleteNamespace, handleFinalize } from './resources/namespaces.ts';
import { handleBinding } from './resources/pod-binding.ts';
import { handleScale } from './resources/scale.ts';
import type { Call } from './target.ts';
import { handleCreate } from './verbs/create.ts';
import { deleteFromStore, handleDelete } from './verbs/delete.ts';
import { handleDeleteCollection } from './verbs/delete-collection.ts';
import { handleGet } from './verbs/get.ts';
import { handleList } from './verbs/list.ts';
import { handlePatch } from './verbs/patch.ts';
import { handleUpdate } from './verbs/update.ts';

type Verb = ServerRequest['verb'];

const ON_COLLECTIONS: ReadonlySet<Verb> = new Set(['list', 'create', 'deletecollection']);

const isCustom = ({ target }: Call): boolean => target.kind.isCustom === true;

/** Checks that the path has the namespace and the name that the verb needs. A create of a built-in kind must have no name. */
const checkPath = (call: Call): void => {
  const { target, request } = call;
  const { verb } = request;
  const isCollection = ON_COLLECTIONS.has(verb);
  if (target.kind.scope === 'Namespaced' && target.namespace === '' && verb !== 'list') {
    throw isCollection && !isCustom(call) ? noSuchVerb() : noSuchResource();
  }
  if (!isCollection && target.name === '') throw isCustom(call) ? badRequest('name must be provided') : noSuchVerb();
  if (verb === 'create' && request.name !== undefined && !isCustom(call)) throw noSuchVerb();
};

const remove = (call: Call): ServerResponse => {
  const { kind } = call.target;
  if (isResource(kind, resources.namespaces)) return handleDelete(call, deleteNamespace);
  return handleDelete(call, isResource(kind, resources.definitions) ? deleteDefinition : deleteFromStore);
};

const removeCollection = (call: Call): ServerResponse => {
  if (isResource(call.target.kind, resources.namespaces)) throw noSuchVerb();
  return handleDeleteCollection(call);
};

const HANDLERS: Readonly<Record<Verb, (call: Call) => ServerResponse>> = {
  get: handleGet,
  list: handleList,
  create: handleCreate,
  update: (call) => handleUpdate(call, ''),
  patch: (call) => handlePatch(call, ''),
  delete: remove,
  deletecollection: removeCollection,
};

const STATUS_HANDLERS: Partial<Readonly<Record<Verb, (call: Call) => ServerResponse>>> = {
  get: handleGet,
  update: (call) => handleUpdate(call, 'status'),
  patch: (call) => handlePatch(call, 'status'),
};

const SCALE_HANDLERS: Partial<Readonly<Record<Verb, (call: Call) => ServerResponse>>> = {
  get: (call) => handleScale(call, 'get'),
  update: (call) => handleScale(call, 'update'),
  patch: (call) => handleScale(call, 'patch'),
};

const subresourceHandlers = ({ target }: Call, subresource: string): typeof STATUS_HANDLERS | undefined => {
  const { kind, version } = target;
  if (subresource === 'status') return version.hasStatus ? STATUS_HANDLERS : undefined;
  if (subresource === 'scale') return version.scale && SCALE_HANDLERS;
  if (subresource === 'binding' && isResource(kind, resources.pods)) return { create: handleBinding };
  return subresource === 'finalize' && isResource(kind, resources.namespaces) ? { update: handleFinalize } : undefined;
};

const noSuchSubresource = (call: Call, subresource: string): StatusError => {
  const { resource } = call.request;
  if (isKnownSubresource(resource, subresource)) return notImplemented(`${resource.plural}/${subresource}`);
  return isCustom(call) ? notFound(call.target.subject) : noSuchResource();
};

const handleSubresource = (call: Call, subresource: string): ServerResponse => {
  const handlers = subresourceHandlers(call, subresource);
  if (handlers === undefined) throw noSuchSubresource(call, subresource);
  const handler = handlers[call.request.verb];
  if (handler) return handler(call);
  throw isCustom(call) ? methodNotAllowed(call.target.subject, call.request.verb) : noSuchVerb();
};

/** Handles a request with a resolved target. @throws {StatusError} when the request fails */
export const handleCall = (call: Call): ServerResponse => {
  const { subresource = '', verb } = call.request;
  if (subresource !== '') return handleSubresource(call, subresource);
  checkPath(call);
  return HANDLERS[verb](call);
};
