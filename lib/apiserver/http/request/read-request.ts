import type { IncomingMessage } from 'node:http';
import type { RequestOptions, ServerRequest } from '#lib/apiserver/machinery/request.ts';
import { isNewerEvents, olderEvents, toOlderEvent, toOlderSelector } from '../event-alias.ts';
import { type Content, contentOf, patchTypeOf, readBody } from './body.ts';
import { deleteOptionsIn, requestOptions } from './query.ts';
import type { RequestVerb, ResourceRoute } from './route.ts';

interface Unread {
  readonly message: IncomingMessage;
  readonly query: URLSearchParams;
}

/**
 * Returns the default field manager of a request: the name of the client program, cut to 128 characters.
 *
 * @see k8s.io/apiserver v0.36.4 pkg/endpoints/handlers/create.go (`managerOrUserAgent`)
 */
const managerOf = (message: IncomingMessage): string =>
  (message.headers['user-agent'] ?? '').split('/')[0]?.slice(0, 128) ?? '';

const WRITES: ReadonlySet<string> = new Set(['create', 'update', 'patch']);

const optionsOf = (
  { message, query }: Unread,
  { verb, isNewer, isApply }: { readonly verb: string; readonly isNewer: boolean; readonly isApply: boolean },
): RequestOptions => {
  const options = requestOptions(query, verb);
  const { fieldSelector, fieldManager = '' } = options;
  return {
    ...options,
    ...(isNewer && fieldSelector !== undefined && { fieldSelector: toOlderSelector(fieldSelector) }),
    ...(WRITES.has(verb) && !isApply && fieldManager === '' && { fieldManager: managerOf(message) }),
  };
};

/** Reads the body. For a deletion without a body, returns the options in the query. */
const contentIn = async ({ message, query }: Unread, verb: RequestVerb): Promise<Content> => {
  if (verb === 'get' || verb === 'list') return {};
  const isStrict = query.get('fieldValidation') === 'Strict';
  const content = contentOf(await readBody(message), message.headers['content-type'], isStrict);
  const isDeletion = verb === 'delete' || verb === 'deletecollection';
  return isDeletion ? { ...content, body: content.body ?? deleteOptionsIn(query) } : content;
};

/**
 * Reads an HTTP request, and converts the request to the form that the server handles.
 *
 * @throws {StatusError} for a body that is too long, malformed or of an unknown media type, and for an invalid query
 */
export const readRequest = async (
  unread: Unread,
  { resource, ...place }: ResourceRoute,
  verb: Exclude<RequestVerb, 'watch'>,
): Promise<ServerRequest> => {
  const isNewer = isNewerEvents(resource);
  const { body, textProblems } = await contentIn(unread, verb);
  const patchType = verb === 'patch' ? patchTypeOf(unread.message.headers['content-type']) : undefined;
  return {
    verb,
    ...place,
    resource: isNewer ? olderEvents : resource,
    ...(patchType && { patchType }),
    options: optionsOf(unread, { verb, isNewer, isApply: patchType === 'apply' }),
    ...(body !== undefined && { body: isNewer ? toOlderEvent(body) : body }),
    ...(textProblems !== undefined && { textProblems }),
  };
};
