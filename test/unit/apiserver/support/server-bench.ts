import type { ServerObject } from '#lib/apiserver/machinery/object.ts';
import type {
  RequestOptions,
  ServerEvent,
  ServerRequest,
  ServerResponse,
  WatchRequest,
} from '#lib/apiserver/machinery/request.ts';
import type { ServedKind } from '#lib/apiserver/machinery/served-kind.ts';
import type { ApiServer } from '#lib/apiserver/machinery/server.ts';
import { type ApiServerOptions, createApiServer } from '#lib/apiserver/server/server.ts';
import type { JsonObject } from '#lib/json.ts';
import { boxKind, lampKind, shelfKind } from './permissive-kinds.ts';

/** Start of a bench's clock, in epoch milliseconds. */
export const START = Date.UTC(2026, 0, 1);

/** The creation time of objects. */
export const STARTED = '2026-01-01T00:00:00Z';

/** An answer in short: code and message of a failure. */
export const said = ({ code, body }: ServerResponse): string => `${code} ${String(body['message'] ?? body['kind'])}`;

/** The object in the body of a successful answer. */
export const objectIn = ({ code, body }: ServerResponse): ServerObject => {
  if (code >= 300) throw new Error(`${code} ${JSON.stringify(body)}`);
  return body as ServerObject;
};

/** Names of the items of a list. */
export const namesIn = ({ body }: ServerResponse): readonly string[] =>
  (body['items'] as readonly { metadata: { name: string } }[]).map(({ metadata }) => metadata.name);

type More = Partial<Omit<ServerRequest, 'verb' | 'resource'>>;

/** A server, with short functions for requests to one of its resources. */
export class ServerBench {
  now = START;
  readonly server: ApiServer;
  readonly kind: ServedKind;

  constructor(kind: ServedKind = shelfKind, options: Partial<ApiServerOptions> = {}) {
    this.kind = kind;
    this.server = createApiServer({ kinds: [shelfKind, boxKind, lampKind], now: () => this.now, ...options });
  }

  get resource(): ServerRequest['resource'] {
    return { group: this.kind.group, version: this.kind.versions[0]?.name ?? '', plural: this.kind.plural };
  }

  body(name: string, meta: JsonObject = {}, rest: JsonObject = { spec: { size: 1 } }): JsonObject {
    const { group, kind, versions } = this.kind;
    const version = versions[0]?.name ?? '';
    return {
      apiVersion: group === '' ? version : `${group}/${version}`,
      kind,
      metadata: { ...(name !== '' && { name }), ...meta },
      ...rest,
    };
  }

  #send(verb: ServerRequest['verb'], more: More): ServerResponse {
    const namespace = this.kind.scope === 'Namespaced' ? { namespace: 'default' } : {};
    return this.server.handle({ verb, resource: this.resource, ...namespace, ...more });
  }

  create(name: string, meta: JsonObject = {}, more: More = {}): ServerResponse {
    return this.#send('create', { body: this.body(name, meta), ...more });
  }

  get(name: string, options: RequestOptions = {}): ServerResponse {
    return this.#send('get', { name, options });
  }

  update(name: string, body: unknown, more: More = {}): ServerResponse {
    return this.#send('update', { name, body, ...more });
  }

  merge(name: string, body: unknown, more: More = {}): ServerResponse {
    return this.#send('patch', { patchType: 'merge', name, body, ...more });
  }

  json(name: string, body: unknown, more: More = {}): ServerResponse {
    return this.#send('patch', { patchType: 'json', name, body, ...more });
  }

  apply(name: string, body: unknown, options: RequestOptions = {}): ServerResponse {
    return this.#send('patch', { patchType: 'apply', name, body, options: { fieldManager: 'bench', ...options } });
  }

  delete(name: string, body?: unknown, more: More = {}): ServerResponse {
    return this.#send('delete', { name, ...(body !== undefined && { body }), ...more });
  }

  deleteAll(more: More = {}): ServerResponse {
    return this.#send('deletecollection', more);
  }

  list(options: RequestOptions = {}, more: More = {}): ServerResponse {
    return this.#send('list', { options, ...more });
  }

  /** Opens a watch that collects its events. */
  watch(request: Partial<WatchRequest> = {}) {
    const events: ServerEvent[] = [];
    const all = { resource: this.resource, namespace: 'default', ...request };
    const open = this.server.watch(all, (event) => events.push(event));
    return { events, ...open };
  }
}

/** Events in short: `ADDED a@101`. */
export const brief = (events: readonly ServerEvent[]): readonly string[] =>
  events.map(({ type, object }) => {
    const { name = '', resourceVersion = '' } = (object['metadata'] ?? {}) as {
      name?: string;
      resourceVersion?: string;
    };
    return type === 'ERROR' ? `ERROR ${String(object['message'])}` : `${type} ${name}@${resourceVersion}`;
  });
