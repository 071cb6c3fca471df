import type { ServerEvent, ServerRequest, ServerResponse } from '#lib/apiserver/machinery/request.ts';
import { isPlainObject, memberOf } from '#lib/json.ts';

const nameIn = (body: unknown): string | undefined => {
  const metadata = isPlainObject(body) ? body['metadata'] : undefined;
  const name = isPlainObject(metadata) ? memberOf(metadata, 'name') : undefined;
  return typeof name === 'string' ? name : undefined;
};

/** A thrown value in words: the message of an error, or the text of any other value. */
export const errorInWords = (error: unknown): string => (error instanceof Error ? error.message : String(error));

const resourceInWords = ({ resource: { plural }, subresource }: ServerRequest): string =>
  subresource === undefined ? plural : `${plural}/${subresource}`;

/** A write without its object, such as `create pods` or `patch podsets/status`; `undefined` for a read. */
export const writeInWords = (request: ServerRequest): string | undefined =>
  request.verb === 'get' || request.verb === 'list' ? undefined : `${request.verb} ${resourceInWords(request)}`;

/** A request in a few words, such as `create pods default/web-1`. */
export const requestInWords = (request: ServerRequest): string => {
  const { verb, namespace, name, body } = request;
  const what = resourceInWords(request);
  const object = [namespace, name ?? (verb === 'create' ? nameIn(body) : undefined)].filter(
    (part) => part !== undefined,
  );
  return [verb, what, object.join('/')].filter((part) => part !== '').join(' ');
};

/** A response in a word or two, such as `201` or `409 AlreadyExists`. */
export const answerInWords = ({ code, body }: ServerResponse): string => {
  const reason = memberOf(body, 'reason');
  return body['kind'] === 'Status' && typeof reason === 'string' ? `${code} ${reason}` : String(code);
};

/** An event in a few words, such as `ADDED pods default/web-1`. */
export const eventInWords = (event: ServerEvent, plural: string): string => {
  if (event.type === 'BOOKMARK' || event.type === 'ERROR') return `${event.type} ${plural}`;
  const { namespace, name } = event.object.metadata;
  return `${event.type} ${plural} ${namespace === undefined ? name : `${namespace}/${name}`}`;
};
