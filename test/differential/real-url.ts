import type { PatchType, ResourceName, ServerRequest, WatchRequest } from '#lib/apiserver/machinery/request.ts';

const contentTypes: Readonly<Record<PatchType, string>> = {
  json: 'application/json-patch+json',
  merge: 'application/merge-patch+json',
  strategic: 'application/strategic-merge-patch+json',
  apply: 'application/apply-patch+yaml',
};

const methods: Readonly<Record<ServerRequest['verb'], string>> = {
  get: 'GET',
  list: 'GET',
  create: 'POST',
  update: 'PUT',
  patch: 'PATCH',
  delete: 'DELETE',
  deletecollection: 'DELETE',
};

/** An HTTP request. */
export interface HttpRequest {
  readonly method: string;
  readonly path: string;
  readonly contentType: string;
  readonly body?: unknown;
}

interface Place {
  readonly resource: ResourceName;
  readonly namespace?: string;
  readonly name?: string;
  readonly subresource?: string;
}

const pathOf = ({ resource, namespace, name, subresource }: Place): string =>
  [
    resource.group === '' ? '/api' : `/apis/${resource.group}`,
    resource.version,
    ...(namespace === undefined ? [] : ['namespaces', namespace]),
    resource.plural,
    ...(name === undefined ? [] : [encodeURIComponent(name)]),
    ...(subresource === undefined ? [] : [subresource]),
  ].join('/');

const queryOf = (options: object): string => {
  const entries = Object.entries(options).filter(([, value]) => value !== undefined && value !== false);
  const texts = Object.fromEntries(entries.map(([name, value]) => [name, name === 'dryRun' ? 'All' : String(value)]));
  const query = new URLSearchParams(texts).toString();
  return query === '' ? '' : `?${query}`;
};

/** A request as a client sends it. */
export const toHttp = (request: ServerRequest): HttpRequest => ({
  method: methods[request.verb],
  path: `${pathOf(request)}${queryOf(request.options ?? {})}`,
  contentType: request.patchType === undefined ? 'application/json' : contentTypes[request.patchType],
  ...(request.body !== undefined && { body: request.body }),
});

/** The path and query of a watch. A watch of a named object is a watch of a list with a field selector. */
export const toWatchPath = ({ resource, namespace, name, ...options }: WatchRequest): string => {
  const fields = [options.fieldSelector, name && `metadata.name=${name}`].filter(Boolean).join(',');
  const query = queryOf({ watch: true, ...options, ...(fields !== '' && { fieldSelector: fields }) });
  return pathOf({ resource, ...(namespace !== undefined && { namespace }) }) + query;
};
